// The steps of a benchmark run, each with the goal it is held to, in the order they run: reads first, so that both
// servers hold the same rows while answers are compared; then writes; then what needs a million rows.
import { setTimeout as sleep } from 'node:timers/promises'
import { activitySteps } from './activity-steps.ts'
import { automationSteps } from './automation-steps.ts'
import { deleteSteps } from './delete-steps.ts'
import { doorSteps } from './door-steps.ts'
import { largeSteps } from './large-steps.ts'
import { roleSteps } from './role-steps.ts'
import { storageSteps } from './storage-steps.ts'
import { median } from './figures.ts'
import { alternate, anyId, bulkRate, compareRates, listShapes, shapeAt, timeRequests } from './measures.ts'
import type { Run, Sample, Step } from './measures.ts'
import { changesAt, fixedId, frequentTexts, makeTasks, newRows, searchTexts } from './rows.ts'
import { measureStarts } from './starts.ts'
import { residentMiB } from './servers.ts'
import { compareAnswers } from './same-answers.ts'
import { ask, bulkSize, seedSeries } from './targets.ts'
import type { Target } from './targets.ts'

/** Ids the update steps write to: each in its turn, so that no change repeats the stored value. */
const updateId = (run: Run, index: number): string => fixedId(seedSeries, (index * 7) % run.rows)

/** Values of those writes: never the stored one again, which would write nothing. */
let writes = 0

function getStep(connections: number, goal: number): Step {
  return {
    id: `get-${connections}`,
    label: `get by id, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    unit: '/s',
    better: 'higher',
    goal,
    reference: 'floor',
    measure: (run) => compareRates(run, connections, (target) => () => target.get(anyId(run.rows))),
  }
}

function createStep(connections: number, goal: number): Step {
  return {
    id: `create-${connections}`,
    label: `create, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    unit: '/s',
    better: 'higher',
    goal,
    reference: 'floor',
    measure: (run) =>
      compareRates(run, connections, (target) => (index) => target.create(newRows[index % newRows.length]!)),
  }
}

function updateStep(connections: number, goal: number): Step {
  return {
    id: `update-${connections}`,
    label: `update, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    unit: '/s',
    better: 'higher',
    goal,
    reference: 'floor',
    measure: (run) =>
      compareRates(run, connections, (target) => (index) => target.update(updateId(run, index), changesAt(index))),
  }
}

function startStep(id: string, label: string, unit: string, goal: number, key: 'readyMs' | 'idleMiB'): Step {
  return {
    id,
    label,
    unit,
    better: 'lower',
    goal,
    reference: 'floor',
    measure: async (run) => {
      const starts = await measureStarts(run.quick ? 5 : run.pairs, run.cairn.server.kind)
      return starts.map((pair) => ({ cairn: pair.cairn[key], reference: pair.floor[key] }))
    },
  }
}

/** The memory of a program at rest: beyond the pauses after which either gives any back. */
const pauseMs = 15_000

/** @param rests whether nothing is written between the searches: those asked for again may then come from memory */
function searchStep(id: string, label: string, texts: readonly string[], rests: boolean): Step {
  return {
    id,
    label,
    unit: 'ms',
    better: 'lower',
    goal: 2,
    reference: 'floor',
    measure: async (run) => {
      const searchAt = (target: Target, index: number): ReturnType<Target['search']> =>
        target.search(texts[index % texts.length]!)
      await compareAnswers(run.cairn, run.floor, (target) => target.search(texts[0]!), 'any order')
      const rounds = texts.length * (run.quick ? 2 : 10)
      const measure = async (target: Target): Promise<Sample> => {
        if (rests) return timeRequests(target, rounds, (index) => searchAt(target, index))
        const samples: Sample[] = []
        for (let index = 0; index < rounds; index += 1) {
          await ask(target.server, target.update(updateId(run, index), { priority: (writes += 1) }))
          samples.push(await timeRequests(target, 1, () => searchAt(target, index)))
        }
        return { value: median(samples.map(({ value }) => value)) }
      }
      return alternate(
        run,
        () => measure(run.cairn),
        () => measure(run.floor),
      )
    },
  }
}

/** Every step in the order they run. */
export const steps: readonly Step[] = [
  startStep('cold-start', 'cold start to first 200', 'ms', 3, 'readyMs'),
  startStep('memory-idle', 'resident memory, idle', 'MiB', 1.6, 'idleMiB'),
  getStep(1, 0.75),
  getStep(16, 0.5),
  {
    id: 'list',
    label: 'list 20, two filters and sort, 16 clients',
    unit: '/s',
    better: 'higher',
    goal: 0.55,
    reference: 'floor',
    measure: async (run) => {
      for (const shape of listShapes) await compareAnswers(run.cairn, run.floor, (target) => target.list(shape))
      return compareRates(run, 16, (target) => (index) => target.list(shapeAt(index)))
    },
  },
  {
    id: 'expand',
    label: 'the same with one lookup expanded',
    unit: '/s',
    better: 'higher',
    goal: 0.5,
    reference: 'floor',
    measure: async (run) => {
      for (const shape of listShapes) await compareAnswers(run.cairn, run.floor, (target) => target.listExpanded(shape))
      return compareRates(run, 16, (target) => (index) => target.listExpanded(shapeAt(index)))
    },
  },
  {
    id: 'group',
    label: 'group-by over all rows',
    unit: 'ms',
    better: 'lower',
    goal: 1.5,
    reference: 'floor',
    measure: async (run) => {
      await compareAnswers(run.cairn, run.floor, (target) => target.group())
      const measure = (target: Target): Promise<Sample> => timeRequests(target, 5, () => target.group())
      return alternate(
        run,
        () => measure(run.cairn),
        () => measure(run.floor),
      )
    },
  },
  searchStep('search', 'full-text search over all rows', searchTexts, true),
  searchStep('search-many', 'full-text search with many matches, each after a write', frequentTexts, false),
  {
    id: 'discovery',
    label: 'discovery, 1 client',
    unit: '/s',
    better: 'higher',
    goal: 0.4,
    reference: 'floor',
    measure: (run) => compareRates(run, 1, (target) => () => target.discover()),
  },
  ...doorSteps,
  ...roleSteps,
  createStep(1, 0.3),
  createStep(16, 0.5),
  createStep(64, 0.6),
  updateStep(1, 0.3),
  updateStep(16, 0.5),
  ...deleteSteps,
  {
    id: 'many',
    label: 'createMany of 1,000 rows',
    unit: 'rows/s',
    better: 'higher',
    goal: 0.6,
    reference: 'floor',
    measure: (run) => {
      const rows = newRows.slice(0, bulkSize)
      const measure = async (target: Target): Promise<Sample> => {
        const request = target.createMany(rows)
        const { value, cpuMs = Number.NaN } = await timeRequests(target, run.quick ? 2 : 5, () => request)
        return { value: (1_000 * bulkSize) / value, cpuMs: cpuMs / bulkSize }
      }
      return alternate(
        run,
        () => measure(run.cairn),
        () => measure(run.floor),
      )
    },
  },
  {
    id: 'import',
    label: 'CSV import end to end, against createMany',
    unit: 'rows/s',
    better: 'higher',
    goal: 0.4,
    reference: 'floor',
    measure: (run) => {
      const rows = makeTasks(4, 0, run.quick ? 4_000 : 100_000)
      return alternate(
        run,
        () => bulkRate(run.cairn, rows),
        () => bulkRate(run.floor, rows),
      )
    },
  },
  {
    id: 'memory-load',
    label: 'resident memory, a pause after the steps above',
    unit: 'MiB',
    better: 'lower',
    goal: 1.8,
    reference: 'floor',
    measure: async (run) => {
      // Long enough for both to have given back what only the load needed.
      await sleep(pauseMs)
      return alternate(
        run,
        () => Promise.resolve({ value: residentMiB(run.cairn.server.pid) }),
        () => Promise.resolve({ value: residentMiB(run.floor.server.pid) }),
      )
    },
  },
  ...activitySteps,
  ...automationSteps,
  ...storageSteps,
  ...largeSteps,
]

/**
 * The steps of a run: every one, or those a name selects, which is the step of that id or else all that begin with it.
 * @throws Error on a name without steps
 */
export function selectSteps(only: readonly string[], quick: boolean): Step[] {
  const named = only.flatMap((name) => {
    const exact = steps.filter((step) => step.id === name)
    const found = exact.length > 0 ? exact : steps.filter((step) => step.id.startsWith(name))
    if (found.length === 0) throw new Error(`no step ${name}; steps: ${steps.map((step) => step.id).join(', ')}`)
    return found
  })
  return steps.filter((step) => (only.length === 0 || named.includes(step)) && !(quick && step.slow))
}
