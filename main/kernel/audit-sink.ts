// Who hears of requests that were refused and of keys that were used. The answer never waits for it. Knows no transport.
import type { ChangeSource } from '#shared/events.ts'
import type { RequestContext } from './context.ts'
import type { Caller } from './identity.ts'

/** A request that was refused because of who asked. */
export interface Refusal {
  readonly code: 'permission_denied' | 'unauthenticated'
  /** Of the error: the missing permission, the object and action, the names of fields. */
  readonly details: Readonly<Record<string, unknown>>
  /** Null when the credential did not hold. */
  readonly caller: Caller | null
  /** Null for a path no route has. */
  readonly operationId: string | null
  readonly requestId: string
  readonly source: ChangeSource
}

/** Told of what leaves no trace in records. Answers at once and never throws. */
export interface AuditSink {
  refused(refusal: Refusal): void
  /** A request that an API key let in. */
  keyUsed(caller: Caller, requestId: string): void
  /** A one-time code was tried. @param sessionId of the session of the local owner that it opened; null where it did not hold */
  codeTried(request: Pick<RequestContext, 'requestId' | 'source'>, sessionId: string | null): void
}

/** The audit sink of a host that keeps no audit. */
export const noAuditSink: AuditSink = Object.freeze({
  refused: () => undefined,
  keyUsed: () => undefined,
  codeTried: () => undefined,
})
