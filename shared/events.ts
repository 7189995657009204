// Names and shapes of the events a change raises (D-171, D-205, D-206). Knows no transport and no listener.

/** Who did it (D-206). */
export interface Actor {
  readonly type: 'user' | 'system' | 'automation' | 'service'
  readonly id: string
  readonly name?: string
}

/** Where a change came from (D-145, D-206). */
export const changeSources = ['API', 'UI', 'automation', 'sync', 'import', 'system', 'webhook'] as const

/** A word of {@link changeSources}. */
export type ChangeSource = (typeof changeSources)[number]

/** An API key that is narrowed to permission sets. */
export interface NarrowKey {
  readonly id: string
  readonly permissionSets: readonly string[]
}

/** One event as listeners, the outbox and realtime see it. `eventId` is assigned at commit and strictly increases. */
export interface PlatformEvent<P = unknown> {
  readonly eventId: number
  readonly type: string
  readonly object?: string
  readonly recordId?: string
  readonly payload: P
  readonly actor: Actor
  readonly source: ChangeSource
  readonly requestId: string
  readonly timestamp: string
  readonly causeEventId?: number
  readonly depth: number
  /** Names the piece of work this write is a part of; what tells people of changes tells of it once. */
  readonly work?: string
  /** The user whose call led to what the system wrote: nobody is told of what follows from their own deed. */
  readonly onBehalfOf?: string
  /** The narrowed API key behind the change: what follows in the name of its user may do no more than it (D-407). */
  readonly key?: NarrowKey
  /** False when record-triggered automations must not start for it (D-68). */
  readonly runAutomations?: false
}

/** What a write hands to `tx.emit`; the rest is filled in by the kernel from the request context and at commit. */
export interface EventDraft<P = unknown> {
  readonly type: string
  readonly object?: string
  readonly recordId?: string
  readonly payload: P
}

/** The record events of D-171. */
export const recordEvents = [
  'record.created',
  'record.updated',
  'record.deleted',
  'record.restored',
  'record.purged',
  /** Somebody looked at the text of a secret field; the payload names the field, never the text. */
  'record.secret_revealed',
] as const

/** The metadata events of D-111. */
export const metadataEvents = [
  'metadata.item.saved',
  'metadata.item.deleted',
  'metadata.item.state_changed',
  'metadata.item.overlay_changed',
] as const
