// What each document must be: the log alone makes it, the latest of what nobody had seen counts, and every character that
// was typed is there. Works from envelopes, and merges them only to compare.
import { compareHlc } from '#main/replication/core/hlc.ts'
import { hashEntries, logicalHash } from '#main/replication/core/logical-hash.ts'
import { loadDoc, mergeUpdate } from '#main/replication/core/record-doc.ts'
import { liveEntries } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Hlc, RegisterEntry } from '#main/replication/core/types.ts'
import type { Written } from './host-journal.ts'
import { hadSeen, placeOf } from './host-journal.ts'
import type { Mark } from './oracle-marks.ts'
import { latestFirst, same } from './oracle-marks.ts'
import { hex, stampOf } from './stored-docs.ts'

/** Compares a register with what is alive of each key. @returns how many keys were written at once */
export function assertRegister(
  doc: string,
  register: Register,
  alive: ReadonlyMap<string, readonly Mark[]>,
  skewed: boolean,
): number {
  same(`keys of ${doc}`, [...register.keys()].sort(), [...alive.keys()].sort())
  let concurrent = 0
  for (const [key, marks] of alive) {
    const { winner, losers } = register.get(key)!
    same(
      `entries of ${key} in ${doc}`,
      [winner, ...losers].map(stampOf).sort(),
      marks.map(({ entry }) => stampOf(entry)).sort(),
    )
    const [latest] = latestFirst(marks, skewed, ({ entry: [, , ms, ctr, inc] }) => ({ ms, ctr, inc }))
    same(`winner of ${key} in ${doc}`, stampOf(winner), stampOf(latest!.entry))
    same(`value of ${key} in ${doc}`, winner[1], latest!.entry[1])
    if (losers.length > 0) concurrent += 1
  }
  return concurrent
}

/** Every character that was typed is there once, unless somebody removed it. */
export function assertText(doc: string, writes: readonly Written[], text: string, emptied: readonly Written[]): void {
  const comebacks = writes.filter(({ isComeback }) => isComeback)
  const kept = writes.filter((one) => ![...emptied, ...comebacks].some((other) => hadSeen(other, one)))
  const addedBy = ({ notes }: Written): string[] =>
    notes.flatMap((note) => (note.doc === doc ? (note.added ?? []) : []))
  // Several machines that bring the same text back write the same letters.
  const texts = Map.groupBy(kept, (one) => (one.isComeback ? addedBy(one).join('') : placeOf(one)))
  const expected = [...texts.values()].flatMap((same) => {
    const isAfter = (one: Written): boolean => same.some((other) => one === other || hadSeen(one, other))
    const seen = same[0]!.isComeback ? writes.filter(isAfter) : writes
    const removed = new Set(seen.flatMap(({ notes }) => notes.map((note) => note.removed)))
    return addedBy(same[0]!).filter((added) => !removed.has(added))
  })
  same(`characters of ${doc}`, [...text].sort(), expected.sort())
}

/** An edit ranks above everything its author had seen in the document. */
export function assertRank(doc: string, writes: readonly Written[]): void {
  const stampsOf = (one: Written): Hlc[] =>
    one.docs.filter((part) => part.doc === doc).flatMap(({ entries }) => entries.map(([, , ms, ctr]) => ({ ms, ctr })))
  for (const later of writes) {
    for (const earlier of writes) {
      if (later === earlier || !hadSeen(later, earlier)) continue
      const [first, last] = [stampsOf(later), stampsOf(earlier)]
      if (first.some((stamp) => last.some((other) => compareHlc(stamp, other) <= 0)))
        throw new Error(`An edit of ${doc} ranks below one that its author had seen.`)
    }
  }
}

/**
 * The log alone makes the document that is stored.
 * @param emptied by whom a feed was emptied with its record, whose own removal may wait for what is lost
 */
export function assertReplay(
  doc: string,
  writes: readonly Written[],
  expected: string,
  emptied: readonly Written[] = [],
): void {
  const { state, waiting } = replay(doc, writes)
  const replayed = loadDoc(state)
  const isGone = (entry: unknown): boolean =>
    writes.some(
      (one) =>
        emptied.some((other) => hadSeen(other, one)) &&
        one.docs.some((of) => of.doc === doc && of.entries.some((held) => isSame(held, entry))),
    )
  const hash =
    doc.startsWith('f/') && emptied.length > 0
      ? hashEntries(
          doc,
          liveEntries(replayed).filter((entry) => !isGone(entry)),
        )
      : logicalHash(doc, replayed)
  same(`log of ${doc}`, [waiting.length, hex(hash)], [0, expected])
}

function isSame([key, , ms, ctr, inc]: RegisterEntry, entry: unknown): boolean {
  const [otherKey, , ...stamp] = entry as RegisterEntry
  return otherKey === key && String(stamp) === String([ms, ctr, inc])
}

/** Some envelopes and all that cannot be merged without them. */
export function withFollowing(stored: readonly Written[], missing: ReadonlySet<string>): ReadonlySet<string> {
  const left = new Set(missing)
  for (let before = -1; before < left.size;) {
    before = left.size
    const there = stored.filter((one) => !left.has(placeOf(one)))
    const touched = new Set(
      stored.filter((one) => left.has(placeOf(one))).flatMap(({ docs }) => docs.map(({ doc }) => doc)),
    )
    for (const doc of touched) for (const one of replay(doc, there).waiting) left.add(placeOf(one))
  }
  return left
}

function replay(doc: string, writes: readonly Written[]): { state: Uint8Array | null; waiting: readonly Written[] } {
  let state: Uint8Array | null = null
  let waiting = writes.flatMap((by) => by.docs.filter((one) => one.doc === doc).map(({ update }) => ({ by, update })))
  for (let before = Infinity; waiting.length < before;) {
    before = waiting.length
    waiting = waiting.filter(({ update }) => {
      const merged = mergeUpdate(state, update)
      state = merged.state
      return merged.pending
    })
  }
  return { state, waiting: waiting.map(({ by }) => by) }
}
