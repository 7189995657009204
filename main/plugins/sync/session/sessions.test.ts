// One state for all peers of a machine: what is shown follows what is so, and is never better than that. Time is told
// here, the links are in memory.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#main/kernel/logger.ts'
import { unexpectedFrame } from '../../../../test/support/wire-arbitraries.ts'
import type { MemoryReplica, TestWorkspace } from '../../../../test/support/memory-replica.ts'
import { createMemoryReplica, createTestWorkspace } from '../../../../test/support/memory-replica.ts'
import type { VirtualLink } from '../../../../test/support/virtual-link.ts'
import { createVirtualLink } from '../../../../test/support/virtual-link.ts'
import { statusOfSessions } from '../../../../test/support/session-status.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import type { ManualTimers } from '#main/replication/channel/timers.ts'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import type { Vector } from '#main/replication/core/types.ts'
import { encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Sessions } from './sessions.ts'
import { createSessions } from './sessions.ts'
import type { PeerSession } from './peer-session.ts'
import type { SessionHooks } from './types.ts'

interface Machine {
  readonly replica: MemoryReplica
  readonly sessions: Sessions
  readonly saved: Map<string, Vector>
  known: string[]
}

let workspace: TestWorkspace
let timers: ManualTimers
let a: Machine
let b: Machine
/** Milliseconds the clock of the second machine is ahead. */
let skew: number

function makeMachine(inc: number, saved = new Map<string, Vector>(), given?: MemoryReplica): Machine {
  const replica = given ?? createMemoryReplica(workspace, inc)
  workspace.devices.set(replica.device, {
    signKey: replica.signer.signKey,
    fingerprint: replica.device,
    isRevoked: false,
  })
  const sessions = createSessions({
    replica,
    keys: replica.signer,
    roster: workspace,
    clock: {
      now: () => 1_000_000 + timers.now() + (inc === 2 ? skew : 0),
      iso: () => new Date(1_000_000 + timers.now()).toISOString(),
    },
    timers,
    log: createLogger(),
    appVersion: '1.0.0',
    acks: { load: () => saved, save: (peer, acked) => void saved.set(peer, acked) },
    knownPeers: () => machine.known,
  })
  const machine: Machine = { replica, sessions, saved, known: [] }
  return machine
}

function connect(from: Machine, to: Machine): { link: VirtualLink; sessions: (PeerSession | undefined)[] } {
  const [one, two] = [from.replica.device, to.replica.device]
  if (!from.known.includes(two)) from.known.push(two)
  if (!to.known.includes(one)) to.known.push(one)
  const link = createVirtualLink([one, two], { random: () => 0.5, turns: 2 })
  return {
    link,
    sessions: [
      from.sessions.add(link.ends[0], { peer: two, kind: 'device' }),
      to.sessions.add(link.ends[1], { peer: one, kind: 'device' }),
    ],
  }
}

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 50) {
    timers.advance(50)
    for (let turn = 0; turn < 6; turn += 1) await nextTurn()
  }
}

beforeEach(() => {
  workspace = createTestWorkspace()
  timers = createManualTimers()
  skew = 0
  a = makeMachine(1)
  b = makeMachine(2)
})

describe('the state of a machine', () => {
  it('is local without peers and offline without connected ones, with what waits and since when', async () => {
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'local_only', outgoing: { waiting: 0 } })
    a.known = [b.replica.device]
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'offline', outgoing: { waiting: 0 } })
    a.replica.writeMany(3, 'r/a/')
    const since = new Date(1_000_000 + timers.now()).toISOString()
    await pass(3_000)
    a.replica.writeMany(2, 'r/a/')
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'offline', outgoing: { waiting: 5, oldestAt: since } })
  })

  it('is up to date only with the proof of every connected peer', async () => {
    const c = makeMachine(3)
    a.replica.writeMany(3, 'r/a/')
    connect(a, b)
    await pass(3_000)
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'up_to_date', proof: { with: [b.replica.device] } })
    const { link } = connect(a, c)
    expect(statusOfSessions(a.sessions).state).not.toBe('up_to_date')
    await pass(7_000)
    expect(statusOfSessions(a.sessions).proof?.with).toEqual([b.replica.device, c.replica.device])
    a.replica.write('r/a/1', 'x')
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'sending', outgoing: { waiting: 1 } })
    expect(statusOfSessions(a.sessions)).not.toHaveProperty('proof')
    await pass(200)
    expect(statusOfSessions(a.sessions)).toMatchObject({
      state: 'sending',
      reason: 'checking',
      outgoing: { waiting: 0 },
    })
    await pass(8_000)
    expect(statusOfSessions(a.sessions).state).toBe('up_to_date')
    link.cut()
    expect(statusOfSessions(a.sessions).proof?.with).toEqual([b.replica.device])
  })

  it('is receiving while the peer has more, with how much of how much', async () => {
    b.replica.storeMs = 0
    for (let run = 0; run < 8; run += 1) b.replica.writeMany(200, `r/b${run}/`, 900)
    connect(a, b)
    let seen: unknown
    for (let turn = 0; turn < 400 && seen === undefined; turn += 1) {
      await nextTurn()
      const { state, incoming } = statusOfSessions(a.sessions)
      if (state === 'receiving' && incoming.remaining > 0 && incoming.remaining < 1_600) seen = incoming
    }
    expect(seen).toMatchObject({ total: 1_600, partial: true })
    await pass(3_000)
    expect(statusOfSessions(a.sessions)).toMatchObject({
      state: 'up_to_date',
      incoming: { remaining: 0, partial: false },
    })
  })

  it('is stalled after a minute without progress, says why, and tells of it by itself', async () => {
    const { sessions } = connect(a, b)
    await pass(3_000)
    a.replica.write('r/a/0', 'x')
    await pass(90_000)
    expect(statusOfSessions(a.sessions).state).toBe('up_to_date')
    b.replica.receive = () => new Promise(() => undefined)
    a.replica.write('r/a/1', 'x')
    expect(statusOfSessions(a.sessions).state).toBe('sending')
    await pass(1_000)
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'sending', outgoing: { waiting: 1 } })
    const heard = vi.fn<() => void>()
    a.sessions.onChange(heard)
    await pass(50_000)
    expect(statusOfSessions(a.sessions).state).toBe('sending')
    heard.mockClear()
    await pass(20_000)
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'stalled', reason: 'not_acknowledged' })
    expect(heard).toHaveBeenCalled()
    sessions[0]!.close()
    await pass(100)
    expect(statusOfSessions(a.sessions).state).toBe('offline')
  })

  it('needs attention while something lies aside, or a peer cannot be spoken to', async () => {
    connect(a, b)
    await pass(3_000)
    a.replica.backlog = () => ({ waiting: 0, parked: 1, quarantined: 0 })
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'attention', reason: 'problems' })
    a.replica.backlog = () => ({ waiting: 0, parked: 0, quarantined: 0 })
    expect(statusOfSessions(a.sessions).state).toBe('up_to_date')
    a.replica.unprojected = () => ({ waiting: 1, isTrying: false })
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'attention', reason: 'not_projected' })
    expect(statusOfSessions(a.sessions).proof).toBeUndefined()
    a.replica.unprojected = () => ({ waiting: 1, isTrying: true })
    expect(statusOfSessions(a.sessions).state).toBe('receiving')
    a.replica.unprojected = () => ({ waiting: 0, isTrying: false })
    expect(statusOfSessions(a.sessions).state).toBe('up_to_date')
    workspace.devices.set(b.replica.device, { ...workspace.devices.get(b.replica.device)!, isRevoked: true })
    connect(a, b)
    await pass(200)
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'attention', reason: 'device_revoked' })
    a.sessions.forget(b.replica.device)
    a.known = []
    expect(statusOfSessions(a.sessions).state).toBe('local_only')
  })
})

describe('what is remembered of peers', () => {
  it('is what each has acknowledged, over restarts too', async () => {
    a.replica.writeMany(4, 'r/a/')
    connect(a, b)
    await pass(3_000)
    expect(a.saved.get(b.replica.device)).toEqual(new Map([[1, 4]]))
    expect(a.sessions.missingOn({ inc: 1, seq: 4 })).toEqual([])
    expect(a.sessions.missingOn({ inc: 1, seq: 5 })).toEqual([b.replica.device])
    a.known.push('never seen')
    expect(a.sessions.missingOn({ inc: 1, seq: 4 })).toEqual(['never seen'])
    await a.sessions.stop()
    const again = makeMachine(1, a.saved, a.replica)
    again.known = [b.replica.device]
    expect(again.sessions.missingOn({ inc: 1, seq: 4 })).toEqual([])
    expect(statusOfSessions(again.sessions)).toMatchObject({ state: 'offline', outgoing: { waiting: 0 } })
  })

  it('is less when a peer has lost something, and it gets it again', async () => {
    a.replica.writeMany(4, 'r/a/')
    const again = makeMachine(1, new Map([[b.replica.device, new Map([[1, 4]])]]), a.replica)
    again.known = [b.replica.device]
    expect(again.sessions.missingOn({ inc: 1, seq: 4 })).toEqual([])
    const { receive } = b.replica
    b.replica.receive = () => new Promise(() => undefined)
    const { link } = connect(again, b)
    await pass(500)
    expect(again.sessions.missingOn({ inc: 1, seq: 4 })).toEqual([b.replica.device])
    link.cut()
    b.replica.receive = receive
    connect(again, b)
    await pass(3_000)
    expect(b.replica.content()).toEqual(a.replica.content())
    expect(again.sessions.missingOn({ inc: 1, seq: 4 })).toEqual([])
  })

  it('is nothing of another log under the number of this machine (D-232)', async () => {
    a.replica.writeMany(4, 'r/a/')
    connect(a, b)
    await pass(3_000)
    const { device } = b.replica
    const putBack = createMemoryReplica(workspace, 1)
    putBack.write('r/a/0', 'x')
    const again = makeMachine(1, new Map([[device, new Map([[1, 1]])]]), putBack)
    const { link } = connect(again, b)
    await pass(500)
    putBack.writeMany(2, 'r/c/')
    expect(again.sessions.missingOn({ inc: 1, seq: 2 })).toEqual([device])
    link.cut()
    connect(again, b)
    expect(again.sessions.ackedBefore(device)).toEqual(new Map([[1, 1]]))
  })

  it('is why it is paused, for a while or until somebody resumes', async () => {
    const { link } = connect(a, b)
    await pass(3_000)
    for (let count = 0; count < 22; count += 1)
      while (!link.ends[1].offer(encodeFrame(unexpectedFrame)) && link.ends[1].ended() === undefined);
    await pass(200)
    expect(a.sessions.pausedFor(b.replica.device)).toBe('unexpected')
    expect(statusOfSessions(a.sessions)).toMatchObject({ state: 'attention', reason: 'unexpected' })
    expect(connect(a, b).sessions[0]).toBeUndefined()
    a.sessions.resume(b.replica.device)
    expect(connect(a, b).sessions[0]).toBeDefined()
    await pass(3_000)
    expect(statusOfSessions(a.sessions).state).toBe('up_to_date')
  })

  it('is not that it is paused when somebody resumed before its link had ended', async () => {
    const { device } = b.replica
    b.known.push(a.replica.device)
    const { ends } = createVirtualLink([a.replica.device, device], { random: () => 0.5, turns: 2 })
    // A real link closes with a handshake: this end hears of it later than the other one.
    const late: (() => void)[] = []
    const near: PeerLink = {
      ...ends[0],
      onClose: (listener) => ends[0].onClose((close) => void late.push(() => listener(close))),
    }
    a.sessions.add(near, { peer: device, kind: 'device' })
    b.sessions.add(ends[1], { peer: a.replica.device, kind: 'device' })
    await pass(3_000)
    for (let count = 0; count < 22; count += 1)
      while (!ends[1].offer(encodeFrame(unexpectedFrame)) && ends[1].ended() === undefined);
    await pass(200)
    expect(a.sessions.pausedFor(device)).toBe('unexpected')
    expect(late.length).toBeGreaterThan(0)
    a.sessions.resume(device)
    for (const end of late) end()
    expect(a.sessions.of(device)).toBeUndefined()
    expect(a.sessions.pausedFor(device)).toBeUndefined()
  })

  it('is the median of the last clocks', async () => {
    for (const offset of [3_600_000, 0, 20, -900_000, 10, 30, 40]) {
      skew = offset
      const { link } = connect(a, b)
      await pass(2_000)
      link.cut()
    }
    // Of the last five measures: 20, -900,000, 10, 30 and 40, each with half of the way there and back.
    expect(Math.abs(a.sessions.clockOffset(b.replica.device)! - 20)).toBeLessThan(100)
    skew = 3_600_000
    connect(a, b)
    await pass(2_000)
    expect(a.sessions.of(b.replica.device)!.status().clockOffsetMs).toBeGreaterThan(3_500_000)
    expect(Math.abs(a.sessions.clockOffset(b.replica.device)! - 30)).toBeLessThan(100)
  })
})

describe('all sessions together', () => {
  it('wait for a barrier on as many as are asked for', async () => {
    const c = makeMachine(3)
    connect(a, b)
    connect(a, c)
    await pass(3_000)
    c.replica.receive = () => new Promise(() => undefined)
    a.replica.write('r/a/1', 'x')
    const peers = [b.replica.device, c.replica.device]
    const any = a.sessions.barrier(5_000, peers, 1)
    await pass(500)
    expect(await any).toMatchObject({ reached: true, durableOn: [b.replica.device], missing: [c.replica.device] })
    const all = a.sessions.barrier(5_000, peers)
    await pass(6_000)
    expect(await all).toMatchObject({ reached: false, durableOn: [b.replica.device], missing: [c.replica.device] })
    expect(await a.sessions.barrier(5_000, [])).toMatchObject({ reached: false })
  })

  it('verify with every connected peer', async () => {
    const c = makeMachine(3)
    connect(a, b)
    connect(a, c)
    await pass(6_000)
    const proofs = a.sessions.verify(5_000)
    await pass(6_000)
    expect((await proofs).map(({ peer }) => peer).sort()).toEqual([b.replica.device, c.replica.device].sort())
    const one = a.sessions.verify(5_000, b.replica.device)
    await pass(6_000)
    expect((await one).map(({ peer }) => peer)).toEqual([b.replica.device])
  })

  it('end at once over a link that ended while it was taken', async () => {
    const [one, two] = [a.replica.device, b.replica.device]
    a.known.push(two)
    const link = createVirtualLink([one, two], { random: () => 0.5, turns: 2 })
    link.cut()
    await pass(50)
    expect(a.sessions.add(link.ends[0], { peer: two, kind: 'device' })?.peer).toBe(two)
    expect(a.sessions.all()).toEqual([])
    expect(statusOfSessions(a.sessions).state).toBe('offline')
    await a.sessions.stop()
  })

  it('carry open texts to all, and take nothing more once stopped', async () => {
    const c = makeMachine(3)
    const heard: string[] = []
    const hooks: SessionHooks = {
      onLive: (_peer, doc) => void heard.push(doc),
      onAware: (_peer, doc) => void heard.push(doc),
    }
    const listening = createSessions({
      replica: c.replica,
      keys: c.replica.signer,
      roster: workspace,
      clock: { now: () => 0, iso: () => '' },
      timers,
      log: createLogger(),
      appVersion: '1',
      acks: { load: () => [], save: () => undefined },
      knownPeers: () => [a.replica.device],
      hooks,
    })
    connect(a, { ...c, sessions: listening })
    await pass(1_000)
    const session = a.sessions.of(c.replica.device)!
    session.sendLive('t/a', new Uint8Array(2))
    session.sendAware('t/b', new Uint8Array(2))
    await pass(200)
    expect(heard).toEqual(['t/a', 't/b'])
    await a.sessions.stop()
    await pass(200)
    expect(a.sessions.all()).toEqual([])
    expect(connect(a, b).sessions[0]).toBeUndefined()
  })
})
