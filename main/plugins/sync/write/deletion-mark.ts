// What whoever deleted a record had seen of it, and what others wrote without knowing of the deletion. Knows registers;
// stores nothing.
import { compareHlc } from '#main/replication/core/hlc.ts'
import { convertedKey, convertedTextKey, isFormerText, parseKey } from '#main/replication/core/register-keys.ts'
import type { Register } from '#main/replication/core/register.ts'
import { haveSameStamp, nameOfEntry } from '#main/replication/core/replaced.ts'
import type { EntryName } from '#main/replication/core/replaced.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import type { Hlc, Json, RegisterEntry } from '#main/replication/core/types.ts'

/** Who deleted a record, when, and what of it was seen: entries of other stamps were made without knowing of it. */
export interface Deletion {
  readonly at: string
  readonly by: string
  /** The hashes of the long texts as they are by then, by the uid of their field; left out where none were looked at. */
  readonly texts?: () => Readonly<Record<string, string>>
  /** Of a removal for good: {@link seenStamps} of its feed and its approvals. */
  readonly feed?: Readonly<Record<string, string>>
  /** Of a removal for good, too: which letters stand in the long texts by then, by the uid of their field. */
  readonly letters?: () => Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** The mark of a deletion, as whoever deleted the record wrote it. */
export interface DeletionMark {
  /** Stamps as `ms.ctr` by incarnation. */
  readonly seen?: Readonly<Record<string, string>>
  readonly by?: unknown
  readonly at?: unknown
  readonly texts?: unknown
  /** As `seen`, of the feed and the approvals of a record that is removed for good. */
  readonly feed?: Readonly<Record<string, string>>
  readonly letters?: unknown
}

/** A deletion as it is written: with what of the record was seen. */
export function markOf({ at, by, texts, feed = {}, letters }: Deletion, seen: Readonly<Record<string, string>>): Json {
  const hasFeed = Object.keys(feed).length > 0
  const told = letters?.() ?? {}
  return {
    ...{ at, by, seen },
    ...(texts === undefined ? {} : { texts: texts() }),
    ...(hasFeed && { feed }),
    ...(Object.keys(told).length > 0 && { letters: told }),
  }
}

/** What {@link seenStamps} says, with what is written together with the mark: whoever deleted the record has seen that, too. */
export function seenWith({ register, inc, hlc }: EditPlace): Record<string, string> {
  return { ...seenStamps(register()), [inc]: `${hlc.ms}.${hlc.ctr}` }
}

/**
 * The greatest stamp of each incarnation among the live entries, as `ms.ctr` by incarnation: an entry above it, or of
 * another incarnation, was made by somebody who did not know of the deletion.
 */
export function seenStamps(register: Register): Record<string, string> {
  const seen: Record<string, [number, number]> = {}
  for (const { winner, losers } of register.values()) {
    for (const [, , ms, ctr, inc] of [winner, ...losers]) {
      const known = seen[inc]
      if (known === undefined || ms > known[0] || (ms === known[0] && ctr > known[1])) seen[inc] = [ms, ctr]
    }
  }
  return Object.fromEntries(Object.entries(seen).map(([inc, [ms, ctr]]) => [inc, `${ms}.${ctr}`]))
}

/**
 * What was seen when a mark was written before, and what is seen now: of each incarnation the later stamp.
 * @param until the clock of the mark before: nobody has seen what is later than that, and whoever says so is not believed
 */
export function seenSince(
  before: DeletionMark['seen'],
  now: Readonly<Record<string, string>>,
  until: Hlc,
): Record<string, string> {
  const seen = { ...now }
  // As in `isSeen`: a mark comes from elsewhere, and what is no stamp says nothing.
  for (const [inc, stamp] of Object.entries(before ?? {})) {
    if (typeof stamp !== 'string' || !/^\d+[.]\d+$/.test(stamp)) continue
    const [ms = 0, ctr = 0] = stamp.split('.').map(Number)
    if (compareHlc({ ms, ctr }, until) > 0) continue
    if (!isSeen({ key: '', inc: Number(inc), ms, ctr }, { seen })) seen[inc] = stamp
  }
  return seen
}

/** Whether an entry was there when the record was deleted. */
export function isSeen(entry: EntryName, { seen }: DeletionMark): boolean {
  // It comes from elsewhere: nobody has looked at its shape.
  if (typeof seen !== 'object' || seen === null) return false
  const stamp = Object.hasOwn(seen, String(entry.inc)) ? seen[String(entry.inc)] : undefined
  if (typeof stamp !== 'string') return false
  const [ms = 0, ctr = 0] = stamp.split('.').map(Number)
  return compareHlc(entry, { ms, ctr }) <= 0
}

/** What people wrote into fields without knowing of the deletion, by key. */
export function unseenEdits(register: Register, mark: DeletionMark): Map<string, RegisterEntry> {
  const unseen = new Map<string, RegisterEntry>()
  for (const [key, { winner }] of register) {
    const { part } = parseKey(key)
    if (key.startsWith('_') || isFormerText(part) || isSeen(nameOfEntry(winner), mark)) continue
    if (!isConverted(register, winner)) unseen.set(key, winner)
  }
  return unseen
}

/** Whether a long text is another one now than whoever deleted the record had seen; not where the mark does not tell. */
export function isUnseenText(
  register: Register,
  { texts }: DeletionMark,
  { field, text, hash }: { readonly field: string; readonly text: string; readonly hash: string },
): boolean {
  if (typeof texts !== 'object' || texts === null) return false
  if (Object.hasOwn(texts, field) ? (texts as Record<string, unknown>)[field] === hash : text === '') return false
  return register.get(convertedTextKey(field))?.winner[1] !== hash
}

/**
 * What says of values that a change of the definition writes into a deleted record that nobody wrote them. Nothing of a value
 * that takes the place of one by somebody who did not know of the deletion: that edit stays one.
 * @param uids of the fields that are written
 */
export function convertedPatch(register: Register, mark: DeletionMark, uids: Iterable<string>): Record<string, Json> {
  const edited = new Set([...unseenEdits(register, mark).keys()].map((key) => parseKey(key).uid))
  return Object.fromEntries([...uids].filter((uid) => !edited.has(uid)).map((uid) => [convertedKey(uid), '']))
}

function isConverted(register: Register, entry: RegisterEntry): boolean {
  const said = register.get(convertedKey(parseKey(entry[0]).uid))?.winner
  return said !== undefined && haveSameStamp(said, entry)
}
