// A link over a stream that is open already, as through a mailbox: the same proofs as on a port, a heartbeat that is heard,
// and no stream left behind.
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import type { TestDevice } from '../../../test/support/channel-devices.ts'
import { listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import { acceptOver } from './accept-over.ts'
import type { DialOptions } from './peer-dial.ts'
import { DialError, dialPeer } from './peer-dial.ts'
import type { PeerLink } from './peer-link.ts'
import { createLinkStream } from './link-stream.ts'

let here: TestDevice
let there: TestDevice
let near: Duplex
let far: Duplex
let isPassing: boolean

/** Two ends as of a mailbox: bytes are passed on while they are, and the end of one is the end of the other. */
function makePair(): [Duplex, Duplex] {
  isPassing = true
  const [one, left] = duplexPair()
  const [two, right] = duplexPair()
  left.on('data', (bytes: Buffer) => isPassing && right.write(bytes))
  right.on('data', (bytes: Buffer) => isPassing && left.write(bytes))
  left.on('end', () => isPassing && right.end())
  one.on('close', () => isPassing && right.end())
  right.on('end', () => isPassing && left.end())
  two.on('close', () => isPassing && left.end())
  return [one, two]
}

beforeEach(async () => {
  ;[here, there] = await Promise.all([makeDevice(), makeDevice()])
  ;[near, far] = makePair()
})

const reasonOf = (opening: Promise<PeerLink>): Promise<string> =>
  opening.then(
    () => 'open',
    (error: unknown) => (error instanceof DialError ? error.reason : String(error)),
  )
const dial = (change: Partial<DialOptions> = {}): Promise<PeerLink> =>
  dialPeer(far, { identity: there.identity, peer: here.fingerprint, purpose: 'pairing', ...change })

describe('a link over a stream', () => {
  it('has proved both sides, has one secret, and stays open while nobody speaks', async () => {
    const link = { heartbeatMs: 40 }
    const [one, two] = await Promise.all([acceptOver(near, { ...here, link }), dial({ link })])
    expect([one.peer, two.peer]).toEqual([there.fingerprint, here.fingerprint])
    expect([one.direction, one.purpose, two.direction]).toEqual(['in', 'pairing', 'out'])
    expect(one.secret('label')).toEqual(two.secret('label'))
    const came: Uint8Array[] = []
    for (const each of [one, two]) each.onMessage((message) => void came.push(Uint8Array.from(message)))
    await pause(500)
    expect([one.ended(), two.ended()]).toEqual([undefined, undefined])
    await two.send(new Uint8Array(100_000).fill(1))
    await one.send(new Uint8Array([2]))
    await expect.poll(() => came.map((message) => message.byteLength).toSorted()).toEqual([1, 100_000])
    two.close('done')
    await expect.poll(() => one.ended(), { timeout: 5_000 }).toEqual({ reason: 'done', here: false })
    await expect.poll(() => two.ended(), { timeout: 5_000 }).toBeDefined()
    await expect.poll(() => [near.destroyed, far.destroyed]).toEqual([true, true])
  })

  it('is silent for both once nothing is passed on any more', async () => {
    const link = { heartbeatMs: 40 }
    const [one, two] = await Promise.all([acceptOver(near, { ...here, link }), dial({ link })])
    for (const each of [one, two]) each.onMessage(() => undefined)
    // Neither side is told: as a relay that stands still.
    isPassing = false
    await expect.poll(() => [one.ended()?.reason, two.ended()?.reason]).toEqual(['silent', 'silent'])
  })

  it('is not one to another device than the one expected', async () => {
    const accepting = reasonOf(acceptOver(near, here))
    expect(await reasonOf(dial({ peer: there.fingerprint }))).toBe('wrong_peer')
    expect(await accepting).toBe('unreachable')
    expect(near.destroyed).toBe(true)
  })

  it('is for pairing alone, with a certificate, and not with a copy of this machine', async () => {
    const accepting = reasonOf(acceptOver(near, here))
    expect(await reasonOf(dial({ purpose: 'peer' }))).toBe('refused')
    expect(await accepting).toBe('protocol')

    ;[near, far] = makePair()
    const copied = reasonOf(acceptOver(near, here))
    expect(await reasonOf(dial({ identity: here.identity }))).toBe('refused')
    expect(await copied).toBe('refused')

    ;[near, far] = makePair()
    const nameless = reasonOf(acceptOver(near, here))
    const channel = connect({ socket: far, rejectUnauthorized: false })
    channel.on('error', () => undefined)
    expect(await nameless).toBe('refused')
  })

  it('does not wait for somebody who says nothing, or nonsense', async () => {
    expect(await reasonOf(acceptOver(near, { ...here, timeoutMs: 50 }))).toBe('timeout')
    expect(near.destroyed).toBe(true)
    ;[near, far] = makePair()
    const accepting = reasonOf(acceptOver(near, here))
    far.on('error', () => undefined)
    far.write('GET / HTTP/1.1\r\n\r\n'.repeat(20))
    expect(await accepting).toBe('protocol')
    ;[near, far] = makePair()
    const left = reasonOf(acceptOver(near, here))
    far.destroy()
    expect(await left).toBe('unreachable')
  })
})

describe('a stream over a link', () => {
  it('brings every byte in order, in small messages, and what came before the end', async () => {
    const host = await listenAs(here)
    host.known.add(there.fingerprint)
    const place = { host: '127.0.0.1', port: host.port }
    const out = await dialPeer(place, { identity: there.identity, peer: here.fingerprint, purpose: 'peer' })
    await expect.poll(() => host.links).toHaveLength(1)
    const into = host.links[0]!
    const sizes: number[] = []
    const [one, two] = [createLinkStream(out, 1_000), createLinkStream(into, 1_000)]
    out.onMessage((message) => one.put(message))
    into.onMessage((message) => {
      sizes.push(message.byteLength)
      return two.put(message)
    })
    const sent = new Uint8Array(300_000).map((_, index) => index % 251)
    one.stream.write(sent)
    one.stream.end()
    const came: Buffer[] = []
    // Slowly, and begun late: nothing may be lost by the end that follows at once.
    await pause(50)
    for await (const piece of two.stream) came.push(piece as Buffer)
    expect(Buffer.compare(Buffer.concat(came), sent)).toBe(0)
    expect(Math.max(...sizes)).toBe(1_000)
    await host.listener.close()
  })
})
