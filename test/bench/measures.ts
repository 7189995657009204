// Ways to measure a pair: rates of the same load, times of single requests, rows through the bulk entrance. What is
// measured belongs to the steps.
import { runLoad } from './load.ts'
import type { RequestSource } from './load.ts'
import type { Direction, Pair } from './figures.ts'
import { createRandom, fixedId, taskStatuses } from './rows.ts'
import type { TaskRow } from './rows.ts'
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

/**
 * Measures both in turn, pair by pair; every second pair the other way round, so that a machine that slows down or
 * speeds up during a step favours neither.
 */
export async function alternate(
  run: Pick<Run, 'pairs'>,
  cairn: () => Promise<number>,
  reference: () => Promise<number>,
): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let pair = 0; pair < run.pairs; pair++) {
    if (pair % 2 === 0) {
      const referenceValue = await reference()
      pairs.push({ cairn: await cairn(), reference: referenceValue })
    } else {
      const value = await cairn()
      pairs.push({ cairn: value, reference: await reference() })
    }
  }
  return pairs
}

/** Where the next measurement of a source goes on, so that writes never repeat one. */
let position = 0

/** Requests per second of the same load on both servers. */
export async function compareRates(
  run: Run,
  connections: number,
  source: (target: Target) => RequestSource,
): Promise<Pair[]> {
  const measure = async (target: Target, ms: number): Promise<number> => {
    const result = await runLoad(target.server.port, connections, { ms }, source(target), position)
    position += result.requests
    return result.rate
  }
  for (const target of [run.floor, run.cairn]) await measure(target, run.burstMs / 2)
  return alternate(
    run,
    () => measure(run.cairn, run.burstMs),
    () => measure(run.floor, run.burstMs),
  )
}

/** Milliseconds per request, one client. */
export async function timeRequests(target: Target, count: number, source: RequestSource): Promise<number> {
  const result = await runLoad(target.server.port, 1, { requests: count }, source)
  return (result.seconds * 1_000) / result.requests
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
export async function bulkRate(target: Target, rows: readonly TaskRow[]): Promise<number> {
  const requests = target.bulkLoad(rows)
  const startedAt = performance.now()
  for (const request of requests) {
    const response = await ask(target.server, request)
    const report = JSON.parse(response.body.toString()) as { created?: number; count?: number }
    const stored = report.created ?? report.count
    if (stored !== rows.length / requests.length)
      throw new Error(`stored ${stored}: ${response.body.toString('utf8', 0, 400)}`)
  }
  return rows.length / ((performance.now() - startedAt) / 1_000)
}
