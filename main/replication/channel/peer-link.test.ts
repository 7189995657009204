// A link between two devices over real TLS: order, bounds, silence and ends.
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { closeDevice, connectTo, listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import type { ListeningDevice, TestDevice } from '../../../test/support/channel-devices.ts'
import { startFaultProxy } from '../../../test/support/fault-proxy.ts'
import type { FaultProxy } from '../../../test/support/fault-proxy.ts'
import { codeOf, reasonOf } from './link-close.ts'
import { subprotocols } from './peer-dial.ts'
import { maxMessageBytes } from './peer-link.ts'
import type { LinkOptions, PeerLink } from './peer-link.ts'

let home: ListeningDevice
let friend: TestDevice
const proxies: FaultProxy[] = []

beforeEach(async () => {
  home = await listenAs(await makeDevice())
  friend = await makeDevice()
})

afterEach(async () => {
  // A half-open line would never carry the end of a link.
  for (const proxy of proxies.splice(0)) await proxy.close()
  await closeDevice(home)
})

async function throughProxy(link: LinkOptions): Promise<{ proxy: FaultProxy; near: PeerLink; far: PeerLink }> {
  await home.listener.close()
  home = await listenAs(home, { link })
  const proxy = await startFaultProxy(home.port)
  proxies.push(proxy)
  return { proxy, ...(await connectTo(home, friend, { port: proxy.port, link })) }
}

/** A WebSocket of a known device without the bounds of ours. */
async function rawSocket(): Promise<WebSocket> {
  home.known.add(friend.fingerprint)
  const channel = connectTls({
    host: '127.0.0.1',
    port: home.port,
    cert: friend.identity.certificate,
    key: friend.identity.privateKey,
    rejectUnauthorized: false,
  })
  await new Promise((resolve) => channel.once('secureConnect', resolve))
  const socket = new WebSocket('ws://device/channel', [subprotocols.peer], { createConnection: () => channel })
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('open', resolve))
  await vi.waitFor(() => expect(home.links).toHaveLength(1))
  return socket
}

const numbered = (number: number, size = 4): Uint8Array => {
  const bytes = Buffer.alloc(size)
  bytes.writeUInt32BE(number)
  return bytes
}
const numberOf = (bytes: Uint8Array): number => Buffer.from(bytes).readUInt32BE()
const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at)

function take(link: PeerLink): number[] {
  const taken: number[] = []
  link.onMessage((message) => void taken.push(numberOf(message)))
  return taken
}

const ended = (link: PeerLink) => new Promise((resolve) => link.onClose(resolve))

describe('a link', () => {
  it('carries whole messages in order, both ways, from before the consumer came', async () => {
    const { near, far } = await connectTo(home, friend)
    for (const number of range(500)) expect(await near.send(numbered(number, 4 + (number % 90)))).toBe(true)
    for (const number of range(500)) expect(await far.send(numbered(number))).toBe(true)
    const atFar = take(far)
    const atNear = take(near)
    await vi.waitFor(() => expect([atFar.length, atNear.length]).toEqual([500, 500]))
    expect(atFar).toEqual(range(500))
    expect(atNear).toEqual(range(500))
    expect(near.traffic().bytesOut).toBeGreaterThan(2_000)
    expect(near.traffic().bytesIn).toBeGreaterThan(2_000)
  })

  it('has secrets that prove nothing once it has ended, and asks nobody to know that', async () => {
    const { near, far } = await connectTo(home, friend)
    const secret = near.secret('cairn-pairing')
    for (const link of [near, far]) take(link)
    const both = [near, far].map(ended)
    near.close()
    await Promise.all(both)
    for (const link of [near, far]) {
      await vi.waitFor(() => expect(link.secret('cairn-pairing')).not.toEqual(secret))
      expect(link.secret('cairn-pairing')).toHaveLength(32)
    }
  })

  it('has a secret only its two ends know, another for each label and each connection', async () => {
    const { near, far } = await connectTo(home, friend)
    const again = await connectTo(home, friend)
    expect(near.secret('cairn-pairing')).toHaveLength(32)
    expect(near.secret('cairn-pairing')).toEqual(far.secret('cairn-pairing'))
    expect(near.secret('cairn-auth')).not.toEqual(near.secret('cairn-pairing'))
    expect(again.near.secret('cairn-pairing')).not.toEqual(near.secret('cairn-pairing'))
  })

  it('takes the largest message and none over it', async () => {
    const { near, far } = await connectTo(home, friend)
    const sizes: number[] = []
    far.onMessage((message) => void sizes.push(message.byteLength))
    expect(near.offer(new Uint8Array(maxMessageBytes))).toBe(true)
    expect(() => near.offer(new Uint8Array(maxMessageBytes + 1))).toThrow(RangeError)
    await vi.waitFor(() => expect(sizes).toEqual([maxMessageBytes]))
    expect(near.ended()).toBeUndefined()
  })

  it.each([
    ['a message over the limit', (socket: WebSocket) => socket.send(new Uint8Array(maxMessageBytes + 1)), 'too_large'],
    [
      'a message over the limit in parts',
      (socket: WebSocket) => {
        socket.send(new Uint8Array(600_000), { fin: false })
        socket.send(new Uint8Array(600_000), { fin: true })
      },
      'too_large',
    ],
    ['text', (socket: WebSocket) => socket.send('hello'), 'protocol'],
    [
      'a message in very many parts',
      (socket: WebSocket) => {
        for (let part = 0; part < 200; part += 1) socket.send(new Uint8Array(1), { fin: false })
      },
      'protocol',
    ],
  ] as const)('ends when %s comes, before anything is handed over', async (_what, send, reason) => {
    const socket = await rawSocket()
    const taken: unknown[] = []
    home.links[0]!.onMessage((message) => void taken.push(message))
    const closed = new Promise<number>((resolve) => socket.once('close', resolve))
    send(socket)
    await closed
    await vi.waitFor(() => expect(home.links[0]!.ended()).toEqual({ reason, here: true }))
    expect(taken).toEqual([])
  })

  it.each([
    ['a broken message', (socket: WebSocket) => socket.send(new Uint8Array(maxMessageBytes + 1))],
    ['text', (socket: WebSocket) => socket.send('hello')],
    ['nothing', () => home.links[0]!.close()],
  ] as const)('is cut when the other side does not answer its end, after %s', async (_what, send) => {
    await home.listener.close()
    home = await listenAs(home, { link: { closeAnswerMs: 100 } })
    const socket = await rawSocket()
    home.links[0]!.onMessage(() => undefined)
    socket.pause()
    const started = performance.now()
    send(socket)
    await ended(home.links[0]!)
    expect(performance.now() - started).toBeLessThan(4_000)
    await vi.waitFor(() => expect(home.listener.links()).toEqual([]))
    socket.terminate()
  })

  it('bounds what waits on both sides while a consumer does not read, and loses nothing of it', async () => {
    const { near, far } = await connectTo(home, friend)
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const taken: number[] = []
    far.onMessage(async (message) => {
      await gate
      taken.push(numberOf(message))
    })
    const size = 16 * 1024
    let accepted = 0
    let largestQueue = 0
    // 64 MiB would go through if nobody held them back.
    for (let refused = 0; accepted < 4_096 && refused < 200;) {
      if (near.offer(numbered(accepted, size))) {
        accepted += 1
        refused = 0
      } else {
        refused += 1
        await sleep(5)
      }
      largestQueue = Math.max(largestQueue, near.queuedBytes())
    }
    expect(largestQueue).toBeLessThanOrEqual(1.25 * maxMessageBytes)
    expect(accepted * size).toBeLessThan(24 * 1024 * 1024)
    expect(taken).toEqual([])
    let isTaken = false
    const waiting = near.send(numbered(accepted, size)).then((value) => void (isTaken = value))
    await sleep(20)
    expect(isTaken).toBe(false)
    release()
    await waiting
    expect(isTaken).toBe(true)
    await vi.waitFor(() => expect(taken).toHaveLength(accepted + 1), 5_000)
    expect(taken).toEqual(range(accepted + 1))
  })

  it('answers a sender that waits when the link ends', async () => {
    const { near } = await connectTo(home, friend)
    while (near.offer(new Uint8Array(64 * 1024))) await sleep(0)
    await sleep(50)
    while (near.offer(new Uint8Array(64 * 1024))) await sleep(0)
    const waiting = near.send(new Uint8Array(64 * 1024))
    near.close('stopping')
    expect(await waiting).toBe(false)
    expect(near.offer(new Uint8Array(1))).toBe(false)
    expect(await near.send(new Uint8Array(1))).toBe(false)
  })

  it('ends as failed on both sides when its consumer throws, and hands nothing more over', async () => {
    const { near, far } = await connectTo(home, friend)
    let calls = 0
    take(near)
    far.onMessage(() => {
      calls += 1
      throw new Error('consumer')
    })
    for (const number of range(10)) near.offer(numbered(number))
    expect(await ended(far)).toEqual({ reason: 'failed', here: true })
    await vi.waitFor(() => expect(near.ended()).toEqual({ reason: 'failed', here: false }))
    expect(calls).toBe(1)
  })

  it('hands over what came before the end, and tells of the end once', async () => {
    const { near, far } = await connectTo(home, friend)
    const seen: string[] = []
    far.onMessage(async (message) => {
      await sleep(2)
      seen.push(String(numberOf(message)))
    })
    far.onClose(({ reason }) => void seen.push(reason))
    for (const number of range(5)) near.offer(numbered(number))
    near.close()
    near.close('failed')
    await vi.waitFor(() => expect(seen).toHaveLength(6))
    expect(seen).toEqual(['0', '1', '2', '3', '4', 'done'])
    expect(near.ended()).toEqual({ reason: 'done', here: true })
  })

  it.each(['done', 'stopping', 'protocol', 'replaced', 'unpaired', 'failed'] as const)(
    'says %s to the other side',
    async (reason) => {
      const { near, far } = await connectTo(home, friend)
      far.onMessage(() => undefined)
      near.close(reason)
      expect(await ended(far)).toEqual({ reason, here: false })
      expect(reasonOf(codeOf(reason))).toBe(reason)
    },
  )
})

describe('a link over a bad network', () => {
  it('stays open while nobody has anything to say', async () => {
    const { near, far } = await throughProxy({ heartbeatMs: 60 })
    take(near)
    take(far)
    await sleep(600)
    expect([near.ended(), far.ended()]).toEqual([undefined, undefined])
  })

  it('stays open while a consumer is slow, since the side that does not read still speaks', async () => {
    const { near, far } = await throughProxy({ heartbeatMs: 60, maxWaitingBytes: 1024 })
    take(near)
    let release = (): void => undefined
    const gate = new Promise<void>((resolve) => void (release = resolve))
    far.onMessage(() => gate)
    // More than what the system reads ahead, so that the far side sees nothing new at all.
    for (const number of range(800)) near.offer(numbered(number, 1024))
    await sleep(800)
    expect([near.ended(), far.ended()]).toEqual([undefined, undefined])
    release()
  })

  it('is noticed to be half open by both sides within four heartbeats', async () => {
    const { proxy, near, far } = await throughProxy({ heartbeatMs: 150 })
    take(near)
    take(far)
    const started = performance.now()
    proxy.halfOpen()
    expect(await ended(near)).toEqual({ reason: 'silent', here: true })
    expect(await ended(far)).toEqual({ reason: 'silent', here: true })
    expect(performance.now() - started).toBeLessThan(4 * 150 + 400)
  })

  it('is asked for a sign of life at once', async () => {
    const { proxy, near, far } = await throughProxy({})
    take(near)
    take(far)
    expect(await near.probe(1_000)).toBe(true)
    proxy.halfOpen()
    expect(await near.probe(200)).toBe(false)
    expect(await ended(near)).toEqual({ reason: 'silent', here: true })
  })

  it('hands over no part of a message that was cut', async () => {
    const { proxy, near, far } = await throughProxy({})
    const taken = take(far)
    proxy.cutAfter(50_000)
    for (const number of range(20)) near.offer(numbered(number, 4_000))
    expect(await ended(far)).toEqual({ reason: 'lost', here: false })
    expect(await ended(near)).toEqual({ reason: 'lost', here: false })
    expect(taken.length).toBeGreaterThan(0)
    expect(taken.length).toBeLessThan(20)
    expect(taken).toEqual(range(taken.length))
  })

  it('carries everything over a slow and narrow line', async () => {
    const { proxy, near, far } = await throughProxy({})
    const taken = take(far)
    proxy.latency(40)
    proxy.throttle(400_000)
    const started = performance.now()
    for (const number of range(50)) await near.send(numbered(number, 4_000))
    await vi.waitFor(() => expect(taken).toEqual(range(50)), 5_000)
    expect(performance.now() - started).toBeGreaterThan(300)
  })
})
