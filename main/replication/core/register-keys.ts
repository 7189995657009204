// Keys of a register: a field, a member of a list field, the share of one machine in a sum. Knows no document.
import type { Json } from './types.ts'

/** Set to who deleted the record and when, or null. */
export const DELETED_KEY = '_del'

const SEPARATOR = '\0'
/** Marks a member that is not a string; what follows is its JSON. */
const JSON_MARK = '\x01'

/** A key in its parts: `part` is null for the field itself. */
export interface RegisterKey {
  readonly uid: string
  readonly part: string | null
}

/** The key of one member of a list field; its value is true while the member is in the list, false after that. */
export function memberKey(uid: string, member: Json): string {
  const plain = typeof member === 'string' && !member.startsWith(JSON_MARK)
  return uid + SEPARATOR + (plain ? member : JSON_MARK + sortedJson(member))
}

/** The key of the share one incarnation has in a sum. */
export function shareKey(uid: string, inc: number): string {
  return uid + SEPARATOR + String(inc)
}

const FORMER_TEXT = '\x02text'

/**
 * The key of what is known of the long text a field was before: the hash of the text when its value moved into the
 * register. Another text in its document was written by somebody who did not know of the move.
 */
export function formerTextKey(uid: string): string {
  return uid + SEPARATOR + FORMER_TEXT
}

/** Whether the part of a key is that of {@link formerTextKey}. */
export function isFormerText(part: string | null): boolean {
  return part === FORMER_TEXT
}

/**
 * The key that says of a field of a deleted record that a change of the definition wrote it, and nobody: it is written beside
 * the value, under the same stamp.
 */
export function convertedKey(uid: string): string {
  return `_conv${SEPARATOR}${uid}`
}

/** The same of a long text: it holds the hash of the text that the change of the definition made. */
export function convertedTextKey(uid: string): string {
  return `_convtext${SEPARATOR}${uid}`
}

/** How the keys of all parts of a field begin, and no others. */
export function partPrefix(uid: string): string {
  return uid + SEPARATOR
}

/** Takes a key apart; the parts of a key without a separator are itself and null. */
export function parseKey(key: string): RegisterKey {
  const at = key.indexOf(SEPARATOR)
  return at < 0 ? { uid: key, part: null } : { uid: key.slice(0, at), part: key.slice(at + 1) }
}

/** The member a part stands for. A part that pretends to be JSON and is none is a string. */
export function memberOf(part: string): Json {
  if (!part.startsWith(JSON_MARK)) return part
  try {
    return JSON.parse(part.slice(1)) as Json
  } catch {
    return part
  }
}

/** JSON whose text is equal for equal values, so that the same member has the same key everywhere. */
function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, item: Json) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
