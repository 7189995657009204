// How one text became another, word by word, and how two sets of such changes come together. Pure; knows no document and
// no field.

/** One change of a text: so many characters are taken out at a place and others put there. UTF-16 units. */
export interface TextChange {
  readonly at: number
  readonly remove: number
  readonly insert: string
}

/** Texts whose differing middles are longer are replaced as one piece. */
const maxMiddle = 64 * 1024

/** Differing words looked for before the middle is replaced as one piece. */
const maxDistance = 400

/**
 * The changes that make one text of another: common beginning and end, then words.
 * @returns in ascending order, places as they are in `before`
 */
export function textChanges(before: string, after: string): TextChange[] {
  if (before === after) return []
  const start = commonStart(before, after)
  const end = commonEnd(before, after, start)
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const whole = [{ at: start, remove: removed.length, insert: added }]
  if (removed === '' || added === '') return whole.map((change) => atWordStart(before, change))
  if (removed.length > maxMiddle || added.length > maxMiddle) return whole
  return wordChanges(wordsOf(removed), wordsOf(added))?.map((change) => narrowed(removed, change, start)) ?? whole
}

/** A text after changes of {@link textChanges} or {@link mergedChanges}. @internal Seen by tests. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  let result = text
  for (const { at, remove, insert } of changes.toReversed())
    result = result.slice(0, at) + insert + result.slice(at + remove)
  return result
}

/**
 * The changes that bring into `current` what made `other` of `base`, while what made `current` of `base` stays. What both
 * did alike is done once, also where one of them had only typed the beginning of it.
 * @returns in ascending order, places as they are in `current`; to be applied from the last to the first
 */
export function mergedChanges(base: string, current: string, other: string): TextChange[] {
  const ours = textChanges(base, current)
  const merged: TextChange[] = []
  for (const theirs of textChanges(base, other)) {
    const rival = ours.find((one) => one.at === theirs.at)
    if (rival?.remove === theirs.remove && rival.insert === theirs.insert) continue
    const insert = rival === undefined ? theirs.insert : restOf(theirs.insert, rival.insert)
    if (insert !== '') merged.push({ at: placeAfter(ours, theirs.at), remove: 0, insert })
    for (const [from, to] of untouched(ours, theirs.at, theirs.at + theirs.remove))
      merged.push({ at: placeAfter(ours, from), remove: to - from, insert: '' })
  }
  return merged
}

/** What of an insertion is not in one that was made at the same place already. */
function restOf(insert: string, present: string): string {
  if (present === '' || insert === '') return insert
  if (present.startsWith(insert)) return ''
  return insert.startsWith(present) ? insert.slice(present.length) : insert
}

/** Where a place of the base lies after the changes; after what was put at that very place. */
function placeAfter(changes: readonly TextChange[], place: number): number {
  let shift = 0
  for (const { at, remove, insert } of changes) {
    if (at > place) break
    if (at + remove > place) return at + shift + insert.length
    shift += insert.length - remove
  }
  return place + shift
}

/** The parts of a range of the base in which the changes neither took anything out nor put anything. */
function untouched(changes: readonly TextChange[], from: number, to: number): [from: number, to: number][] {
  const parts: [number, number][] = []
  let start = from
  for (const { at, remove } of changes) {
    if (at >= to) break
    if (at + remove < start) continue
    if (at > start) parts.push([start, at])
    start = Math.max(start, at + remove)
  }
  if (start < to) parts.push([start, to])
  return parts
}

/** A change of words without the letters that stay. */
function narrowed(text: string, { at, remove, insert }: TextChange, offset: number): TextChange {
  const old = text.slice(at, at + remove)
  const start = commonStart(old, insert)
  const end = commonEnd(old, insert, start)
  return { at: at + start + offset, remove: remove - start - end, insert: insert.slice(start, insert.length - end) }
}

/**
 * The same change begun at a word, where it can be: `a b` into `a a b` is the word put in, not the end of one and the
 * beginning of the next.
 */
function atWordStart(text: string, { at, remove, insert }: TextChange): TextChange {
  const moved = insert === '' ? text.slice(at, at + remove) : insert
  for (let step = 0; step < moved.length && step <= at; step += 1) {
    const place = at - step
    if (place === 0 || !wordUnit.test(text[place - 1]!)) {
      const turned = moved.slice(moved.length - step) + moved.slice(0, moved.length - step)
      return { at: place, remove, insert: insert === '' ? '' : turned }
    }
    if (text[place - 1] !== moved[moved.length - 1 - step]) break
  }
  return { at, remove, insert }
}

const wordUnit = /[\p{L}\p{N}_]|[\ud800-\udfff]/u

function commonStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  let at = 0
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1
  // Both halves of a character outside of the basic plane stay together.
  return at > 0 && isHighHalf(a.charCodeAt(at - 1)) ? at - 1 : at
}

function commonEnd(a: string, b: string, start: number): number {
  const most = Math.min(a.length, b.length) - start
  let count = 0
  while (count < most && a.charCodeAt(a.length - 1 - count) === b.charCodeAt(b.length - 1 - count)) count += 1
  return count > 0 && isLowHalf(a.charCodeAt(a.length - count)) ? count - 1 : count
}

const isHighHalf = (unit: number): boolean => (unit & 0xfc00) === 0xd800
const isLowHalf = (unit: number): boolean => (unit & 0xfc00) === 0xdc00

const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^]/gu) ?? []

/** The shortest way from one list of words to another; null when it is longer than is looked for. @source Myers 1986 */
function wordChanges(a: readonly string[], b: readonly string[]): TextChange[] | null {
  const reach = new Map<number, number>([[1, 0]])
  const steps: Map<number, number>[] = []
  const most = Math.min(a.length + b.length, maxDistance)
  for (let distance = 0; distance <= most; distance += 1) {
    steps.push(new Map(reach))
    for (let line = -distance; line <= distance; line += 2) {
      const down = line === -distance || (line !== distance && reach.get(line - 1)! < reach.get(line + 1)!)
      let x = down ? reach.get(line + 1)! : reach.get(line - 1)! + 1
      while (x < a.length && x - line < b.length && a[x] === b[x - line]) x += 1
      reach.set(line, x)
      if (x >= a.length && x - line >= b.length) return walkBack(a, b, steps)
    }
  }
  return null
}

/** Reads the way from its end, and joins neighbouring steps. */
function walkBack(a: readonly string[], b: readonly string[], steps: readonly Map<number, number>[]): TextChange[] {
  const edits: { a: number; b: number; isInsert: boolean }[] = []
  let x = a.length
  let y = b.length
  for (let distance = steps.length - 1; distance > 0; distance -= 1) {
    const reach = steps[distance]!
    const line = x - y
    const down = line === -distance || (line !== distance && reach.get(line - 1)! < reach.get(line + 1)!)
    const before = down ? line + 1 : line - 1
    x = reach.get(before)!
    y = x - before
    edits.push({ a: x, b: y, isInsert: down })
  }
  const offsets = [0]
  for (const word of a) offsets.push(offsets.at(-1)! + word.length)
  const changes: { at: number; remove: number; insert: string }[] = []
  for (const edit of edits.toReversed()) {
    const at = offsets[edit.a]!
    const last = changes.at(-1)
    const joined = last !== undefined && last.at + last.remove === at ? last : { at, remove: 0, insert: '' }
    if (joined !== last) changes.push(joined)
    if (edit.isInsert) joined.insert += b[edit.b]!
    else joined.remove += a[edit.a]!.length
  }
  return changes
}
