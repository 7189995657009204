// How long machines take to come even: the first time, after a pause with changes, and after one without.
import { setTimeout as pause } from 'node:timers/promises'
import { median } from './figures.ts'
import { openWire, runLoad } from './load.ts'
import type { WireRequest } from './load.ts'
import { anyId } from './measures.ts'
import { fixedId, newRows } from './rows.ts'
import { processorMs } from './servers.ts'
import { percentileOf } from './goal-figures.ts'
import type { GoalFigure } from './goal-figures.ts'
import { hasApplied, otherDevice, until, upToDate } from './sync-host.ts'
import type { SyncHost } from './sync-host.ts'
import { editAt, setPaused } from './sync-world.ts'
import type { Pair, SyncStep, World } from './sync-world.ts'
import { seedSeries } from './targets.ts'
import type { Target } from './targets.ts'

async function measureGenesis(world: World): Promise<GoalFigure[]> {
  const { genesis } = await world.founder()
  const { made, seconds, allSeconds } = genesis
  const note = `${made.toLocaleString('en-US')} in ${seconds.toFixed(2)} s; ${allSeconds.toFixed(1)} s with the backup before`
  return [
    {
      id: 'genesis',
      label: 'documents of what exists, turning sync on',
      unit: 'records/s',
      value: made / seconds,
      goal: ['higher', 4_800],
      note,
    },
  ]
}

/** Goals of times are for a hundred thousand records and ten thousand changes; smaller runs are held to their share. */
const share = (count: number, of: number): number => Math.min(1, count / of)

async function measureFirst(world: World): Promise<GoalFigure[]> {
  const { first } = await world.pair()
  const records = world.rows.toLocaleString('en-US')
  return [
    {
      id: 'first',
      label: `first sync of ${records} records, applied`,
      unit: 's',
      value: first.appliedMs / 1_000,
      goal: ['lower', 15 * share(world.rows, 100_000)],
      note: `${(first.bytes / 1e6).toFixed(1)} MB, ${first.total} changes known, CPU ${(first.cpuMs / 1_000).toFixed(1)} s, ${(first.cpuMs / world.fillCpuMs(world.rows)).toFixed(2)}x of making them without sync, status said so after ${(first.toldMs / 1_000).toFixed(1)} s, proved after ${(first.provedMs / 1_000).toFixed(1)} s`,
    },
    {
      id: 'first-readable',
      label: 'first sync, first records readable',
      unit: 's',
      value: first.readableMs / 1_000,
      goal: ['lower', 2],
    },
    {
      id: 'first-memory',
      label: 'memory above rest during the first sync, joiner',
      unit: 'MiB',
      value: first.peakMiB.laptop,
      goal: ['lower', 150],
      note: `the other one ${first.peakMiB.desk.toFixed(0)} MiB`,
    },
  ]
}

/** What a catch-up took. */
interface CatchUp {
  readonly seconds: number
  readonly bytes: number
  /** Processor time of the machine that catches up. */
  readonly cpuMs: number
  /** Times of reads on it meanwhile. */
  readonly reads: readonly number[]
}

/** Reads one record after the other on a machine until told to stop; answers the times. */
async function readUntil(host: SyncHost, rows: number, isOver: () => boolean): Promise<number[]> {
  const wire = await openWire(host.server.port)
  const times: number[] = []
  while (!isOver()) {
    const sentAt = performance.now()
    await wire.send(host.target.get(anyId(rows)).bytes)
    times.push(performance.now() - sentAt)
    await pause(5)
  }
  wire.close()
  return times
}

/** Processor time of the same writes on a host of the same records that shares them with nobody. */
async function alone(world: World, requestsOf: (target: Target) => readonly WireRequest[]): Promise<number> {
  const host = await world.start('plain', world.copyOf(await world.filled(world.rows)))
  const requests = requestsOf(host.target)
  const before = processorMs(host.server.pid)
  await runLoad(host.server.port, 16, { requests: requests.length }, (index) => requests[index]!)
  const cpuMs = processorMs(host.server.pid) - before
  await world.stop(host)
  return cpuMs
}

/** Pauses the laptop, writes on the desk, and lets the laptop catch up. @param reads the records to read meanwhile, if any */
async function catchUp(pair: Pair, requests: readonly WireRequest[], reads?: number): Promise<CatchUp> {
  const { desk, laptop } = pair
  await upToDate(desk, laptop)
  await setPaused(pair, true)
  await runLoad(desk.server.port, 16, { requests: requests.length }, (index) => requests[index]!)
  const { outgoing } = await desk.call('GET', '/sync/status')
  if (outgoing.waiting < requests.length) throw new Error(`only ${outgoing.waiting} changes wait`)
  const before = processorMs(laptop.server.pid)
  let isOver = false
  const startedAt = performance.now()
  await setPaused(pair, false)
  const reading = reads === undefined ? Promise.resolve([]) : readUntil(laptop, reads, () => isOver)
  await until('everything is applied', () => hasApplied(laptop))
  const seconds = (performance.now() - startedAt) / 1_000
  isOver = true
  const cpuMs = processorMs(laptop.server.pid) - before
  const { bytesIn, bytesOut } = await otherDevice(laptop)
  return { seconds, cpuMs, bytes: bytesIn + bytesOut, reads: await reading }
}

/** Checks that a record reads the same on both. @throws Error that shows both */
async function compareRecord({ desk, laptop }: Pair, id: string): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [desk, laptop].map(async (host) => {
      const { status, body } = await host.tryCall('GET', `/data/task/${id}`)
      const { title, status: word, priority } = body.record ?? {}
      return JSON.stringify([status, title, word, priority])
    }),
  )
  if (ours !== theirs) throw new Error(`the machines differ at ${id}: ${ours} against ${theirs}`)
}

/** Where the next changes go on, so that none repeats a stored value. */
let position = 1_000_000

async function measureApply(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  const { changes } = world
  const from = (position += changes)
  const ids = Array.from({ length: changes }, (_, index) => fixedId(seedSeries, index % world.rows))
  const updates = (target: Target): WireRequest[] => ids.map((id, index) => target.update(id, editAt(from + index)))
  const took = await catchUp(pair, updates(pair.desk.target))
  const aloneMs = await alone(world, updates)
  for (const id of [ids[0]!, ids[changes >> 1]!, ids.at(-1)!]) await compareRecord(pair, id)
  return [
    {
      id: 'apply',
      label: `${changes.toLocaleString('en-US')} updates of a peer applied`,
      unit: '/s',
      value: changes / took.seconds,
      goal: ['higher', 5_000],
      note: `${took.seconds.toFixed(2)} s, CPU ${(took.cpuMs / changes).toFixed(2)} ms each, ${(took.cpuMs / aloneMs).toFixed(2)}x of writing them without sync, ${Math.round(took.bytes / changes)} B each`,
    },
  ]
}

async function measureMissed(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  const { changes } = world
  const from = (position += changes)
  // As people leave them: six edits of a few records, three new records and an edit of any record in ten.
  const few = Math.max(1, Math.min(world.rows, changes) >> 2)
  const idAt = (index: number): string => fixedId(seedSeries, index % 10 < 6 ? index % few : (index * 7) % world.rows)
  const requests = (target: Target): WireRequest[] =>
    Array.from({ length: changes }, (_, index) =>
      index % 10 >= 6 && index % 10 < 9
        ? target.create(newRows[index % newRows.length]!)
        : target.update(idAt(index), editAt(from + index)),
    )
  const took = await catchUp(pair, requests(pair.desk.target), world.rows)
  const aloneMs = await alone(world, requests)
  for (const index of [0, 9, changes - 1]) await compareRecord(pair, idAt(index))
  return [
    {
      id: 'missed',
      label: `${changes.toLocaleString('en-US')} missed changes, until even`,
      unit: 's',
      value: took.seconds,
      goal: ['lower', Math.max(0.5, 3 * share(changes, 10_000))],
      note: `${(took.bytes / 1e6).toFixed(2)} MB, CPU ${(took.cpuMs / 1_000).toFixed(2)} s, ${(took.cpuMs / aloneMs).toFixed(2)}x of writing them without sync, with reads beside it`,
    },
    {
      id: 'missed-reads',
      label: 'reads while missed changes are applied, p99',
      unit: 'ms',
      value: percentileOf(took.reads, 0.99),
      goal: ['lower', 50],
      note: `p50 ${percentileOf(took.reads, 0.5).toFixed(1)} ms of ${took.reads.length}`,
    },
  ]
}

/** One connection with nothing to exchange, until both have proved that they are equal. */
interface Reconnect {
  readonly ms: number
  readonly bytes: number
  readonly provedMs: number
}

async function reconnect(pair: Pair): Promise<Reconnect> {
  const { desk, laptop } = pair
  await upToDate(desk, laptop)
  await setPaused(pair, true)
  const startedAt = performance.now()
  await setPaused(pair, false)
  await until('the machines are connected', async () => (await otherDevice(laptop)).state === 'connected', 1)
  const ms = performance.now() - startedAt
  await upToDate(laptop, desk)
  const provedMs = performance.now() - startedAt
  const { bytesIn, bytesOut } = await otherDevice(laptop)
  return { ms, bytes: bytesIn + bytesOut, provedMs }
}

async function measureReconnect(world: World): Promise<GoalFigure[]> {
  const pair = await world.pair()
  const times: Reconnect[] = []
  for (let round = 0; round < (world.quick ? 3 : 7); round++) times.push(await reconnect(pair))
  const bytes = median(times.map((time) => time.bytes))
  return [
    {
      id: 'reconnect-bytes',
      label: 'idle reconnect, bytes both ways',
      unit: 'B',
      value: bytes,
      goal: ['lower', 2_048],
      note: 'until proved',
    },
    {
      id: 'reconnect-ms',
      label: 'idle reconnect, until connected',
      unit: 'ms',
      value: median(times.map(({ ms }) => ms)),
      goal: ['lower', 300],
      note: `proved after ${median(times.map(({ provedMs }) => provedMs)).toFixed(0)} ms`,
    },
  ]
}

/** The steps, in the order they run. */
export const syncCatchUpSteps: readonly SyncStep[] = [
  { id: 'genesis', label: 'turning sync on', measure: measureGenesis },
  { id: 'first', label: 'first sync', measure: measureFirst },
  { id: 'reconnect', label: 'idle reconnect', measure: measureReconnect },
  { id: 'apply', label: 'remote apply', measure: measureApply },
  { id: 'missed', label: 'missed changes', measure: measureMissed },
]
