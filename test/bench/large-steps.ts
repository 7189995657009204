// The steps about size: how requests fare beside heavy work, and how their cost grows from ten thousand rows to a
// million. Both compare Cairn with itself.
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { activityObjects } from './activity-steps.ts'
import { runLoad } from './load.ts'
import type { RequestSource } from './load.ts'
import type { Pair } from './figures.ts'
import { alternate, anyId, shapeAt, timeRequests } from './measures.ts'
import type { Run, Sample, Step } from './measures.ts'
import { makeTasks } from './rows.ts'
import { ask, seed } from './targets.ts'
import type { Target } from './targets.ts'

/** Rows of the large object of the full run. */
const largeRows = 1_000_000
const smallRows = 10_000
const largeObject = 'task_large'
const smallObject = 'task_small'

/** The objects a run needs. */
export function objectsOf(quick: boolean): string[] {
  const always = ['task', ...activityObjects]
  return quick ? always : [...always, smallObject, largeObject]
}

/** Fills the objects of the million-row steps once. */
let grown: Promise<void> | undefined
function grow(run: Run): Promise<void> {
  grown ??= seed(run.cairn, smallRows, smallObject).then(() => seed(run.cairn, largeRows, largeObject))
  return grown
}

/** Time per request on a million rows, against the same on ten thousand in the same host. */
function growthStep(id: string, label: string, source: (target: Target, object: string) => RequestSource): Step {
  return {
    id,
    label,
    unit: 'ms',
    better: 'lower',
    goal: 1.3,
    reference: '10k rows',
    slow: true,
    measure: async (run) => {
      await grow(run)
      const measure = async (object: string): Promise<Sample> => {
        await readThrough(run.cairn.server.dataDir)
        return timeRequests(run.cairn, 2_000, source(run.cairn, object))
      }
      for (const object of [smallObject, largeObject]) await measure(object)
      return alternate(
        run,
        () => measure(largeObject),
        () => measure(smallObject),
      )
    },
  }
}

/**
 * Reads the database once, so that the system holds it in memory: some take back what nobody has read for seconds, and
 * a million rows would then be compared with the speed of the disk.
 */
async function readThrough(dataDir: string): Promise<void> {
  for await (const piece of createReadStream(join(dataDir, 'cairn.db'), { highWaterMark: 1 << 20 })) void piece
}

/** The p99 of gets while an aggregate and an import run, against the p99 of the moment before. */
async function measureUnderLoad(run: Run): Promise<Pair[]> {
  if (!run.quick) await grow(run)
  const aggregated = run.quick ? 'task' : largeObject
  const imports = run.cairn.bulkLoad(makeTasks(4, 0, run.quick ? 4_000 : 100_000))
  const gets: RequestSource = () => run.cairn.get(anyId(run.rows))
  const quiet = async (): Promise<Sample> => {
    const result = await runLoad(run.cairn.server.port, 4, { ms: run.burstMs * 2 }, gets)
    return { value: result.p99Ms }
  }
  const loaded = async (): Promise<Sample> => {
    let importing = true
    const load = (async () => {
      for (const request of imports) await ask(run.cairn.server, request)
      importing = false
    })()
    const aggregate = (async () => {
      while (importing) await ask(run.cairn.server, run.cairn.group(aggregated))
    })()
    const watch = runLoad(run.cairn.server.port, 4, { until: () => !importing }, gets)
    const [result] = await Promise.all([watch, load, aggregate]).finally(() => {
      importing = false
    })
    return { value: result.p99Ms }
  }
  return alternate(run, loaded, quiet)
}

/** The steps in the order they run. */
export const largeSteps: readonly Step[] = [
  {
    id: 'p99-under-load',
    label: 'p99 of get during an aggregate and an import',
    unit: 'ms',
    better: 'lower',
    goal: 10,
    reference: 'quiet p99',
    measure: measureUnderLoad,
  },
  growthStep(
    'growth-get',
    'get by id at 1M rows',
    (target, object) => () => target.get(anyId(object === largeObject ? largeRows : smallRows), object),
  ),
  growthStep('growth-list', 'list 20 at 1M rows', (target, object) => (index) => target.list(shapeAt(index), object)),
]
