// Where fields stand in their object: a number per field, so that two people can add or move fields at once. Pure.

/**
 * The numbers that have to be written so that fields stand as in `sequence`.
 * @param known the numbers that are written already, of other fields too
 * @param before the sequence before the change; fields whose neighbours did not change keep their numbers. Null: unknown
 */
export function orderPatch(
  known: ReadonlyMap<string, number>,
  sequence: readonly string[],
  before: readonly string[] | null,
): ReadonlyMap<string, number> {
  const numbered = sequence.filter((uid) => known.has(uid))
  const rising = () => place(known, sequence, new Set(longestRising(numbered, known)))
  if (before === null || isMoved(before, sequence)) return rising()
  const was = new Set(before)
  const patch = place(known, sequence, new Set(numbered.filter((uid) => was.has(uid))))
  // Fields that share a number leave no room between them. What others moved meanwhile is not moved back.
  const isPlaced = isOrdered(new Map([...known, ...patch]), sequence)
  return isPlaced || !isOrdered(known, before) ? patch : rising()
}

/** Numbers for all but the kept ones. */
function place(
  known: ReadonlyMap<string, number>,
  sequence: readonly string[],
  kept: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const taken = new Set(known.values())
  const patch = new Map<string, number>()
  let last: number | undefined
  for (const [index, uid] of sequence.entries()) {
    if (kept.has(uid)) {
      last = known.get(uid)!
      continue
    }
    const next = nextTaken(taken, last, sequence.slice(index + 1), kept, known)
    const order = between(last, next)
    if (order === null) return new Map(sequence.map((one, at) => [one, at]))
    patch.set(uid, order)
    taken.add(order)
    last = order
  }
  return patch
}

/** Whether numbers put fields in a sequence; of two with one number the smaller uid comes first. */
function isOrdered(orders: ReadonlyMap<string, number>, sequence: readonly string[]): boolean {
  return sequence.every((uid, index) => {
    if (index === 0) return true
    const [left, right] = [orders.get(sequence[index - 1]!) ?? Infinity, orders.get(uid) ?? Infinity]
    return left < right || (left === right && sequence[index - 1]! < uid)
  })
}

/** The number a new one has to stay below: the least above `last`, or that of the first kept field when it comes first. */
function nextTaken(
  taken: ReadonlySet<number>,
  last: number | undefined,
  rest: readonly string[],
  kept: ReadonlySet<string>,
  known: ReadonlyMap<string, number>,
): number | undefined {
  if (last === undefined) {
    const first = rest.find((uid) => kept.has(uid))
    return first === undefined ? undefined : known.get(first)
  }
  let least: number | undefined
  for (const order of taken) if (order > last && (least === undefined || order < least)) least = order
  return least
}

/** Null when there is no number left between two. */
function between(last: number | undefined, next: number | undefined): number | null {
  if (last === undefined) return next === undefined ? 0 : next - 1
  if (next === undefined) return Math.floor(last) + 1
  const middle = last + (next - last) / 2
  return middle > last && middle < next ? middle : null
}

function isMoved(before: readonly string[], after: readonly string[]): boolean {
  const stays = new Set(after)
  const was = new Set(before)
  const left = before.filter((uid) => stays.has(uid))
  const right = after.filter((uid) => was.has(uid))
  return left.some((uid, index) => uid !== right[index])
}

/** The longest part of the sequence whose numbers rise: these fields need no new ones. */
function longestRising(sequence: readonly string[], known: ReadonlyMap<string, number>): string[] {
  const best: { length: number; previous: number }[] = []
  let end = -1
  for (const [index, uid] of sequence.entries()) {
    let entry = { length: 1, previous: -1 }
    for (let other = 0; other < index; other += 1) {
      const fits = known.get(sequence[other]!)! < known.get(uid)!
      if (fits && best[other]!.length + 1 > entry.length) entry = { length: best[other]!.length + 1, previous: other }
    }
    best.push(entry)
    if (end < 0 || entry.length > best[end]!.length) end = index
  }
  const result: string[] = []
  for (let at = end; at >= 0; at = best[at]!.previous) result.unshift(sequence[at]!)
  return result
}
