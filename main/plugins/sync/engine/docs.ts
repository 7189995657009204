// How the kinds of documents take part: who writes them in a transaction, and who turns a merged one into rows. Types only.
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import type { Edit, SyncDocument } from '#main/replication/core/sync-document.ts'

/** Writes documents within the transaction of the rows they belong to. */
export interface DocWriter {
  /** Whether changes are recorded now: sync is on, and the change does not come from a peer. Answered from memory. */
  isRecording(ctx: RequestContext): boolean
  /**
   * Gathers a change of a document; it is made at the end of the job, all changes of one document by one actor together,
   * and travels as one envelope in the name of the context's actor.
   * @param order `after` of a text that comes behind its record, not before it
   */
  edit(tx: Tx, ctx: RequestContext, name: DocName, edit: Edit, order?: 'after'): void
  /** Reads a document as the transaction sees it; null when there is none. Changes gathered in this job are not in it. */
  read(reads: Pick<Reads, 'get'>, name: DocName): SyncDocument | null
}

/** A document that was changed by a peer, for its projection. */
export interface MergedDocument {
  readonly name: DocName
  readonly document: SyncDocument
  /** Keys whose entries changed; null: all of it counts (first sync, repair, or a projection that had to wait). */
  readonly changedKeys: ReadonlySet<string> | null
  /** Who wrote the change, as peers name people. */
  readonly actor: Actor
  /** When it was made by the writer's clock, ISO 8601. */
  readonly at: string
  /** Whether the document was unknown here before. */
  readonly isNew: boolean
  /** The record of a text comes behind it in the same transaction, and its projection takes the text along. */
  readonly isFollowed?: boolean
}

/**
 * What became of a projection: `later` when it cannot be done now, to be asked again whenever metadata changed; `soon`, to
 * be asked again in a moment too; `partly` as `later`, when the rows have all of it but what is not defined here; `kept` when
 * what is left over belongs to what was removed, which waits for nothing and is asked again with `later`, should it come back.
 */
export type Projected = 'done' | 'later' | 'partly' | 'soon' | 'kept'

/** Turns documents of one kind into rows. */
export interface DocKindHandler {
  readonly kind: DocName['kind']
  /**
   * Projects a merged document within the transaction that stores it.
   * @param ctx of the remote actor, with `source: 'sync'`; nothing recorded in it goes back to the log
   */
  project(tx: Tx, ctx: RequestContext, merged: MergedDocument): Projected
  /** What is merged and stored in a place of its own until it can take effect, beside documents whose projection waits. */
  waiting?(reads: Pick<Reads, 'all' | 'get'>): number
  /** Hears of a document that was changed on this machine, within the transaction. */
  edited?(tx: Tx, name: DocName): void
  /** Work after COMMIT that a projection needs outside of the transaction, such as changing tables. */
  settle?(): Promise<void>
  /**
   * Makes documents of what exists when sync is turned on, in slices; called again with the answer's `next` until it is
   * null. Each slice runs in one transaction of its own.
   */
  backfill?(tx: Tx, after: string | null, write: BackfillWriter): BackfillSlice
  /**
   * While what exists is still compared: writes what the rows of one document have and it has not, before anything else is
   * done to them. Doing it again writes nothing.
   */
  compare?(tx: Tx, name: DocName, write: BackfillWriter): void
  /** How much {@link backfill} has to do, for the progress. */
  backfillTotal?(reads: Pick<Reads, 'all' | 'get'>): number
}

/** Where a backfill goes on, how much was done, and whether it has to wait a moment before that. */
export interface BackfillSlice {
  readonly next: string | null
  readonly done: number
  readonly waits?: true
}

/**
 * Makes a document that has no past. One that is there already stays as it is, unless `mend` says that the edit only
 * writes what differs: then what was written while sync was off becomes an ordinary change.
 */
export type BackfillWriter = (
  name: DocName,
  actorId: string,
  edit: Edit,
  options?: { readonly mend: true; readonly order?: 'after' },
) => void
