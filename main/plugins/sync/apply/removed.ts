// Whether an object, or a field of one, was removed: what of records is left for it waits for nothing. Asks the document of
// the object, which remembers removals. Knows no record.
import type { Reads } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import { docField, isItemGone } from '../metadata/item-entries.ts'
import { readDocument } from '../store/doc-store.ts'

/** Whether an object, or the field of it that is named, was removed; false where nobody here has heard of it. */
export type IsRemoved = (reads: Pick<Reads, 'get'>, object: string, field?: string) => boolean

/** Looks into the document of an object. @throws DocError `damaged_state` */
export const isRemoved: IsRemoved = (reads, object, field) => {
  const register = readDocument(reads, formatDocName({ kind: 'metadata', type: 'object', uid: object }))?.register
  if (register === undefined) return false
  return isItemGone(register) || (field !== undefined && docField(register, field)?.isGone === true)
}
