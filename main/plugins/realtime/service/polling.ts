// Polls: a connection that asks for what came after a position and waits a while when there is nothing (D-173).
import type { RequestContext } from '#main/kernel/context.ts'
import { platformError } from '#shared/errors.ts'
import { realtimeError } from '../errors.ts'
import type { Connection, PolledPage } from './connection.ts'
import type { EventRing } from './ring.ts'
import type { PresenceNews } from '../service.ts'

/** Events looked at in one turn of the event loop. */
const turn = 200

/** What a poll asks for. */
export interface PollRequest {
  readonly lastEventId: string | undefined
  readonly timeoutMs: number
  readonly limit: number
}

/** What a poll answers: events as JSON texts, and who came and went. */
export interface PollAnswer {
  readonly texts: readonly string[]
  readonly presence: readonly PresenceNews[]
  readonly position: number
  readonly reset: boolean
}

/** Answers one poll; a second one on the same connection ends the first with nothing. */
export async function poll(
  ring: EventRing,
  ctx: RequestContext,
  connection: Connection,
  { lastEventId, timeoutMs, limit }: PollRequest,
  takePresence: (connection: Connection) => readonly PresenceNews[],
): Promise<PollAnswer> {
  connection.wake?.(true)
  connection.touch()
  const start = lastEventId === undefined ? connection.position : ring.positionOf(lastEventId)
  if (typeof start === 'string' || !ring.holds(start)) return reset(ring, connection)
  if (lastEventId !== undefined)
    for (const one of connection.subscriptions.values()) one.since = Math.min(one.since, start)
  const until = performance.now() + timeoutMs
  let from = start
  for (;;) {
    const found = await collect(connection, from, limit)
    if (connection.isEnded) throw gone(connection)
    connection.position = found.position
    connection.touch()
    const left = until - performance.now()
    const presence = ctx.signal.aborted ? [] : takePresence(connection)
    if (found.texts.length > 0 || presence.length > 0 || left <= 0 || ctx.signal.aborted)
      return { texts: found.texts, presence, position: found.position, reset: false }
    from = found.position
    const isTaken = ring.latest() === from && (await waitFor(connection, left, ctx.signal))
    if (connection.isEnded) throw gone(connection)
    if (isTaken) return { texts: [], presence: [], position: from, reset: false }
    if (!ring.holds(from)) return reset(ring, connection)
  }
}

function reset(ring: EventRing, connection: Connection): PollAnswer {
  connection.position = ring.latest()
  return { texts: [], presence: [], position: connection.position, reset: true }
}

function gone(connection: Connection): Error {
  return connection.endCode === 4401
    ? platformError('unauthenticated', { reason: 'credential_invalid' })
    : realtimeError('connection_not_found')
}

async function collect(connection: Connection, from: number, limit: number): Promise<PolledPage> {
  const page: PolledPage = { texts: [], bytes: 0, position: from }
  while (!connection.collect(page, limit, turn) && !connection.isEnded)
    await new Promise((resolve) => setImmediate(resolve))
  return page
}

/** Waits for an event, the time limit or the client to go; true when another poll took over. */
function waitFor(connection: Connection, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (isTaken: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (connection.wake === wake) connection.wake = null
      resolve(isTaken)
    }
    const stop = (): void => done(false)
    const wake = (isTaken = false): void => done(isTaken)
    const timer = setTimeout(stop, ms)
    signal.addEventListener('abort', stop, { once: true })
    connection.wake = wake
  })
}
