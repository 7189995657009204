// Merges one document of an envelope and hands it to its projection, inside the transaction. Knows how documents come
// together, not what a kind of document means.
import type * as Y from 'yjs'
import type { Actor } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import { DocError } from '#main/replication/core/doc-error.ts'
import { decodeRecord } from '#main/replication/core/decode-record.ts'
import { hashEntries, hashText, logicalHash } from '#main/replication/core/logical-hash.ts'
import { loadDoc, mergeUpdate } from '#main/replication/core/record-doc.ts'
import { inspectUpdate } from '#main/replication/core/inspect-update.ts'
import type { DecodedUpdate, UpdateLimits } from '#main/replication/core/inspect-update.ts'
import { encodeLinear, entriesIn, mergeLinear, readLinear } from '#main/replication/core/linear-register.ts'
import { readRegister, registerOf } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import { decodeText, readText, TEXT_ROOT } from '#main/replication/core/text-doc.ts'
import type { DocKindHandler, MergedDocument } from '../engine/docs.ts'
import type { LogState } from '../engine/log-state.ts'
import { keepsRemoved, needsProject, readDamaged, readDoc } from '../store/doc-store.ts'
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
  { readonly merged: true; readonly changed: boolean } | { readonly merged: false; missing: ReadonlySet<number> }

/**
 * Merges, projects and stores.
 * @throws DocError for an update that is none, or a damaged document; what `judge` throws
 */
export function mergeRemote(tx: Tx, parts: MergeParts, remote: RemoteUpdate): MergeOutcome {
  const name = parseDocName(remote.doc)
  if (name === null) throw new DocError('invalid', 'No document can have this name.')
  const handler = parts.handler(name.kind)
  if (handler === undefined) throw new DocError('invalid', 'Documents of this kind have no place here.')
  const { row: before, state } = beforeOf(tx, remote)
  const decoded = inspectUpdate(remote.update, remote.limits)
  if ((name.kind === 'record' || name.kind === 'text') && remote.repair !== 'part') {
    const quick = name.kind === 'text' ? newText(remote, before, decoded) : mergeQuickly(remote, before, state, decoded)
    if (quick !== null) return takeQuickly(tx, parts, remote, { name, handler, before, quick })
  }
  let loaded: Y.Doc | undefined
  const merged = mergeUpdate(state, remote.update, {
    read: (doc) => {
      loaded = doc
      return logicalHash(remote.doc, doc)
    },
    decoded,
  })
  if (merged.pending || loaded === undefined) return { merged: false, missing: merged.missing }
  const isUnchanged = before !== undefined && state !== null && merged.state === state
  if (isUnchanged && (before.flags & needsProject) === 0) return { merged: true, changed: false }
  const doc = loaded
  const isNew = before === undefined
  let register: Register | undefined
  if (!isUnchanged)
    remote.judge?.({
      name,
      isNew,
      changedKeys: merged.changedKeys,
      register: () => (name.kind === 'text' ? nothing : (register ??= readRegister(doc))),
      text: () => readText(doc),
      stored: state,
    })
  const document: MergedDocument = {
    name,
    doc,
    ...(register === undefined ? {} : { register }),
    changedKeys: state === null || (before!.flags & needsProject) !== 0 ? null : merged.changedKeys,
    actor: remote.actor,
    at: remote.at,
    isNew,
  }
  const flags = remote.repair === 'part' ? needsProject : project(tx, parts, handler, document)
  store(tx, parts.state, remote.doc, before, { state: merged.state!, lhash: merged.value!, flags })
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

/** What a merge made of a record or a long text without a document. */
interface QuickMerge {
  readonly state: Uint8Array
  readonly lhash: Uint8Array
  /** Undefined for a text. */
  readonly register?: Register
  readonly text: string
  readonly changedKeys: ReadonlySet<string>
}

/** A long text that is new here and that nobody has edited yet; null for every other. */
function newText(remote: RemoteUpdate, before: StoredDoc | undefined, decoded: DecodedUpdate): QuickMerge | null {
  const text = before === undefined ? decodeText(decoded) : null
  if (text === null) return null
  return { state: remote.update, lhash: hashText(remote.doc, text), text, changedKeys: new Set([TEXT_ROOT]) }
}

/**
 * A record that is new here and was written on one machine, whose bytes are the document; or one that was edited on by
 * somebody who knew all of it. Null for every other: it is loaded.
 */
function mergeQuickly(
  remote: RemoteUpdate,
  before: StoredDoc | undefined,
  state: Uint8Array | null,
  decoded: DecodedUpdate,
): QuickMerge | null {
  if (before === undefined) {
    const made = decodeRecord(remote.update, remote.limits, decoded)
    if (made === null) return null
    const { register, entries } = made
    const lhash = hashEntries(remote.doc, entries)
    return { state: made.state, lhash, register, text: '', changedKeys: new Set(register.keys()) }
  }
  const stored = state === null ? null : readLinear(state)
  const merged = stored === null ? null : mergeLinear(stored, decoded)
  // What is known already may be left as it is stored, which is for the document to say.
  if (merged === null || merged.changedKeys.size === 0) return null
  const { register, changedKeys } = merged
  const entries = entriesIn(register)
  const lhash = hashEntries(remote.doc, entries)
  return { state: encodeLinear(register), lhash, register: registerOf(entries), text: '', changedKeys }
}

function takeQuickly(
  tx: Tx,
  parts: MergeParts,
  remote: RemoteUpdate,
  found: {
    readonly name: DocName
    readonly handler: DocKindHandler
    readonly before: StoredDoc | undefined
    readonly quick: QuickMerge
  },
): MergeOutcome {
  const { name, handler, before, quick } = found
  const { state, lhash, register, text, changedKeys } = quick
  remote.judge?.({
    name,
    isNew: before === undefined,
    changedKeys,
    register: () => register ?? nothing,
    text: () => text,
    stored: before?.state ?? null,
  })
  let loaded: Y.Doc | undefined
  const document: MergedDocument = {
    name,
    get doc() {
      return (loaded ??= loadDoc(state))
    },
    ...(register === undefined ? {} : { register }),
    changedKeys: before === undefined || (before.flags & needsProject) !== 0 ? null : changedKeys,
    actor: remote.actor,
    at: remote.at,
    isNew: before === undefined,
    isFollowed: remote.isFollowed === true,
  }
  const flags = project(tx, parts, handler, document)
  store(tx, parts.state, remote.doc, before, { state, lhash, flags })
  return { merged: true, changed: true }
}

const nothing: Register = new Map()

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
  if (!('object' in name) || !parts.isRemoved(tx, name.object)) return needsProject
  parts.keptAside(tx, name.object)
  return keepsRemoved
}
