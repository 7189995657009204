// Keeps the documents of one record in an index. A changed record gets a new document and leaves the old one behind as
// stale: taking words out of an index with `secure-delete` costs ten times as much as putting words in, so that work
// waits for a quiet moment, and so do those of records in the trash, whose texts their rows hold all the same. A record
// that is removed for good takes all its documents with it at once, or leaves them as stale where somebody sees to it
// that they go. Another record may have its number by then, so its documents come after those.
import type { Tx } from '#main/kernel/database.ts'
import {
  deleteDocument,
  deleteStale,
  firstDocument,
  generations,
  insertDocument,
  insertStale,
  lowestFreeNumber,
  readNumbers,
  readStale,
} from '../store.ts'
import type { UsedNumbers } from '../store.ts'

/**
 * Adds a record that has no documents.
 * @param mayBeTaken whether a former record of its number can have left some
 */
export function addDocument(
  tx: Tx,
  objectUid: string,
  row: number,
  texts: readonly string[],
  mayBeTaken: boolean,
): void {
  if (isEmpty(texts)) return
  if (!mayBeTaken) {
    insertDocument(tx, objectUid, firstDocument(row), texts)
    return
  }
  let next = nextNumber(row, readNumbers(tx, objectUid, row))
  if (next === null) {
    removeDocuments(tx, objectUid, row, [])
    next = lowestFreeNumber(tx, objectUid, row)
  }
  insertDocument(tx, objectUid, next, texts)
}

/**
 * Replaces a record's document.
 * @param before the texts the present document was indexed with
 * @returns whether a stale document was left behind
 */
export function replaceDocument(
  tx: Tx,
  objectUid: string,
  row: number,
  before: readonly string[],
  after: readonly string[],
): boolean {
  const used = isEmpty(before) ? undefined : readNumbers(tx, objectUid, row)
  const doc = used?.newest ?? null
  const next = used === undefined ? null : nextNumber(row, used)
  if (isEmpty(after) || doc === null || next === null) {
    removeDocuments(tx, objectUid, row, before)
    addDocument(tx, objectUid, row, after, true)
    return false
  }
  insertStale(tx, objectUid, { doc, texts: before })
  insertDocument(tx, objectUid, next, after)
  return true
}

/**
 * Removes all documents of a record, stale ones too.
 * @param texts the ones the present document was indexed with; empty where it has none
 * @returns whether some are struck already and leave with the merge alone
 */
export function removeDocuments(tx: Tx, objectUid: string, row: number, texts: readonly string[]): boolean {
  const from = firstDocument(row)
  for (const stale of readStale(tx, objectUid, { from, to: from + generations - 1, limit: generations })) {
    deleteDocument(tx, objectUid, stale.doc, stale.texts)
    deleteStale(tx, objectUid, stale.doc)
  }
  const { newest, stale } = readNumbers(tx, objectUid, row)
  if (!isEmpty(texts) && newest !== null) deleteDocument(tx, objectUid, newest, texts)
  return stale !== null
}

/** Leaves the document of a record that is removed or hidden as a stale one. @returns whether there was one */
export function leaveDocument(tx: Tx, objectUid: string, row: number, texts: readonly string[]): boolean {
  const doc = isEmpty(texts) ? null : readNumbers(tx, objectUid, row).newest
  if (doc !== null) insertStale(tx, objectUid, { doc, texts })
  return doc !== null
}

/** The number after all in use, or null when there is none left. */
function nextNumber(row: number, { newest, stale }: UsedNumbers): number | null {
  const next = Math.max(newest ?? -1, stale ?? -1, firstDocument(row) - 1) + 1
  return next < firstDocument(row) + generations ? next : null
}

/** Whether there is nothing to index: such a record has no document. */
function isEmpty(texts: readonly string[]): boolean {
  return texts.every((text) => text === '')
}
