// What follows from who had seen what: of the writes of one thing those that no other one had seen, and which of them is the
// latest. Knows the journal, nothing of how machines merge.
import { compareHlc } from '#main/replication/core/hlc.ts'
import type { RegisterEntry } from '#main/replication/core/types.ts'
import type { Written } from './host-journal.ts'
import { hadSeen } from './host-journal.ts'

/** An entry and the envelope that brought it. */
export interface Mark {
  readonly entry: RegisterEntry
  readonly by: Written
}

/** Whether an author took away what was there of a key, and put nothing in its place. */
export type Removes = (by: Written, key: string) => boolean

/** What is alive of each key of a document: writes that no other write or removal of the key had seen. */
export function aliveOf(
  doc: string,
  writes: readonly Written[],
  removes: Removes = () => false,
  emptied: readonly Written[] = [],
): ReadonlyMap<string, readonly Mark[]> {
  const byKey = new Map<string, Mark[]>()
  for (const by of writes) {
    for (const one of by.docs) {
      if (one.doc !== doc) continue
      for (const entry of one.entries) byKey.set(entry[0], [...(byKey.get(entry[0]) ?? []), { entry, by }])
    }
  }
  const alive = [...byKey].map(([key, marks]): [string, readonly Mark[]] => {
    const removers = writes.filter((by) => removes(by, key))
    const kept = marks.filter(
      ({ by }) =>
        !marks.some((other) => hadSeen(other.by, by)) &&
        !removers.some((other) => hadSeen(other, by)) &&
        (key === '_purge' || !emptied.some((other) => hadSeen(other, by))),
    )
    return [key, kept]
  })
  return new Map(alive.filter(([, marks]) => marks.length > 0))
}

/** Whether a removal is alive of a definition, and whether something of it is that no removal had seen. */
export function removalIn(alive: ReadonlyMap<string, readonly Mark[]>, isRemoved: boolean): 'none' | 'seen' | 'unseen' {
  const removals = (alive.get('_del') ?? []).filter(({ entry }) => entry[1] !== null)
  if (!isRemoved) return 'none'
  const others = [...alive].flatMap(([key, marks]) => (key === '_del' ? [] : marks))
  const isSeen = ({ by }: Mark): boolean => removals.some((one) => one.by === by || hadSeen(one.by, by))
  return others.every(isSeen) ? 'seen' : 'unseen'
}

/** Writes from the latest to the earliest: by true time, or by their stamps where clocks may be wrong. */
export function latestFirst<T extends { readonly by: Written }>(
  marks: readonly T[],
  skewed: boolean,
  stampOfMark: (mark: T) => { ms: number; ctr: number; inc: number } = ({ by }) => ({ ...by.hlc, inc: by.inc }),
): T[] {
  return marks.toSorted((a, b) => {
    if (!skewed && b.by.time !== a.by.time) return b.by.time - a.by.time
    const [one, other] = [stampOfMark(b), stampOfMark(a)]
    return compareHlc(one, other) || one.inc - other.inc
  })
}

/** @throws Error when two values differ in JSON */
export function same(what: string, actual: unknown, expected: unknown): void {
  const [a, b] = [JSON.stringify(actual) ?? 'nothing', JSON.stringify(expected) ?? 'nothing']
  if (a === b) return
  // Of long ones the part where they begin to differ.
  const first = [...a].findIndex((letter, index) => letter !== b[index])
  const from = Math.max(0, (first < 0 ? a.length : first) - 200)
  throw new Error(`${what}: ${a.slice(from, from + 1000)} instead of ${b.slice(from, from + 1000)}`)
}
