// One timer for everything that comes due: schedules, waits, places in the queue.
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'

/** The timer. */
export interface Alarm {
  /** Looks again when the next time is; call it when one may have come nearer. */
  set(): void
  /** Does what is due now. */
  ring(): Promise<void>
  stop(): Promise<void>
}

/** It looks at least this often, so that a clock that was moved or a machine that slept is noticed. */
const maxSleepMs = 60_000
/** What could not be done is tried again after this long. */
const retryMs = 5_000

/** Makes the timer. */
export function createAlarm(parts: {
  readonly clock: Clock
  readonly log: Logger
  readonly next: () => number | undefined
  readonly due: () => Promise<void>
}): Alarm {
  let timer: NodeJS.Timeout | undefined
  let ringing: Promise<void> | undefined
  let isStopped = false

  let hasFailed = false

  const set = (): void => {
    clearTimeout(timer)
    if (isStopped) return
    const next = parts.next() ?? Infinity
    const sleepMs = hasFailed ? retryMs : Math.min(maxSleepMs, Math.max(0, next - parts.clock.now()))
    timer = setTimeout(() => void ring(), sleepMs).unref()
  }

  const ring = async (): Promise<void> => {
    if (isStopped) return
    ringing ??= parts
      .due()
      .then(
        () => {
          hasFailed = false
        },
        (error: unknown) => {
          hasFailed = true
          parts.log.error({ err: error }, 'What is due could not be done; it is tried again.')
        },
      )
      .finally(() => {
        ringing = undefined
        set()
      })
    await ringing
  }

  return {
    set,
    ring,
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await ringing
    },
  }
}
