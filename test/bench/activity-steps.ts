// What history and activity cost a write: the same writes to an object that keeps both and to one that keeps neither, in
// one host. Compares Cairn with itself.
import type { Run, Step } from './measures.ts'
import { compareRates } from './measures.ts'
import { fixedId, makeTasks, taskStatuses } from './rows.ts'
import { quietObject, seed, seedSeries } from './targets.ts'
import type { Target } from './targets.ts'

const trackedObject = 'task_tracked'
/** Rows of each before anything is measured. */
const seededRows = 5_000
const newRows = makeTasks(6, 0, 2_000).map(({ id: _id, ...row }) => row)

/** The objects of these steps. */
export const activityObjects = [trackedObject, quietObject] as const

let filled: Promise<void> | undefined
function fill(run: Run): Promise<void> {
  filled ??= seed(run.cairn, seededRows, trackedObject).then(() => seed(run.cairn, seededRows, quietObject))
  return filled
}

/** The same server, asked for one of the objects. */
function on(target: Target, object: string): Target {
  return {
    ...target,
    create: (row) => target.create(row, object),
    update: (id, changes) => target.update(id, changes, object),
  }
}

function activityStep(
  id: string,
  label: string,
  connections: number,
  source: Parameters<typeof compareRates>[2],
): Step {
  return {
    id: `activity-${id}`,
    label: `${label}, history and feed on, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    unit: '/s',
    better: 'higher',
    goal: 0.7,
    reference: 'both off',
    measure: async (run) => {
      await fill(run)
      const pair = { ...run, cairn: on(run.cairn, trackedObject), floor: on(run.cairn, quietObject) }
      return compareRates(pair, connections, source)
    },
  }
}

const create: Parameters<typeof compareRates>[2] = (target) => (index) =>
  target.create(newRows[index % newRows.length]!)
const update: Parameters<typeof compareRates>[2] = (target) => (index) =>
  target.update(fixedId(seedSeries, (index * 7) % seededRows), {
    status: taskStatuses[index % taskStatuses.length]!,
    priority: index % 1_000,
  })

/** The steps. */
export const activitySteps: readonly Step[] = [
  activityStep('create-1', 'create', 1, create),
  activityStep('create-16', 'create', 16, create),
  activityStep('update-1', 'update', 1, update),
  activityStep('update-16', 'update', 16, update),
]
