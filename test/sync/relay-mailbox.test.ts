// The mailboxes of a relay that runs as a process of its own: who may wait, what is passed on, and that neither many who
// ask, nor much that is sent, nor somebody who never reads costs the relay memory.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { drawBox } from '#main/replication/channel/mailbox.ts'
import { dialPeer } from '#main/replication/channel/peer-dial.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import {
  boxAuthLabel,
  boxMessageLimit,
  decodeMailboxWord,
  encodeMailboxWord,
} from '#main/replication/wire/mailbox-words.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'
import type { TestDevice } from '../support/channel-devices.ts'
import { makeDevice } from '../support/channel-devices.ts'
import { findFreePort } from '../support/free-port.ts'
import type { RelayClient } from '../support/relay-client.ts'
import { createRelayClient } from '../support/relay-client.ts'
import type { RelayDevice } from '../support/relay-device.ts'
import { createRelayDevice, testWorkspace } from '../support/relay-device.ts'
import type { RelayProcess } from '../support/relay-process.ts'
import { startRelayProcess } from '../support/relay-process.ts'

/** One end of a mailbox: the words of the relay, and the bytes after them. */
interface End {
  readonly link: PeerLink
  readonly words: string[]
  readonly came: Uint8Array[]
}

const mib = 1024 ** 2
let dir: string
let port: number
let relay: RelayProcess
let owner: RelayDevice
let identity: TestDevice
let client: RelayClient | undefined
let links: PeerLink[]

const until = (check: () => void, timeout = 12_000): Promise<void> => vi.waitFor(check, { timeout, interval: 5 })

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-mailboxes-'))
  links = []
  owner = createRelayDevice(1)
  ;[port, identity] = await Promise.all([findFreePort(), makeDevice()])
  // With a small heap the figures are what the relay holds, and not what the engine has not cleared away yet.
  vi.stubEnv('NODE_OPTIONS', '--max-old-space-size=64')
  const started = await startRelayProcess(['--data', join(dir, 'data'), '--port', String(port)])
  vi.unstubAllEnvs()
  if ('error' in started) throw new Error(started.error)
  relay = started
  const place = { fingerprint: relay.fingerprint, port }
  client = createRelayClient(place, { device: owner, identity: await makeDevice(), token: relay.token })
  const { greetings } = client
  await until(() => expect(greetings).toHaveLength(1))
})

afterEach(async () => {
  for (const link of links) link.close()
  client?.stop()
  await relay.end('SIGKILL')
  rmSync(dir, { recursive: true })
})

/** @param reads false: what comes after the words is never taken */
async function connect(word: (link: PeerLink) => Uint8Array, reads = true): Promise<End> {
  const place = { host: '127.0.0.1', port }
  const link = await dialPeer(place, { ...identity, peer: relay.fingerprint, purpose: 'mailbox' })
  links.push(link)
  const end: End = { link, words: [], came: [] }
  link.onMessage((message) => {
    if (end.words.at(-1) !== 'joined') {
      const answer = decodeMailboxWord(message)
      end.words.push(answer.kind === 'refused' ? answer.code : answer.kind)
      return undefined
    }
    end.came.push(Uint8Array.from(message))
    return reads ? undefined : new Promise<void>(() => undefined)
  })
  link.offer(word(link))
  return end
}

const open = (box: Uint8Array, device = owner, reads = true): Promise<End> =>
  connect((link) => {
    const { key, sig } = proveChannel(device.signer, link.secret(boxAuthLabel), 'client')
    return encodeMailboxWord({ kind: 'open', box, ws: testWorkspace, epoch: 1, key, sig })
  }, reads)
const visit = (box: Uint8Array): Promise<End> => connect(() => encodeMailboxWord({ kind: 'visit', box }))
const saying = (end: End, ...words: string[]): Promise<void> => until(() => expect(end.words).toEqual(words))

async function meet(reads = true): Promise<{ host: End; guest: End }> {
  const box = drawBox()
  const host = await open(box, owner, reads)
  await saying(host, 'opened')
  const guest = await visit(box)
  await saying(guest, 'joined')
  await saying(host, 'opened', 'joined')
  return { host, guest }
}

describe('a mailbox of a relay', () => {
  it('passes bytes on as they are, keeps none, and ends for both', async () => {
    const { host, guest } = await meet()
    const sent = [1, 100, boxMessageLimit].map((length) => new Uint8Array(randomBytes(length)))
    for (const bytes of sent) await guest.link.send(bytes)
    await host.link.send(new Uint8Array([7]))
    await until(() => expect(host.came).toEqual(sent))
    await until(() => expect(guest.came).toEqual([new Uint8Array([7])]))
    guest.link.close('done')
    await until(() => expect(host.link.ended()).toEqual({ reason: 'done', here: false }))
    const files = ['relay.db', 'relay.db-wal'].map((name) => readFileSync(join(dir, 'data', name)))
    expect(files.some((file) => file.includes(Buffer.from(sent[1]!)))).toBe(false)
  })

  it('is opened by nobody but a device the relay lets in', async () => {
    const stranger = await open(drawBox(), createRelayDevice(2))
    await saying(stranger, 'not_admitted')
    const borrowed = await connect(() => {
      const { key, sig } = proveChannel(owner.signer, new Uint8Array(32), 'client')
      return encodeMailboxWord({ kind: 'open', box: drawBox(), ws: testWorkspace, epoch: 1, key, sig })
    })
    await saying(borrowed, 'signature_invalid')
    await until(() => expect(borrowed.link.ended()).toEqual({ reason: 'done', here: false }))
  })

  it('is closed when whoever opened it leaves it', async () => {
    const box = drawBox()
    const host = await open(box)
    await saying(host, 'opened')
    host.link.close('done')
    await until(() => expect(host.link.ended()).toBeDefined())
    const guest = await visit(box)
    await saying(guest, 'unknown')
  })

  it('may be opened again at a relay that was started anew, and is no more known once it was closed there', async () => {
    const box = drawBox()
    await saying(await open(box), 'opened')
    await relay.end('SIGKILL')
    const again = await startRelayProcess(['--data', join(dir, 'data'), '--port', String(port)])
    if ('error' in again) throw new Error(again.error)
    relay = again
    await saying(await visit(box), 'nobody_waits')
    const host = await open(box)
    await saying(host, 'opened')
    const guest = await visit(box)
    await saying(guest, 'joined')
    const last = await open(box)
    await saying(last, 'opened')
    last.link.close('done')
    await until(() => expect(last.link.ended()).toBeDefined())
    await saying(await visit(box), 'unknown')
  })

  it('hears one word and then nothing before somebody is there', async () => {
    const host = await open(drawBox())
    await saying(host, 'opened')
    host.link.offer(new Uint8Array([1]))
    await until(() => expect(host.link.ended()).toEqual({ reason: 'protocol', here: false }))
    const frame = await connect(() => encodeFrame({ kind: 'PING', id: 1 }))
    await until(() => expect(frame.link.ended()).toEqual({ reason: 'protocol', here: false }))
    const large = await connect(() => new Uint8Array(boxMessageLimit + 1))
    await until(() => expect(large.link.ended()).toEqual({ reason: 'too_large', here: false }))
  })
})

describe('bounds of the mailboxes', () => {
  it('end a pair that says too much', async () => {
    const { host, guest } = await meet()
    const piece = new Uint8Array(boxMessageLimit)
    let sent = 0
    while (sent < 64 && (await guest.link.send(piece))) sent += 1
    await until(() => expect(host.link.ended()).toEqual({ reason: 'done', here: false }))
    await until(() => expect(guest.link.ended()).toBeDefined())
    expect(host.came).toHaveLength((256 * 1024) / boxMessageLimit)
  })

  it('send away who opens or visits too often', async () => {
    const guests: End[] = []
    for (let attempt = 0; attempt < 30; attempt += 1) guests.push(await visit(drawBox()))
    await until(() => expect(guests.every(({ words }) => words.length === 1)).toBe(true))
    expect(guests[0]!.words).toEqual(['unknown'])
    expect(guests.at(-1)!.words).toEqual(['too_many'])

    const hosts: End[] = []
    for (let attempt = 0; attempt < 6; attempt += 1) hosts.push(await open(drawBox()))
    await until(() => expect(hosts.every(({ words }) => words.length === 1)).toBe(true))
    expect(hosts.map(({ words }) => words[0]!)).toEqual([...Array<string>(4).fill('opened'), 'too_many', 'too_many'])
  })

  it('hold whoever writes to somebody who never reads', { timeout: 40_000 }, async (context) => {
    // reason: the memory of another process is read from /proc
    if (process.platform !== 'linux') return context.skip()
    const meetMany = async (count: number): Promise<{ host: End; guest: End }[]> => {
      const met: { host: End; guest: End }[] = []
      for (let pair = 0; pair < count; pair += 1) met.push(await meet(false))
      return met
    }
    // The same once before: what the engine sets aside for such a burst is no memory of messages.
    const warm = await meetMany(11)
    await Promise.all(warm.map(({ guest }) => writeMuch(guest.link)))
    await until(() => expect(warm.every(({ guest }) => guest.link.ended() !== undefined)).toBe(true))
    // As many as one workspace may have.
    const pairs = await meetMany(12)
    const base = relay.residentBytes()
    let peak = base
    const watch = setInterval(() => void (peak = Math.max(peak, relay.residentBytes())), 20)
    await Promise.all(pairs.map(({ guest }) => writeMuch(guest.link)))
    clearInterval(watch)
    expect(pairs.every(({ host }) => host.came.length <= 1)).toBe(true)
    // What was passed on at most is 12 times 256 KiB; what was written without a bound would be 12 times 8 MiB.
    expect((peak - base) / mib).toBeLessThan(32)
    await until(() => expect(pairs.every(({ guest }) => guest.link.ended() !== undefined)).toBe(true))
  })

  async function writeMuch(link: PeerLink): Promise<void> {
    const piece = new Uint8Array(boxMessageLimit)
    for (let sent = 0; sent < 8 * mib; sent += piece.byteLength) if (!(await link.send(piece))) return
  }
})
