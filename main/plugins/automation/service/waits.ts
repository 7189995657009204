// Waiting steps whose time has come, and those that wait until a record fits. What happens is decided from rows: nothing
// that waits depends on the process that began to wait.
import { compileOpenExpression } from '#shared/expression/compile-expression.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { StepRow } from '../store.ts'
import { conditionSteps, dueSteps, getRun, nextDue, waitingSteps } from '../store.ts'
import type { Accounts } from './caller.ts'
import { contextOf } from './caller.ts'
import type { StepError } from './engine/failures.ts'
import type { RunActs } from './run-acts.ts'

/** The waits of one host. */
export interface Waits {
  /** Lets steps go on whose time has come. */
  runDue(): Promise<void>
  /** Milliseconds since 1970 of the next time; undefined when there is none. */
  nextDue(): number | undefined
  /** Looks at the conditions that a change of a record may have made true. */
  heard(event: PlatformEvent): void
  /** A run waits from now on: what it waits for may have come while it was being stored. */
  paused(runId: string): void
  /** Looks at every condition, for changes nobody heard of. */
  checkAll(): Promise<void>
}

/** What waits work with. */
export interface WaitParts extends Pick<PluginHost, 'read' | 'write' | 'clock' | 'log'> {
  readonly acts: Pick<RunActs, 'wake'>
  readonly data: Pick<DataService, 'get'>
  readonly accounts: Accounts
  readonly timeZone: () => string
}

interface Condition {
  readonly type?: string
  readonly object?: string
  readonly recordId?: string
  readonly expression?: string
  readonly onTimeout?: 'fail' | 'continue'
}

const slice = 100
const never = new AbortController().signal

/** Makes the waits. */
export function createWaits(parts: WaitParts): Waits {
  const { read, write, clock, acts, log } = parts
  /** Records that some step waits for; the rows tell which. Null until they were read. */
  let watched: Set<string> | null = null

  const conditionOf = (step: StepRow): Condition => JSON.parse(step.wait ?? '{}') as Condition

  const watch = (): Set<string> => {
    watched ??= new Set(conditionSteps(read).flatMap((step) => conditionOf(step).recordId ?? []))
    return watched
  }

  const check = async (step: StepRow): Promise<void> => {
    const { object, recordId, expression } = conditionOf(step)
    const run = getRun(read, step.runId)
    if (run === undefined || object === undefined || recordId === undefined) return
    try {
      const ctx = contextOf(parts.accounts, run, never)
      const { record } = await parts.data.get(ctx, { object, id: recordId })
      const scope = { record, now: clock.now(), timeZone: parts.timeZone() }
      if (compileOpenExpression(expression).evaluate(scope) !== true) return
    } catch {
      // A record that is gone or closed does not fit; the wait ends at its time.
      return
    }
    await write('automation.wake', (tx) => {
      acts.wake(tx, step, { output: null })
    })
  }

  const checkSoon = (steps: readonly StepRow[]): void => {
    for (const step of steps) {
      check(step).catch((error: unknown) => log.error({ err: error }, 'A condition a run waits for was not judged.'))
    }
  }

  return {
    async runDue() {
      for (;;) {
        const due = dueSteps(read, clock.iso(), slice)
        for (const step of due) {
          const { onTimeout } = conditionOf(step)
          const late: StepError = {
            code: 'execution_timeout',
            message: 'What the run waited for did not come in time.',
            nodeId: step.nodeId,
            reason: 'wait_timeout',
          }
          await write('automation.wake', (tx) => {
            acts.wake(tx, step, onTimeout === 'fail' ? { error: late } : { output: null })
          })
        }
        if (due.length < slice) return
      }
    },
    nextDue() {
      const at = nextDue(read)
      return at === undefined ? undefined : Date.parse(at)
    },
    heard({ recordId }) {
      if (recordId === undefined || !watch().has(recordId)) return
      const steps = conditionSteps(read).filter((step) => conditionOf(step).recordId === recordId)
      if (steps.length === 0) watched!.delete(recordId)
      checkSoon(steps)
    },
    paused(runId) {
      const own = waitingSteps(read, runId).filter((step) => conditionOf(step).type === 'condition')
      for (const { recordId } of own.map(conditionOf)) if (recordId !== undefined) watch().add(recordId)
      checkSoon(own)
    },
    async checkAll() {
      watched = null
      for (const step of conditionSteps(read)) await check(step)
    },
  }
}
