// Owns where the records of a week lie beside each other: a lane for each, so that none covers another. Pure.

/** A record with its days; `to` is the last one. */
export interface Spanned {
  from: string
  to: string
}

/** A piece of a record in one week, in columns counted from 0. */
export interface Segment<Item extends Spanned> {
  item: Item
  lane: number
  first: number
  last: number
  /** Whether it begins in this week, and whether it ends in it. */
  starts: boolean
  ends: boolean
}

/** The pieces of a week: earlier ones and longer ones are higher, and each is in the first lane that is free. */
export function layLanes<Item extends Spanned>(items: readonly Item[], week: readonly string[]): Segment<Item>[] {
  const [monday = ''] = week
  const sunday = week.at(-1) ?? monday
  const here = items
    .filter(({ from, to }) => from <= sunday && to >= monday)
    .map((item) => {
      const starts = item.from >= monday
      const ends = item.to <= sunday
      return {
        item,
        starts,
        ends,
        first: starts ? week.indexOf(item.from) : 0,
        last: ends ? week.indexOf(item.to) : week.length - 1,
      }
    })
    .toSorted((a, b) => a.first - b.first || b.last - a.last)
  const taken: number[] = []
  return here.map((piece) => {
    const free = taken.findIndex((last) => last < piece.first)
    const lane = free < 0 ? taken.length : free
    taken[lane] = piece.last
    return { ...piece, lane }
  })
}

/** How many pieces of each day are in lanes beyond the first ones. */
export function hiddenByDay(segments: readonly Segment<Spanned>[], days: number, lanes: number): number[] {
  return Array.from(
    { length: days },
    (_, day) => segments.filter(({ lane, first, last }) => lane >= lanes && first <= day && last >= day).length,
  )
}
