// What recording a write for other machines costs the one who writes: the same writes on a host that takes part, on one
// whose sync is off, and on one without the plugin, in turn.
import { median } from './figures.ts'
import { runLoad } from './load.ts'
import type { LoadResult, RequestSource } from './load.ts'
import { fixedId, newRows } from './rows.ts'
import { processorMs } from './servers.ts'
import type { ServerKind } from './servers.ts'
import type { GoalFigure } from './goal-figures.ts'
import type { SyncHost } from './sync-host.ts'
import { editAt, found } from './sync-world.ts'
import type { SyncStep, World } from './sync-world.ts'
import { bulkSize, seedSeries } from './targets.ts'

/** The three hosts, of the same records. */
type Mode = 'on' | 'off' | 'absent'
const modes: readonly Mode[] = ['on', 'off', 'absent']
const kinds: Record<Mode, ServerKind> = { on: 'plain', off: 'plain', absent: 'unsynced' }

/** One measurement of one of them. */
interface Burst extends LoadResult {
  readonly cpuMs: number
}

/** Records of each: enough that documents are not all in the cache of hot ones. */
const writtenRows = 10_000

let made: Promise<Record<Mode, SyncHost>> | undefined
function writers(world: World): Promise<Record<Mode, SyncHost>> {
  made ??= (async () => {
    const dataDir = await world.filled(rowsOf(world))
    const start = (mode: Mode): Promise<SyncHost> =>
      world.start(kinds[mode], world.copyOf(dataDir), mode === 'on' ? world.profileDir : undefined)
    const hosts = { on: await start('on'), off: await start('off'), absent: await start('absent') }
    await found(hosts.on, 'Desk')
    return hosts
  })()
  return made
}

const rowsOf = (world: World): number => Math.min(world.rows, writtenRows)

/** Where the next measurement goes on, so that no change repeats the stored value. */
let position = 0

/** Measures each host in turn, round by round, and every second round the other way about. */
async function rounds(
  world: World,
  source: (host: SyncHost) => RequestSource,
  load: {
    readonly connections: number
    readonly end: { readonly ms: number } | { readonly requests: number }
    readonly only?: readonly Mode[]
  },
): Promise<Record<Mode, Burst[]>> {
  const hosts = await writers(world)
  const bursts: Record<Mode, Burst[]> = { on: [], off: [], absent: [] }
  const chosen = load.only ?? modes
  const measure = async (mode: Mode): Promise<Burst> => {
    const { server } = hosts[mode]
    const before = processorMs(server.pid)
    const result = await runLoad(server.port, load.connections, load.end, source(hosts[mode]), position)
    position += result.requests
    return { ...result, cpuMs: processorMs(server.pid) - before }
  }
  const count = world.quick ? 3 : 9
  for (let round = -1; round < count; round++) {
    for (const mode of round % 2 === 0 ? chosen : chosen.toReversed()) {
      const burst = await measure(mode)
      // The first round lets the engine compile what the others run.
      if (round >= 0) bursts[mode].push(burst)
    }
  }
  return bursts
}

/** The middle of the ratios of two hosts, round by round. */
function ratioOf(ours: readonly Burst[], theirs: readonly Burst[], of: (burst: Burst) => number): number {
  return median(ours.map((burst, round) => of(burst) / of(theirs[round]!)))
}

/** Processor time for one request over all rounds. */
function cpuPerRequest(bursts: readonly Burst[]): number {
  const sum = (of: (burst: Burst) => number): number => bursts.reduce((total, burst) => total + of(burst), 0)
  return sum(({ cpuMs }) => cpuMs) / sum(({ requests }) => requests)
}

const middle = (bursts: readonly Burst[], of: (burst: Burst) => number): number => median(bursts.map(of))

async function measureOne(world: World): Promise<GoalFigure[]> {
  const rows = rowsOf(world)
  const source =
    ({ target }: SyncHost): RequestSource =>
    (index) =>
      target.update(fixedId(seedSeries, (index * 7) % rows), editAt(index))
  const { on, off, absent } = await rounds(world, source, { connections: 1, end: { ms: world.quick ? 300 : 2_000 } })
  const p50 = ({ p50Ms }: Burst): number => p50Ms
  const p99 = ({ p99Ms }: Burst): number => p99Ms
  const shown = (of: (burst: Burst) => number): string =>
    `off ${middle(off, of).toFixed(2)}, absent ${middle(absent, of).toFixed(2)}`
  const [cpuOn, cpuOff, cpuAbsent] = [on, off, absent].map(cpuPerRequest) as [number, number, number]
  return [
    {
      id: 'write-p50',
      label: 'update with sync on, 1 client, p50',
      unit: 'ms',
      value: middle(on, p50),
      goal: ['lower', 0.5],
      note: shown(p50),
    },
    {
      id: 'write-p99',
      label: 'update with sync on, 1 client, p99',
      unit: 'ms',
      value: middle(on, p99),
      goal: ['lower', 5],
      note: shown(p99),
    },
    {
      id: 'write-on-off',
      label: 'update, p50 of sync on to sync off',
      unit: 'x',
      value: ratioOf(on, off, p50),
      note: `CPU ${(cpuOn / cpuOff).toFixed(2)}x, ${cpuOn.toFixed(2)} ms`,
    },
    {
      id: 'write-off-absent',
      label: 'update, p50 of sync off to no plugin',
      unit: 'x',
      value: ratioOf(off, absent, p50),
      goal: ['lower', 1.01],
      note: `CPU ${(cpuOff / cpuAbsent).toFixed(3)}x`,
    },
  ]
}

async function measureMany(world: World): Promise<GoalFigure[]> {
  const rows = rowsOf(world)
  const source =
    ({ target }: SyncHost): RequestSource =>
    (index) =>
      target.update(fixedId(seedSeries, (index * 7) % rows), editAt(index))
  const end = { ms: world.quick ? 300 : 2_000 }
  const { on, off } = await rounds(world, source, { connections: 64, end, only: ['on', 'off'] })
  const rate = (burst: Burst): number => burst.rate
  return [
    {
      id: 'write-64',
      label: 'updates acknowledged, sync on, 64 clients',
      unit: '/s',
      value: middle(on, rate),
      goal: ['higher', 2_000],
      note: `off ${Math.round(middle(off, rate))}/s, p99 ${middle(on, ({ p99Ms }) => p99Ms).toFixed(1)} ms, CPU ${cpuPerRequest(on).toFixed(2)} ms each (off ${cpuPerRequest(off).toFixed(2)})`,
    },
  ]
}

async function measureBulk(world: World): Promise<GoalFigure[]> {
  const source = ({ target }: SyncHost): RequestSource => {
    const request = target.createMany(newRows.slice(0, bulkSize))
    return () => request
  }
  const end = { requests: world.quick ? 2 : 5 }
  const { on, off } = await rounds(world, source, { connections: 1, end, only: ['on', 'off'] })
  const rate = (burst: Burst): number => burst.rate * bulkSize
  return [
    {
      id: 'bulk',
      label: 'createMany of 1,000 records, sync on',
      unit: 'records/s',
      value: middle(on, rate),
      goal: ['higher', 7_000],
      note: `off ${Math.round(middle(off, rate))}/s, CPU ${(cpuPerRequest(on) / cpuPerRequest(off)).toFixed(2)}x`,
    },
  ]
}

/** Lets the three hosts go: what follows has the machine to itself. */
async function release(world: World): Promise<void> {
  const hosts = await made
  made = undefined
  for (const host of Object.values(hosts ?? {})) await world.stop(host)
}

/** The steps, in the order they run. */
export const syncWriteSteps: readonly SyncStep[] = [
  { id: 'write-1', label: 'local write', measure: measureOne, release },
  { id: 'write-64', label: 'local writes of 64 clients', measure: measureMany, release },
  { id: 'bulk', label: 'bulk create', measure: measureBulk, release },
]
