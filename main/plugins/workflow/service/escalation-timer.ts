// Looks for approvals whose time is over: soon after the start and once a minute. A timer of its own rather than a job of
// the host, because a job writes whenever it runs, and there is hardly ever anything to do.
import type { Logger } from '#main/kernel/logger.ts'

const firstLookMs = 500
const everyMs = 60_000

/**
 * Starts looking.
 * @param escalate does what is due
 * @returns ends it, once what is under way is done
 */
export function startEscalationTimer(escalate: () => Promise<void>, log: Logger): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve()
  let isStopped = false
  let timer: NodeJS.Timeout
  const wait = (ms: number): void => {
    if (isStopped) return
    timer = setTimeout(() => {
      looking = escalate()
        .catch((error: unknown) =>
          log.error({ err: error }, 'Approvals were not escalated; it is tried again in a minute.'),
        )
        .finally(() => wait(everyMs))
    }, ms).unref()
  }
  wait(firstLookMs)
  return async () => {
    isStopped = true
    clearTimeout(timer)
    await looking
  }
}
