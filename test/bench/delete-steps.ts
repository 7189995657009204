// The steps about deleting: each takes rows of its own, written just before it, so that no row is asked for twice and
// the rows of other steps stay. Cairn moves a record into the trash; the floor removes its row.
import { runLoad } from './load.ts'
import { alternate } from './measures.ts'
import type { Run, Sample, Step } from './measures.ts'
import { fixedId } from './rows.ts'
import { processorMs } from './servers.ts'
import { seed } from './targets.ts'
import type { Target } from './targets.ts'

/** Series of the rows to delete; each step has its own. */
const firstSeries = 20

function deleteStep(connections: number, goal: number): Step {
  const series = firstSeries + connections
  return {
    id: `delete-${connections}`,
    label: `delete, ${connections} ${connections === 1 ? 'client' : 'clients'}`,
    unit: '/s',
    better: 'higher',
    goal,
    reference: 'floor',
    measure: async (run: Run) => {
      const count = run.quick ? 200 : 1_000
      const places = new Map<Target, number>()
      const measure = async (target: Target): Promise<Sample> => {
        const from = places.get(target) ?? 0
        places.set(target, from + count)
        const before = processorMs(target.server.pid)
        const { rate } = await runLoad(target.server.port, connections, { requests: count }, (index) =>
          target.remove(fixedId(series, from + index)),
        )
        return { value: rate, cpuMs: (processorMs(target.server.pid) - before) / count }
      }
      // One measurement more than pairs: the first of each lets the engine compile what the step runs.
      for (const target of [run.floor, run.cairn]) {
        await seed(target, count * (run.pairs + 1), 'task', series)
        await measure(target)
      }
      return alternate(
        run,
        () => measure(run.cairn),
        () => measure(run.floor),
      )
    },
  }
}

/** The steps. */
export const deleteSteps: readonly Step[] = [deleteStep(1, 0.3), deleteStep(16, 0.3)]
