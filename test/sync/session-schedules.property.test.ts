// Random schedules of machines that write, meet and lose each other: links are cut anywhere, messages are late and come
// twice. In the end all have the same, nobody is blamed, and at no moment anybody claims a proof that is none.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createLogger } from '#main/kernel/logger.ts'
import { createManualTimers } from '#main/replication/channel/timers.ts'
import type { ManualTimers } from '#main/replication/channel/timers.ts'
import { createPeerSession } from '#main/plugins/sync/session/peer-session.ts'
import type { PeerSession } from '#main/plugins/sync/session/peer-session.ts'
import { decodeFrame } from '#main/replication/wire/frame-codec.ts'
import { lacks } from '#main/replication/wire/vector-codec.ts'
import { createMemoryReplica, createTestWorkspace } from '../support/memory-replica.ts'
import type { MemoryReplica, TestWorkspace } from '../support/memory-replica.ts'
import { sized } from '../support/test-size.ts'
import { createVirtualLink } from '../support/virtual-link.ts'
import type { VirtualLink } from '../support/virtual-link.ts'

/** Schedules of a run; more of them by CAIRN_SCHEDULES. */
const schedules = Number(process.env['CAIRN_SCHEDULES'] ?? sized(20, 200, 1_000))

interface Meeting {
  readonly pair: readonly [number, number]
  readonly link: VirtualLink
  readonly sessions: readonly [PeerSession, PeerSession]
}

/** A generator of numbers that the seed alone decides. */
function numbers(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e_37_79_b9) | 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}

function meet(
  world: { readonly workspace: TestWorkspace; readonly timers: ManualTimers; readonly random: () => number },
  replicas: readonly MemoryReplica[],
  pair: readonly [number, number],
): Meeting {
  const { workspace, timers, random } = world
  const [one, two] = [replicas[pair[0]]!, replicas[pair[1]]!]
  const link = createVirtualLink([one.device, two.device], {
    random,
    turns: 4,
    twice: (message) => random() < 0.1 && ['ENV', 'ACK', 'DONE'].includes(decodeFrame(message).kind),
  })
  const session = (end: 0 | 1, own: MemoryReplica, other: MemoryReplica): PeerSession =>
    createPeerSession({
      link: link.ends[end],
      peer: other.device,
      kind: 'device',
      replica: own,
      keys: own.signer,
      roster: workspace,
      clock: { now: () => timers.now(), iso: () => new Date(timers.now()).toISOString() },
      timers,
      log: createLogger(),
      appVersion: '1.0.0',
    })
  return { pair, link, sessions: [session(0, one, two), session(1, two, one)] }
}

/** A proof is one: the peer has everything this machine has, and where it has no more, the same documents. */
function checkProofs(meetings: readonly Meeting[], replicas: readonly MemoryReplica[]): void {
  for (const { pair, sessions } of meetings)
    for (const end of [0, 1] as const) {
      if (sessions[end].status().proof === undefined) continue
      const [own, other] = [replicas[pair[end]]!, replicas[pair[1 - end]!]!]
      expect(lacks(other.vector(), own.vector())).toBe(false)
      if (!lacks(own.vector(), other.vector())) expect(other.content()).toEqual(own.content())
    }
}

async function proveSchedule(seed: number): Promise<void> {
  const random = numbers(seed)
  const workspace = createTestWorkspace()
  const timers = createManualTimers()
  const count = 2 + Math.floor(random() * 3)
  const replicas = Array.from({ length: count }, (_, index) => createMemoryReplica(workspace, index + 1))
  for (const { device, signer } of replicas)
    workspace.devices.set(device, { signKey: signer.signKey, fingerprint: device, isRevoked: false })
  let meetings: Meeting[] = []
  const pick = (): number => Math.floor(random() * count)
  const connect = (pair: readonly [number, number]): void => {
    if (meetings.some((one) => one.pair[0] === pair[0] && one.pair[1] === pair[1])) return
    meetings.push(meet({ workspace, timers, random }, replicas, pair))
  }
  const turn = async (): Promise<void> => {
    await nextTurn()
    timers.advance(20)
  }

  for (let step = 0; step < 40; step += 1) {
    const chance = random()
    const [a, b] = [pick(), pick()]
    if (chance < 0.4) replicas[a]!.write(`r/x/${pick()}`, `${a}:${step}`, `k${pick()}`)
    else if (chance < 0.5) replicas[a]!.writeMany(1 + Math.floor(random() * 30), `r/m${a}/`, 10)
    else if (chance < 0.75 && a !== b) connect([Math.min(a, b), Math.max(a, b)])
    else if (chance < 0.85 && meetings.length > 0) {
      const [cut] = meetings.splice(Math.floor(random() * meetings.length), 1)
      cut?.link.cut()
    } else for (let turns = Math.floor(random() * 30); turns > 0; turns -= 1) await turn()
    checkProofs(meetings, replicas)
  }
  // Those that were duplicated at a bad moment, or ended, meet again.
  for (const { link } of meetings) link.cut()
  meetings = []
  for (let index = 1; index < count; index += 1) connect([index - 1, index])
  const isProved = (): boolean =>
    meetings.every(({ sessions }) => sessions.every((one) => one.status().proof !== undefined))
  for (let turns = 0; turns < 2_000 && !isProved(); turns += 1) await turn()

  const [first, ...others] = replicas
  for (const other of others) {
    expect(other.vector(), `seed ${seed}`).toEqual(first!.vector())
    expect(other.content(), `seed ${seed}`).toEqual(first!.content())
  }
  expect(isProved(), `seed ${seed}`).toBe(true)
  for (const { sessions } of meetings)
    for (const session of sessions) expect(session.status(), `seed ${seed}`).toMatchObject({ refused: 0, repairs: 0 })
  expect(replicas.flatMap(({ forks }) => forks)).toEqual([])
  for (const { link } of meetings) link.cut()
}

it(`${schedules} schedules end with the same everywhere`, { timeout: schedules * 400 + 20_000 }, async () => {
  for (let seed = 1; seed <= schedules; seed += 1) await proveSchedule(seed)
})
