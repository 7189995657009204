// What nobody should send: garbage at every level of the channel ends connections and nothing else (safety S6).
// A long run sends 100,000 messages.
import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { connectTo, listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import type { ListeningDevice, TestDevice } from '../../../test/support/channel-devices.ts'
import { jsonPairCodec } from '../../../test/support/pair-codec.ts'
import { pairChannel } from './pairing.ts'
import { createInvite } from './pairing-invite.ts'
import type { Invite } from './pairing-invite.ts'
import { dialPeer, subprotocols } from './peer-dial.ts'
import type { PeerLink } from './peer-link.ts'
import { heldMemory } from '../../../test/support/held-memory.ts'
import { sized } from '../../../test/support/test-size.ts'

const messages = sized(1_600, 20_000, 100_000)
const connections = messages / 20
const megabyte = 1024 * 1024

/** Megabytes of living objects. */
function heap(): number {
  const { heap: used, external } = heldMemory()
  return (used + external) / megabyte
}

let home: ListeningDevice
let take: (link: PeerLink) => void
let friend: TestDevice

beforeEach(async () => {
  take = () => undefined
  home = await listenAs(await makeDevice(), {
    limits: { perAddress: 64, unproved: 64, proofMs: 2_000 },
    maxPairing: 32,
    onLink: (link) => take(link),
  })
  friend = await makeDevice()
  home.known.add(friend.fingerprint)
})

afterEach(() => home.listener.close())

const upgrade =
  `GET /channel HTTP/1.1\r\nHost: device\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n` +
  `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Protocol: ${subprotocols.peer}\r\n\r\n`

/** Frames no client may send; the first two bytes say kind and length. */
const frames: readonly (() => Buffer)[] = [
  // A length of 2^63 and more, which is negative where lengths have a sign.
  () => Buffer.concat([Buffer.from([0x82, 0xff]), Buffer.alloc(8, 0xff), randomBytes(64)]),
  // Four gigabytes, and one byte over the limit.
  () => Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0]), randomBytes(64)]),
  () => Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 1]), randomBytes(64)]),
  // Not masked, an unknown kind, reserved bits, a long ping, a continuation of nothing, a broken close.
  () => Buffer.concat([Buffer.from([0x82, 5]), randomBytes(5)]),
  () => Buffer.concat([Buffer.from([0x8b, 0x85]), randomBytes(9)]),
  () => Buffer.concat([Buffer.from([0xf2, 0x85]), randomBytes(9)]),
  () => Buffer.concat([Buffer.from([0x89, 0xfe, 1, 0]), randomBytes(260)]),
  () => Buffer.concat([Buffer.from([0x80, 0x85]), randomBytes(9)]),
  () => Buffer.concat([Buffer.from([0x88, 0x81]), randomBytes(5)]),
  // Half a frame, and then the end.
  () => Buffer.concat([Buffer.from([0x88, 0x80]), randomBytes(4)]),
]

const shows = (device: TestDevice) => ({ cert: device.identity.certificate, key: device.identity.privateKey })

async function untilClosed(socket: Socket): Promise<void> {
  socket.on('error', () => undefined)
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
}

/** Runs `count` of them, eight at a time. */
async function many(count: number, one: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await one((next += 1))
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

async function checkAlive(): Promise<void> {
  const { near, far } = await connectTo(home, friend)
  const taken: Uint8Array[] = []
  far.onMessage((message) => void taken.push(message))
  near.offer(Buffer.from('alive'))
  await vi.waitFor(() => expect(taken).toHaveLength(1))
  near.close()
  await new Promise((resolve) => far.onClose(resolve))
}

describe('garbage', () => {
  it(`in ${messages} messages of a known device goes to the consumer as it is and is forgotten`, async () => {
    const { near, far } = await connectTo(home, friend)
    let taken = 0
    let bytes = 0
    far.onMessage((message) => {
      taken += 1
      bytes += message.byteLength
    })
    for (let at = 0; at < 500; at += 1) await near.send(randomBytes(randomInt(2_000)))
    await vi.waitFor(() => expect(taken).toBe(500), 5_000)
    const before = heap()
    let sent = 0
    for (let at = 0; at < messages; at += 1) {
      const garbage = randomBytes(at % 1_000 === 0 ? 200_000 : randomInt(2_000))
      sent += garbage.length
      await near.send(garbage)
    }
    await vi.waitFor(() => expect(taken).toBe(500 + messages), 60_000)
    expect(bytes).toBeGreaterThan(sent)
    expect(heap() - before).toBeLessThan(20)
    expect(far.ended()).toBeUndefined()
  }, 300_000)

  it(`in the frames of ${connections} connections ends each of them`, async () => {
    take = (link) => link.onMessage(() => undefined)
    const before = heap()
    let ended = 0
    await many(connections, async (number) => {
      const channel = connectTls({ host: '127.0.0.1', port: home.port, rejectUnauthorized: false, ...shows(friend) })
      channel.on('error', () => undefined)
      channel.once('secureConnect', () => {
        channel.write(upgrade)
        channel.write(frames[number % frames.length]!())
      })
      await untilClosed(channel)
      ended += 1
    })
    expect(ended).toBe(connections)
    await vi.waitFor(() => expect(home.listener.links()).toEqual([]), 5_000)
    take = () => undefined
    home.links.length = 0
    expect(heap() - before).toBeLessThan(20)
    await checkAlive()
  }, 300_000)

  it(`in place of ${connections} handshakes ends each of them`, async () => {
    const before = heap()
    await many(connections, async (number) => {
      const raw = connectTcp(home.port, '127.0.0.1')
      raw.on('error', () => undefined)
      // A TLS record that names a length, then anything; or anything from the first byte on.
      const start = number % 2 === 0 ? Buffer.from([0x16, 3, 1, randomInt(256), randomInt(256)]) : Buffer.alloc(0)
      raw.end(Buffer.concat([start, randomBytes(1 + randomInt(600))]))
      await untilClosed(raw)
    })
    home.refusals.length = 0
    expect(heap() - before).toBeLessThan(20)
    expect(home.links).toEqual([])
    await checkAlive()
  }, 300_000)

  it(`in the pairing messages of ${connections} connections ends each of them and leaves the invite as it is`, async () => {
    const invite: Invite = createInvite({
      card: { name: 'Study', signKey: new Uint8Array(32) },
      clock: createManualClock(0),
      makePayload: () => Promise.reject(new Error('never')),
    })
    home.invites = true
    take = (link) => {
      if (link.purpose === 'pairing') invite.accept(pairChannel(link, jsonPairCodec))
    }
    const stranger = await makeDevice()
    const shapes = [
      () => randomBytes(randomInt(300)),
      () => Buffer.from(JSON.stringify({ kind: ['commit', 'reveal', 'refused', 'payload', 'x'][randomInt(5)] })),
      () => Buffer.from(JSON.stringify({ kind: 'commit', card: randomInt(9), commitment: null, proof: {} })),
      () => Buffer.from(JSON.stringify({ kind: 'commit', card: { name: randomInt(9), signKey: 'x' }, proof: [] })),
    ]
    const before = heap()
    await many(connections, async (number) => {
      const link = await dialPeer(
        { host: '127.0.0.1', port: home.port },
        { identity: stranger.identity, peer: home.fingerprint, purpose: 'pairing' },
      ).catch(() => undefined)
      if (link === undefined) return
      link.onMessage(() => undefined)
      for (let at = 0; at < 12; at += 1) link.offer(shapes[(number + at) % shapes.length]!())
      await new Promise((resolve) => link.onClose(resolve))
    })
    await vi.waitFor(() => expect(home.listener.links()).toEqual([]), 5_000)
    // The test's own notes of them.
    home.links.length = 0
    expect(heap() - before).toBeLessThan(20)
    expect(invite.view()).toMatchObject({ state: 'waiting', triesLeft: 3 })
    invite.cancel()
    await checkAlive()
  }, 300_000)
})
