// Keeps the documents of one record in an index. A changed record gets a new document and leaves the old one behind as
// stale: taking words out of an index with `secure-delete` costs ten times as much as putting words in, so that work
// waits for a quiet moment. A record that is removed takes all its documents with it at once.
import type { Tx } from '#main/kernel/database.ts'
import {
  deleteDocument,
  deleteStale,
  firstDocument,
  generations,
  insertDocument,
  insertStale,
  readDocument,
  readStale,
} from '../store.ts'

/** Adds a record that has no documents. */
export function addDocument(tx: Tx, objectUid: string, row: number, texts: readonly string[]): void {
  if (!isEmpty(texts)) insertDocument(tx, objectUid, firstDocument(row), texts)
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
  const doc = isEmpty(before) ? undefined : readDocument(tx, objectUid, row)
  const next = doc === undefined ? firstDocument(row) : doc + 1
  if (isEmpty(after) || doc === undefined || next === firstDocument(row) + generations) {
    removeDocuments(tx, objectUid, row, before)
    addDocument(tx, objectUid, row, after)
    return false
  }
  insertStale(tx, objectUid, { doc, texts: before })
  insertDocument(tx, objectUid, next, after)
  return true
}

/** Removes all documents of a record, stale ones too. @param texts the ones the present document was indexed with */
export function removeDocuments(tx: Tx, objectUid: string, row: number, texts: readonly string[]): void {
  const from = firstDocument(row)
  for (const stale of readStale(tx, objectUid, { from, to: from + generations - 1, limit: generations })) {
    deleteDocument(tx, objectUid, stale.doc, stale.texts)
    deleteStale(tx, objectUid, stale.doc)
  }
  const doc = isEmpty(texts) ? undefined : readDocument(tx, objectUid, row)
  if (doc !== undefined) deleteDocument(tx, objectUid, doc, texts)
}

/** Whether there is nothing to index: such a record has no document. */
function isEmpty(texts: readonly string[]): boolean {
  return texts.every((text) => text === '')
}
