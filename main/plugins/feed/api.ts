// What other plugins may ask of the activity of records. Types only.
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'

/** An item the platform writes by itself (D-144). */
export interface SystemItemDraft {
  readonly object: string
  readonly recordId: string
  readonly type: 'approval' | 'sharing' | 'system'
  readonly body?: string
  readonly data?: Readonly<Record<string, unknown>>
  /** Default: the actor of the context. */
  readonly actor?: Actor
}

/** The activity service. */
export interface FeedService {
  /** Writes an item in the transaction of the change it tells of; nothing when the object has no feeds. */
  addSystemItem(tx: Tx, ctx: RequestContext, draft: SystemItemDraft): void
  /** Whether a caller may see an item of a record at this moment; for whoever hands on events of feeds. Never throws. */
  sees(ctx: RequestContext, record: { readonly object: string; readonly recordId: string }, feedId: string): boolean
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    feed: FeedService
  }
}
