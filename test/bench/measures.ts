// Ways to measure a pair: rates of the same load, times of single requests, rows through the bulk entrance. What is
// measured belongs to the steps.
import { runLoad } from './load.ts'
import type { RequestSource } from './load.ts'
import type { Direction, Pair } from './figures.ts'
import { createRandom, fixedId, taskStatuses } from './rows.ts'
import type { TaskRow } from './rows.ts'
import { processorMs } from './servers.ts'
import { ask, seedSeries } from './targets.ts'
import type { ListShape, Target } from './targets.ts'

/** What a step works with. */
export interface Run {
  readonly cairn: Target
  readonly floor: Target
  readonly quick: boolean
  readonly pairs: number
  /** Length of one measurement in ms. */
  readonly burstMs: number
  /** Rows in both servers before anything was measured. */
  readonly rows: number
}

/** One step; `measure` takes the pairs one after the other, the two servers in turn. */
export interface Step {
  readonly id: string
  readonly label: string
  readonly unit: string
  readonly better: Direction
  readonly goal: number
  readonly reference: string
  /** Left out of `--quick`. */
  readonly slow?: boolean
  measure(run: Run): Promise<Pair[]>
}

/** One measurement of one server. */
export interface Sample {
  readonly value: number
  /** Processor time per request or row. */
  readonly cpuMs?: number
}

/**
 * Measures both in turn, pair by pair; every second pair the other way round, so that a machine that slows down or
 * speeds up during a step favours neither.
 */
export async function alternate(
  run: Pick<Run, 'pairs'>,
  cairn: () => Promise<Sample>,
  reference: () => Promise<Sample>,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let pair = 0; pair < run.pairs; pair++) {
    const first = await (pair % 2 === 0 ? reference : cairn)()
    const second = await (pair % 2 === 0 ? cairn : reference)()
    const [ours, theirs] = pair % 2 === 0 ? [second, first] : [first, second]
    pairs.push({
      cairn: ours.value,
      reference: theirs.value,
      ...(ours.cpuMs === undefined ? {} : { cairnCpuMs: ours.cpuMs }),
      ...(theirs.cpuMs === undefined ? {} : { referenceCpuMs: theirs.cpuMs }),
    })
  }
  return pairs
}

/** Runs something against a server; `cpuMs` of the sample is the processor time for each of its units. */
async function withCpu(target: Target, work: () => Promise<{ value: number; units: number }>): Promise<Sample> {
  const before = processorMs(target.server.pid)
  const { value, units } = await work()
  return { value, cpuMs: (processorMs(target.server.pid) - before) / units }
}

/** Unmeasured load before a step, so that the engine has compiled what the step runs. */
const warmUpMs = 800

/** Where the next measurement of a source goes on, so that writes never repeat one. */
let position = 0

/** Requests per second of the same load on both servers. */
export async function compareRates(
  run: Run,
  connections: number,
  source: (target: Target) => RequestSource,
): Promise<Pair[]> {
  const measure = (target: Target, ms: number): Promise<Sample> =>
    withCpu(target, async () => {
      const result = await runLoad(target.server.port, connections, { ms }, source(target), position)
      position += result.requests
      return { value: result.rate, units: result.requests }
    })
  for (const target of [run.floor, run.cairn]) await measure(target, warmUpMs)
  return alternate(
    run,
    () => measure(run.cairn, run.burstMs),
    () => measure(run.floor, run.burstMs),
  )
}

/** Milliseconds per request, one client. */
export function timeRequests(target: Target, count: number, source: RequestSource): Promise<Sample> {
  return withCpu(target, async () => {
    const result = await runLoad(target.server.port, 1, { requests: count }, source)
    return { value: (result.seconds * 1_000) / result.requests, units: result.requests }
  })
}

const random = createRandom(5)
/** The id of any of the first `rows` seeded rows. */
export const anyId = (rows: number): string => fixedId(seedSeries, Math.floor(random() * rows))

/** Every list the steps ask for: each status with three lower bounds. */
export const listShapes: readonly ListShape[] = taskStatuses.flatMap((status) =>
  [1, 2, 3].map((minPriority) => ({ status, minPriority })),
)
/** The n-th list to ask for. */
export const shapeAt = (index: number): ListShape => listShapes[index % listShapes.length]!

/** Rows per second through the bulk entrance. */
export function bulkRate(target: Target, rows: readonly TaskRow[]): Promise<Sample> {
  const requests = target.bulkLoad(rows)
  return withCpu(target, async () => {
    const startedAt = performance.now()
    for (const request of requests) {
      const response = await ask(target.server, request)
      const report = JSON.parse(response.body.toString()) as { created?: number; count?: number }
      const stored = report.created ?? report.count
      if (stored !== rows.length / requests.length) {
        throw new Error(`stored ${stored}: ${response.body.toString('utf8', 0, 400)}`)
      }
    }
    return { value: rows.length / ((performance.now() - startedAt) / 1_000), units: rows.length }
  })
}
