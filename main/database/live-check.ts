// When the whole database is checked while the host runs: once after each start and once a day, in a pause.
import type { Logger } from '#main/kernel/logger.ts'
import type { Traffic } from '#main/kernel/traffic.ts'
import type { HostDatabase } from './create-database.ts'
import type { DatabaseFound } from './start-check.ts'

/** The first check comes when a start is over and what it brought has been done. */
const firstMs = 60_000
const againMs = 24 * 60 * 60_000
/** Nobody asked for anything for this long. */
const pauseMs = 5_000
const lookMs = 15_000

/**
 * Begins to check. A database that was left uncleanly and is too large to be checked first is checked at once.
 * @param parts `isAwaited`: others wait for this start, so that even this check comes a little later
 * @returns ends it; a check under way is left alone
 */
export function checkBesideTraffic(parts: {
  readonly database: Pick<HostDatabase, 'inspect'>
  readonly found: DatabaseFound
  readonly traffic: Pick<Traffic, 'quietMs'>
  readonly log: Logger
  readonly isAwaited: boolean
}): () => void {
  const { database, found, traffic, log, isAwaited } = parts
  const isAtOnce = found.isUrgent && !isAwaited
  let dueAt = performance.now() + (isAtOnce ? 0 : found.isUrgent ? lookMs / 2 : firstMs)
  let closed = found.closed
  const look = (): void => {
    if (performance.now() < dueAt || (!found.isUrgent && traffic.quietMs() < pauseMs)) return
    dueAt = performance.now() + againMs
    database.inspect(closed).catch((error: unknown) => {
      // The host stops, or the process could not be started: tried again at the next start or tomorrow.
      log.warn({ err: error }, 'The database could not be checked.')
    })
    closed = null
  }
  if (isAtOnce) look()
  const timer = setInterval(look, lookMs).unref()
  return () => clearInterval(timer)
}
