// Two devices are paired over real TLS: the whole way, every wrong turn, and somebody in the middle.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import type { ManualClock } from '#main/kernel/clock.ts'
import { listenAs, makeDevice } from '../../../test/support/channel-devices.ts'
import type { ListeningDevice, TestDevice } from '../../../test/support/channel-devices.ts'
import { jsonPairCodec } from '../../../test/support/pair-codec.ts'
import { pairChannel } from './pairing.ts'
import type { PairCard, PairChannel, PairingView, PairMessage } from './pairing.ts'
import { createInvite } from './pairing-invite.ts'
import type { Invite, InviteOptions } from './pairing-invite.ts'
import { joinPairing } from './pairing-join.ts'
import type { JoinOptions, Joining } from './pairing-join.ts'
import { commitmentOf, comparisonOf, makeCode, parseCode, proofOf } from './pairing-proofs.ts'
import { dialPeer } from './peer-dial.ts'
import { createManualTimers } from './timers.ts'
import type { ManualTimers } from './timers.ts'

const card = (name: string): PairCard => ({ name, signKey: new Uint8Array(32).fill(name.length) })
const payload = Buffer.from('the workspace')

let home: ListeningDevice
let joiner: TestDevice
let middle: TestDevice
let timers: ManualTimers
let clock: ManualClock
let invite: Invite
let made: number
const open: ListeningDevice[] = []

beforeAll(async () => {
  ;[joiner, middle] = await Promise.all([makeDevice(), makeDevice()])
})

beforeEach(async () => {
  timers = createManualTimers()
  clock = createManualClock(1_000_000)
  made = 0
  home = await listenAs(await makeDevice(), {
    onLink: (link) => invite.accept(pairChannel(link, jsonPairCodec)),
  })
  home.invites = true
  open.push(home)
  makeInvite()
})

afterEach(async () => {
  for (const device of open.splice(0)) await device.listener.close()
})

function makeInvite(options: Partial<InviteOptions> = {}): void {
  invite = createInvite({
    card: card('Study'),
    clock,
    timers,
    makePayload: () => {
      made += 1
      return Promise.resolve(new Uint8Array(payload))
    },
    ...options,
  })
}

/** Moves both the clock and the timers. */
function pass(ms: number): void {
  clock.advance(ms)
  timers.advance(ms)
}

async function dial(to: ListeningDevice = home, as: TestDevice = joiner): Promise<PairChannel> {
  const link = await dialPeer(
    { host: '127.0.0.1', port: to.port },
    { identity: as.identity, peer: null, purpose: 'pairing' },
  )
  return pairChannel(link, jsonPairCodec)
}

interface Joined {
  joining: Joining
  taken: Uint8Array[]
}

async function join(options: Partial<JoinOptions> = {}): Promise<Joined> {
  const taken: Uint8Array[] = []
  const channel = options.channel ?? (await dial())
  const joining = joinPairing({
    code: invite.code,
    channel,
    card: card('Laptop'),
    clock,
    timers,
    takePayload: (bytes) => {
      taken.push(bytes)
      return Promise.resolve()
    },
    ...options,
  })
  return { joining, taken }
}

/** A channel on which the test itself says what is sent; resolves with what comes. */
async function ownHand(): Promise<{ channel: PairChannel; came: PairMessage[]; isClosed: () => boolean }> {
  const channel = await dial()
  const came: PairMessage[] = []
  let closed = false
  channel.onMessage((message) => void came.push(message))
  channel.onClose(() => void (closed = true))
  return { channel, came, isClosed: () => closed }
}

const nonce = new Uint8Array(32).fill(7)
const commit = (channel: PairChannel, code: string): PairMessage => ({
  kind: 'commit',
  card: card('Laptop'),
  commitment: commitmentOf(nonce),
  proof: proofOf(channel.secret, code),
})
const wrong = (code: string): string => String((Number(code) + 1) % 10_000_000).padStart(7, '0')
const expectState = (view: () => PairingView, expected: Partial<PairingView>): Promise<void> =>
  vi.waitFor(() => expect(view()).toMatchObject(expected))

async function untilComparing(joined: Joined): Promise<void> {
  await expectState(joined.joining.view, { state: 'comparing' })
  await expectState(invite.view, { state: 'comparing' })
}

describe('pairing', () => {
  it('shows the same number on both sides, and hands over only after both people confirmed', async () => {
    const joined = await join()
    await untilComparing(joined)
    const here = invite.view()
    const there = joined.joining.view()
    expect(here.comparison).toMatch(/^\d{6}$/)
    expect(there.comparison).toBe(here.comparison)
    expect(here.peer).toMatchObject({ name: 'Laptop', fingerprint: joiner.fingerprint })
    expect(there.peer).toMatchObject({ name: 'Study', fingerprint: home.fingerprint })
    expect(here.peer!.signKey).toEqual(card('Laptop').signKey)

    expect(invite.confirm(true)).toBe(true)
    expect(invite.view().state).toBe('confirmed')
    expect([made, joined.taken.length]).toEqual([0, 0])
    expect(joined.joining.confirm(true)).toBe(true)
    await expectState(joined.joining.view, { state: 'done' })
    await expectState(invite.view, { state: 'done' })
    expect(made).toBe(1)
    expect(joined.taken.map((bytes) => Buffer.from(bytes).toString())).toEqual(['the workspace'])
    expect(timers.pending()).toBe(0)
  })

  it('is the same when the joining person confirms first', async () => {
    const joined = await join()
    await untilComparing(joined)
    joined.joining.confirm(true)
    expect(joined.joining.view().state).toBe('confirmed')
    expect(made).toBe(0)
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect([made, invite.view().state]).toEqual([0, 'comparing'])
    invite.confirm(true)
    await expectState(invite.view, { state: 'done' })
    expect(joined.joining.view().state).toBe('done')
  })

  it('tells of each state once, in order', async () => {
    const states: string[] = []
    makeInvite({ changed: ({ state }) => void states.push(state) })
    const joined = await join()
    await untilComparing(joined)
    invite.confirm(true)
    joined.joining.confirm(true)
    await expectState(invite.view, { state: 'done' })
    expect(states).toEqual(['comparing', 'confirmed', 'transferring', 'done'])
  })

  it.each(['inviter', 'joiner'] as const)('ends on both sides when the %s sees another number', async (side) => {
    const joined = await join()
    await untilComparing(joined)
    if (side === 'inviter') invite.confirm(false)
    else joined.joining.confirm(false)
    await expectState(invite.view, { state: 'failed', reason: 'not_matching' })
    await expectState(joined.joining.view, { state: 'failed', reason: 'not_matching' })
    expect(invite.confirm(true)).toBe(false)
    expect(joined.joining.confirm(true)).toBe(false)
    expect(made).toBe(0)
  })

  it.each(['inviter', 'joiner'] as const)('ends on both sides when the %s gives up', async (side) => {
    const joined = await join()
    await untilComparing(joined)
    if (side === 'inviter') invite.cancel()
    else joined.joining.cancel()
    await expectState(invite.view, { state: 'failed', reason: 'cancelled' })
    await expectState(joined.joining.view, { state: 'failed', reason: 'cancelled' })
  })

  it('fails on both sides when the payload cannot be made or taken', async () => {
    makeInvite({ makePayload: () => Promise.reject(new Error('no backup')) })
    const first = await join()
    await untilComparing(first)
    invite.confirm(true)
    first.joining.confirm(true)
    await expectState(invite.view, { state: 'failed', reason: 'payload' })
    await expectState(first.joining.view, { state: 'failed', reason: 'payload' })

    makeInvite()
    const second = await join({ takePayload: () => Promise.reject(new Error('not empty')) })
    await untilComparing(second)
    invite.confirm(true)
    second.joining.confirm(true)
    await expectState(second.joining.view, { state: 'failed', reason: 'payload' })
    await expectState(invite.view, { state: 'failed', reason: 'payload' })
  })

  it('fails when the connection ends in between', async () => {
    const joined = await join()
    await untilComparing(joined)
    home.links[0]!.close('stopping')
    await expectState(joined.joining.view, { state: 'failed', reason: 'connection' })
    await expectState(invite.view, { state: 'failed', reason: 'connection' })
  })
})

describe('a code', () => {
  it('has seven digits and is read however it was typed', () => {
    const codes = Array.from({ length: 200 }, makeCode)
    expect(codes.every((code) => /^\d{7}$/.test(code))).toBe(true)
    expect(new Set(codes).size).toBeGreaterThan(190)
    expect(parseCode(' 123 45-67 ')).toBe('1234567')
    for (const text of ['', '123456', '12345678', '123456a', '١٢٣٤٥٦٧']) expect(parseCode(text)).toBeUndefined()
  })

  it('is forgiven twice when wrong, and kills the invite the third time', async () => {
    for (const left of [2, 1, 0]) {
      const { joining } = await join({ code: wrong(invite.code) })
      await expectState(joining.view, { state: 'failed', reason: 'code_invalid', triesLeft: left })
      expect(invite.view().triesLeft).toBe(left)
    }
    expect(invite.view()).toMatchObject({ state: 'failed', reason: 'too_many_tries' })
    expect(invite.isOpen()).toBe(false)
    const { joining } = await join()
    await expectState(joining.view, { state: 'failed', reason: 'used' })
  })

  it('is still good after two wrong tries', async () => {
    for (const _ of [1, 2]) {
      const { joining } = await join({ code: wrong(invite.code) })
      await expectState(joining.view, { state: 'failed' })
    }
    await untilComparing(await join())
    expect(invite.view().triesLeft).toBe(1)
  })

  it('serves one device', async () => {
    const first = await join()
    await untilComparing(first)
    const second = await join()
    await expectState(second.joining.view, { state: 'failed', reason: 'used' })
    expect(invite.view()).toMatchObject({ state: 'comparing' })
    expect(first.joining.view().state).toBe('comparing')
  })

  it('is no good after five minutes', async () => {
    expect(invite.view().expiresAt).toBe(1_300_000)
    pass(299_999)
    expect(invite.isOpen()).toBe(true)
    pass(1)
    expect(invite.view()).toMatchObject({ state: 'expired', reason: 'expired' })
    const { joining } = await join()
    await expectState(joining.view, { state: 'expired', reason: 'expired' })
  })

  it('is no good after five minutes of which the machine slept', async () => {
    clock.advance(300_000)
    const { joining } = await join()
    await expectState(joining.view, { state: 'expired' })
    expect(invite.view().state).toBe('expired')
  })

  it('leaves another five minutes to compare', async () => {
    pass(200_000)
    const joined = await join()
    await untilComparing(joined)
    pass(299_000)
    expect(invite.view().state).toBe('comparing')
    pass(1_000)
    await expectState(invite.view, { state: 'expired' })
    await expectState(joined.joining.view, { state: 'expired' })
    expect(invite.confirm(true)).toBe(false)
  })
})

describe('messages out of turn', () => {
  it('are refused when they come again on the same connection', async () => {
    const { channel, came, isClosed } = await ownHand()
    channel.send(commit(channel, invite.code))
    await vi.waitFor(() => expect(came[0]?.kind).toBe('challenge'))
    channel.send(commit(channel, invite.code))
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(invite.view()).toMatchObject({ state: 'failed', reason: 'protocol' })
    expect(made).toBe(0)
  })

  it('are refused when they come again on another connection, and count as a wrong code', async () => {
    const first = await ownHand()
    const replayed = commit(first.channel, invite.code)
    const second = await ownHand()
    second.channel.send(replayed)
    await vi.waitFor(() => expect(second.came).toEqual([{ kind: 'refused', reason: 'code_invalid', triesLeft: 2 }]))
    expect(invite.view()).toMatchObject({ state: 'waiting', triesLeft: 2 })
  })

  it('are refused when the nonce is not the one committed to', async () => {
    const { channel, came, isClosed } = await ownHand()
    channel.send(commit(channel, invite.code))
    await vi.waitFor(() => expect(came[0]?.kind).toBe('challenge'))
    channel.send({ kind: 'reveal', nonce: new Uint8Array(32).fill(8) })
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(invite.view()).toMatchObject({ state: 'failed', reason: 'protocol' })
  })

  it('are refused when the nonce is shown twice', async () => {
    const { channel, came, isClosed } = await ownHand()
    channel.send(commit(channel, invite.code))
    await vi.waitFor(() => expect(came[0]?.kind).toBe('challenge'))
    channel.send({ kind: 'reveal', nonce })
    await expectState(invite.view, { state: 'comparing' })
    channel.send({ kind: 'reveal', nonce })
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(invite.view()).toMatchObject({ state: 'failed', reason: 'protocol' })
  })

  it.each<[string, PairMessage]>([
    ['a nonce before a commitment', { kind: 'reveal', nonce }],
    ['a confirmation before a comparison', { kind: 'confirmed' }],
    ['a receipt', { kind: 'received' }],
    ['a challenge', { kind: 'challenge', card: card('x'), nonce }],
    ['a payload', { kind: 'payload', payload: new Uint8Array(1) }],
    ['something unknown', { kind: 'other' } as unknown as PairMessage],
  ])('are refused as the first: %s', async (_what, message) => {
    const { channel, came, isClosed } = await ownHand()
    channel.send(message)
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(came).toEqual([{ kind: 'refused', reason: 'protocol' }])
    // Nobody showed the code, so the invite is as it was.
    expect(invite.view()).toMatchObject({ state: 'waiting', triesLeft: 3 })
  })

  it.each<[string, Partial<PairMessage & { kind: 'commit' }>]>([
    ['without a name', { card: { name: ' ', signKey: new Uint8Array(32) } }],
    ['with a name that turns the line around', { card: { name: 'Study\u202Eresu', signKey: new Uint8Array(32) } }],
    ['with a very long name', { card: { name: 'x'.repeat(101), signKey: new Uint8Array(32) } }],
    ['with half a key', { card: { name: 'x', signKey: new Uint8Array(16) } }],
    ['with a short commitment', { commitment: new Uint8Array(31) }],
    ['with a long proof', { proof: new Uint8Array(33) }],
    ['without a card', { card: undefined as unknown as PairCard }],
  ])('refuse a commitment %s', async (_what, change) => {
    const { channel, isClosed } = await ownHand()
    channel.send({ ...commit(channel, invite.code), ...change } as PairMessage)
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(invite.view()).toMatchObject({ state: 'waiting', triesLeft: 3 })
  })

  it('take nothing from the inviting side before the person here confirmed', async () => {
    const away = await listenAs(middle, {
      onLink(link) {
        const channel = pairChannel(link, jsonPairCodec)
        channel.onMessage((message) => {
          if (message.kind === 'commit') channel.send({ kind: 'challenge', card: card('Study'), nonce })
          if (message.kind === 'reveal') channel.send({ kind: 'payload', payload: new Uint8Array(payload) })
        })
      },
    })
    away.invites = true
    open.push(away)
    const { joining, taken } = await join({ channel: await dial(away) })
    await expectState(joining.view, { state: 'failed', reason: 'protocol' })
    expect(taken).toEqual([])
  })

  it('end a connection on which nothing comes', async () => {
    const { came, isClosed } = await ownHand()
    await vi.waitFor(() => expect(home.links).toHaveLength(1))
    timers.advance(10_000)
    await vi.waitFor(() => expect(isClosed()).toBe(true))
    expect(came).toEqual([{ kind: 'refused', reason: 'protocol' }])
    expect(invite.isOpen()).toBe(true)
  })
})

describe('somebody in the middle', () => {
  /** Ends TLS on both sides with a certificate of its own, and does with the messages what it likes. */
  async function stand(meet: (toJoiner: PairChannel, toHome: PairChannel) => void): Promise<ListeningDevice> {
    const device = await listenAs(middle, {
      onLink: (link) => void dial(home, middle).then((toHome) => meet(pairChannel(link, jsonPairCodec), toHome)),
    })
    device.invites = true
    open.push(device)
    return device
  }

  it('that forwards what it hears has proved nothing', async () => {
    const device = await stand((toJoiner, toHome) => {
      toJoiner.onMessage((message) => toHome.send(message))
      toHome.onMessage((message) => toJoiner.send(message))
    })
    const { joining } = await join({ channel: await dial(device) })
    await expectState(joining.view, { state: 'failed', reason: 'code_invalid' })
    expect(invite.view()).toMatchObject({ state: 'waiting', triesLeft: 2 })
  })

  it('that has found out the code makes the two numbers differ', async () => {
    // The proof of the joiner lets whoever ends its TLS try all codes: it is taken to know the code here.
    const { code } = invite
    const own = new Uint8Array(32).fill(9)
    const device = await stand((toJoiner, toHome) => {
      toHome.send({
        kind: 'commit',
        card: card('Laptop'),
        commitment: commitmentOf(own),
        proof: proofOf(toHome.secret, code),
      })
      toHome.onMessage((message) => {
        if (message.kind !== 'challenge') return
        toHome.send({ kind: 'reveal', nonce: own })
        // The best it can do: hand on the nonce of the inviting side.
        toJoiner.onMessage((fromJoiner) => {
          if (fromJoiner.kind === 'commit') toJoiner.send(message)
        })
      })
    })
    const { joining, taken } = await join({ channel: await dial(device) })
    await expectState(joining.view, { state: 'comparing' })
    await expectState(invite.view, { state: 'comparing' })
    const numbers = [invite.view().comparison, joining.view().comparison]
    expect(numbers[0]).not.toBe(numbers[1])
    expect(joining.view().peer!.fingerprint).toBe(middle.fingerprint)
    expect(invite.view().peer!.fingerprint).toBe(middle.fingerprint)
    // The people see two numbers and say so.
    joining.confirm(false)
    invite.confirm(false)
    expect(invite.view().state).toBe('failed')
    expect([made, taken.length]).toEqual([0, 0])
  })

  it('that hands on every message but the proof makes the two numbers differ', async () => {
    const { code } = invite
    const device = await stand((toJoiner, toHome) => {
      toJoiner.onMessage((message) =>
        toHome.send(message.kind === 'commit' ? { ...message, proof: proofOf(toHome.secret, code) } : message),
      )
      toHome.onMessage((message) => toJoiner.send(message))
    })
    const { joining } = await join({ channel: await dial(device) })
    await expectState(joining.view, { state: 'comparing' })
    await expectState(invite.view, { state: 'comparing' })
    expect(invite.view().comparison).not.toBe(joining.view().comparison)
  })

  it('cannot choose its nonce after it saw the other one, so the numbers are spread evenly', () => {
    const counts = new Map<string, number>()
    const lengths = new Set<number>()
    const secret = new Uint8Array(32).fill(1)
    for (let at = 0; at < 20_000; at += 1) {
      const ofJoiner = new Uint8Array(32)
      new DataView(ofJoiner.buffer).setUint32(0, at)
      const comparison = comparisonOf(secret, nonce, ofJoiner)
      lengths.add(comparison.length)
      counts.set(comparison[0]!, (counts.get(comparison[0]!) ?? 0) + 1)
    }
    expect([...lengths]).toEqual([6])
    expect(counts.size).toBe(10)
    for (const count of counts.values()) expect(Math.abs(count - 2_000)).toBeLessThan(250)
  })
})
