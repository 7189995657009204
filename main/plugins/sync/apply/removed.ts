// Whether an object, or a field of one, was removed: what of records is left for it waits for nothing. Asks the document of
// the object, which remembers removals. Knows no record.
import type { Reads } from '#main/kernel/database.ts'
import { formatDocName } from '#main/replication/core/doc-names.ts'
import type { Register } from '#main/replication/core/register.ts'
import { docField, isItemAtRest, isItemGone } from '../metadata/item-entries.ts'
import { readDocument } from '../store/doc-store.ts'

/** Whether an object, or the field of it that is named, was removed; false where nobody here has heard of it. */
export type IsRemoved = (reads: Pick<Reads, 'get'>, object: string, field?: string) => boolean

/** Looks into the document of an object. @throws DocError `damaged_state` */
export const isRemoved: IsRemoved = (reads, object, field) => {
  const register = registerOf(reads, object)
  if (register === undefined) return false
  return isItemGone(register) || (field !== undefined && docField(register, field)?.isGone === true)
}

/** Whether an object is known here and not in force: what is written to its records waits for it to be so again. */
export function isAtRest(reads: Pick<Reads, 'get'>, object: string): boolean {
  const register = registerOf(reads, object)
  return register !== undefined && isItemAtRest(register)
}

function registerOf(reads: Pick<Reads, 'get'>, object: string): Register | undefined {
  return readDocument(reads, formatDocName({ kind: 'metadata', type: 'object', uid: object }))?.register
}
