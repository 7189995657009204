// Merges one document of an envelope and hands it to its projection, inside the transaction. Knows how documents come
// together, not what a kind of document means.
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import type { UpdateLimits } from '#main/replication/core/inspect-update.ts'
import { openDocument } from '#main/replication/core/sync-document.ts'
import type { DocKindHandler, MergedDocument } from '../engine/docs.ts'
import type { LogState } from '../engine/log-state.ts'
import { isPlaced, keepsRemoved, needsProject, readDamaged, readDoc } from '../store/doc-store.ts'
import type { StoredDoc } from '../store/doc-store.ts'
import { store } from '../write/doc-writer.ts'
import type { IsRemoved } from './removed.ts'
import type { DocChange } from './change-judge.ts'

/** What a merge works with. */
export interface MergeParts {
  readonly state: LogState
  handler(kind: DocName['kind']): DocKindHandler | undefined
  /** A projection may succeed in a moment. */
  retrySoon(): void
  /** Whether what a document belongs to was removed here. */
  isRemoved: IsRemoved
  /** Hears of an object, by uid, that was removed and that somebody wrote to. */
  keptAside(tx: Tx, object: string): void
  /** Writes what was written here and nothing recorded into the document, before somebody else's change is merged. */
  compared?(tx: Tx, name: DocName): void
  /** The context of a remote actor. */
  contextOf(actor: Actor): RequestContext
}

/** An update of one document by somebody elsewhere. */
export interface RemoteUpdate {
  readonly doc: string
  readonly update: Uint8Array
  readonly actor: Actor
  readonly at: string
  readonly limits?: UpdateLimits
  /** Comes from a peer's document: `part` when more is to follow, and what it means is looked at then. */
  readonly repair?: 'whole' | 'part'
  /** {@link MergedDocument.isFollowed}. */
  readonly isFollowed?: boolean
  /** Looks at what the update changes before anything is stored; throws to keep it out. */
  judge?(change: DocChange): void
}

/** What became of it: merged, or waiting for the incarnations it builds on. */
export type MergeOutcome =
  | { readonly merged: true; readonly changed: boolean }
  | { readonly merged: false; missing: ReadonlySet<number> }

/**
 * Merges, projects and stores.
 * @throws DocError for an update that is none, or a damaged document; what `judge` throws
 */
export function mergeRemote(tx: Tx, parts: MergeParts, remote: RemoteUpdate): MergeOutcome {
  const name = parseDocName(remote.doc)
  if (name === null) throw new DocError('invalid', 'No document can have this name.')
  const handler = parts.handler(name.kind)
  if (handler === undefined) throw new DocError('invalid', 'Documents of this kind have no place here.')
  parts.compared?.(tx, name)
  const { row: before, state } = beforeOf(tx, remote)
  const opened = openDocument(remote.doc, state)
  const result = opened.merge(remote.update, remote.limits)
  if (!result.merged) return result
  const { document, changedKeys, isChanged } = result
  const hasWaited = before !== undefined && (before.flags & needsProject) !== 0
  if (!isChanged && !hasWaited) return { merged: true, changed: false }
  const isNew = before === undefined
  const { actor, at, isFollowed = false } = remote
  const stored = state === null ? null : opened
  // Of a damaged one nothing is known: all of it comes, and is judged as such.
  if (isChanged) remote.judge?.({ name, isNew: stored === null, changedKeys, document, stored, isFollowed })
  const keys = state === null || hasWaited ? null : changedKeys
  const flags =
    remote.repair === 'part'
      ? needsProject
      : project(tx, parts, handler, { name, document, changedKeys: keys, actor, at, isNew, isFollowed })
  store(tx, parts.state, remote.doc, before, document, flags)
  return { merged: true, changed: true }
}

/** The document as it is stored; of a damaged one, whose bytes a repair replaces, the row alone. @throws DocError */
function beforeOf(tx: Tx, { doc, repair }: RemoteUpdate): { row: StoredDoc | undefined; state: Uint8Array | null } {
  try {
    const row = readDoc(tx, doc)
    return { row, state: row?.state ?? null }
  } catch (error) {
    if (repair === undefined || !(error instanceof DocError)) throw error
    return { row: readDamaged(tx, doc), state: null }
  }
}

/** Projects a document and answers its flags. */
export function project(
  tx: Tx,
  parts: Pick<MergeParts, 'contextOf' | 'retrySoon' | 'isRemoved' | 'keptAside'>,
  handler: DocKindHandler,
  document: MergedDocument,
): number {
  const outcome = handler.project(tx, parts.contextOf(document.actor), document)
  if (outcome === 'done') return 0
  if (outcome === 'soon') tx.afterCommit(() => parts.retrySoon())
  if (outcome === 'soon' || outcome === 'kept') return outcome === 'soon' ? needsProject : keepsRemoved
  const { name } = document
  if (!('object' in name) || !parts.isRemoved(tx, name.object))
    return outcome === 'partly' ? needsProject | isPlaced : needsProject
  parts.keptAside(tx, name.object)
  return keepsRemoved
}
