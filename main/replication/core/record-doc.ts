// One document at a time: load, edit or merge, encode, drop. States go in and out as bytes; a state that was given is
// never changed. Knows what can be in a document's roots, nothing of records, names or storage.
import * as Y from 'yjs'
import { DocError } from './doc-error.ts'
import { inspectUpdate } from './inspect-update.ts'
import type { DecodedUpdate, UpdateLimits } from './inspect-update.ts'
import { isRegisterEntry, REGISTER_ROOT } from './register.ts'
import { TEXT_ROOT } from './text-doc.ts'

/** A client id no update can name, for documents that are only read or merged. */
const NOBODY = -1
const NOTHING: ReadonlySet<number> = new Set()

/** What an edit made of a document. */
export interface EditedDoc<T> {
  /** The whole document. */
  readonly state: Uint8Array
  /** What the edit added, for others; null when it changed nothing. */
  readonly update: Uint8Array | null
  /** What the edit returned. */
  readonly value: T
}

/** What merging an update made of a document. */
export interface MergedDoc<T> {
  /** The whole document; the given one where the update has to wait. */
  readonly state: Uint8Array | null
  /** Keys of the register whose entries changed, and `t` for a text. */
  readonly changedKeys: ReadonlySet<string>
  /** The update builds on another one that is not here yet: nothing was merged. */
  readonly pending: boolean
  /** Client ids whose earlier updates are missing; empty unless `pending`. */
  readonly missing: ReadonlySet<number>
  /** What `read` returned; undefined where the update has to wait. */
  readonly value: T | undefined
}

/** What merging may be told. */
export interface MergeOptions<T> {
  /** Reads the merged document before it is dropped. */
  readonly read?: (doc: Y.Doc) => T
  /** Instead of those of an envelope. */
  readonly limits?: UpdateLimits
  /** The update as `inspectUpdate` let it pass, where that was done already. */
  readonly decoded?: DecodedUpdate
}

/**
 * Loads a document to read it.
 * @param state null for one that does not exist yet
 * @throws DocError `damaged_state`: a document that cannot be loaded whole is never taken for an empty one
 */
export function loadDoc(state: Uint8Array | null): Y.Doc {
  const doc = new Y.Doc({ guid: '' })
  doc.clientID = NOBODY
  if (state === null) return doc
  try {
    Y.applyUpdate(doc, state)
  } catch (error) {
    throw new DocError('damaged_state', 'The stored document cannot be loaded.', error)
  }
  if (isWaiting(doc)) throw new DocError('damaged_state', 'The stored document lacks a part it builds on.')
  return doc
}

/**
 * Changes a document as `inc` in one transaction. An edit that throws leaves nothing behind.
 * @throws DocError `damaged_state`
 * @source sync.md section 1: the client id is set after the load, because a load that meets it makes Yjs choose another
 */
export function editDoc<T>(state: Uint8Array | null, inc: number, edit: (doc: Y.Doc) => T): EditedDoc<T> {
  const doc = loadDoc(state)
  doc.clientID = inc
  const updates: Uint8Array[] = []
  doc.on('update', (update) => updates.push(update))
  const value = doc.transact(() => edit(doc))
  if (updates.length === 0) return { state: state ?? Y.encodeStateAsUpdate(doc), update: null, value }
  // Cleaning up after formats may take Yjs a second transaction.
  const update = updates.length === 1 ? updates[0]! : Y.mergeUpdates(updates)
  return { state: Y.encodeStateAsUpdate(doc), update, value }
}

/**
 * Merges an update from elsewhere on a copy of the document. Merging the same one again changes nothing.
 * @throws DocError `too_big` or `invalid` for the update, `damaged_state` for the state
 * @source sync.md section 10
 */
export function mergeUpdate<T = undefined>(
  state: Uint8Array | null,
  update: Uint8Array,
  options: MergeOptions<T> = {},
): MergedDoc<T> {
  const decoded = options.decoded ?? inspectUpdate(update, options.limits)
  const doc = loadDoc(state)
  const changedKeys = watchKeys(doc)
  let changed = false
  doc.on('afterTransactionCleanup', (transaction) => (changed ||= hasContent(transaction)))
  try {
    Y.applyUpdate(doc, update)
  } catch (error) {
    throw new DocError('invalid', 'The update cannot be merged.', error)
  }
  if (isWaiting(doc)) {
    return { state, changedKeys: new Set(), pending: true, missing: missingClients(doc, decoded), value: undefined }
  }
  return {
    state: changed || state === null ? Y.encodeStateAsUpdate(doc) : state,
    changedKeys,
    pending: false,
    missing: NOTHING,
    value: options.read?.(doc),
  }
}

function isWaiting(doc: Y.Doc): boolean {
  return doc.store.pendingStructs !== null || doc.store.pendingDs !== null
}

/** Whose structs the update builds on or removes that are not in the document. */
function missingClients(doc: Y.Doc, { ds }: DecodedUpdate): ReadonlySet<number> {
  const missing = new Set(doc.store.pendingStructs?.missing.keys())
  for (const [client, ranges] of ds.clients) {
    const known = Y.getState(doc.store, client)
    if (ranges.some((range) => range.clock + range.len > known)) missing.add(client)
  }
  return missing
}

/** Whether a transaction left anything in the document; a repeated update leaves nothing. */
function hasContent({ deleteSet, beforeState, afterState }: Y.Transaction): boolean {
  return deleteSet.clients.size > 0 || [...afterState].some(([client, clock]) => beforeState.get(client) !== clock)
}

/** Collects the keys that the next transactions touch. */
function watchKeys(doc: Y.Doc): Set<string> {
  const keys = new Set<string>()
  doc.getArray<unknown>(REGISTER_ROOT).observe(({ changes }) => {
    for (const items of [changes.added, changes.deleted]) {
      for (const item of items) for (const entry of item.content.getContent()) addKey(keys, entry)
    }
  })
  doc.getText(TEXT_ROOT).observe(() => keys.add(TEXT_ROOT))
  return keys
}

function addKey(keys: Set<string>, entry: unknown): void {
  if (isRegisterEntry(entry)) keys.add(entry[0])
}
