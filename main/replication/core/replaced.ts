// What an edit of a register replaced: named by key and stamp, since the values are in the log already. It travels beside
// the update, so that every machine can tell what both sides of a conflict began from. Knows no log.
import { isHlc } from './hlc.ts'
import type { Register } from './register.ts'
import type { Fact, Json, RegisterEntry } from './types.ts'

/** An entry by its name: key, stamp and incarnation. */
export interface EntryName {
  readonly key: string
  readonly ms: number
  readonly ctr: number
  readonly inc: number
}

const KIND = 'replaced'
/** A change of more is told without; what it began from is unknown then. */
const maxEntries = 2_000
const maxChars = 64 * 1024

/** The name of an entry. */
export function nameOfEntry([key, , ms, ctr, inc]: RegisterEntry): EntryName {
  return { key, ms, ctr, inc }
}

/** The entries that were there before and are not any more. */
export function replacedEntries(before: Register, after: Register): EntryName[] {
  const replaced: EntryName[] = []
  for (const [key, value] of before) {
    const now = after.get(key)
    if (now === value) continue
    const left = now === undefined ? [] : [now.winner, ...now.losers]
    for (const entry of [value.winner, ...value.losers]) {
      if (!left.some((one) => haveSameStamp(one, entry))) replaced.push(nameOfEntry(entry))
    }
  }
  return replaced
}

/** As it travels; none where it would be too much. */
export function replacedFacts(replaced: readonly EntryName[]): readonly Fact[] {
  if (replaced.length > maxEntries) return []
  const chars = replaced.reduce((sum, { key }) => sum + key.length, 0)
  if (chars > maxChars) return []
  return [{ id: 'r', kind: KIND, value: replaced.map(({ key, ms, ctr, inc }) => [key, ms, ctr, inc]) }]
}

/** Reads it; null where nothing says what was replaced. */
export function readReplaced(facts: readonly Fact[]): readonly EntryName[] | null {
  const fact = facts.find(({ kind }) => kind === KIND)
  if (fact === undefined || !Array.isArray(fact.value)) return null
  const names: EntryName[] = []
  for (const item of fact.value as readonly Json[]) {
    const [key, ms, ctr, inc] = Array.isArray(item) ? (item as readonly Json[]) : []
    if (typeof key !== 'string' || !isHlc(ms, ctr) || typeof inc !== 'number') return null
    names.push({ key, ms: ms as number, ctr: ctr as number, inc })
  }
  return names
}

/** Whether two entries were written at once by one machine. */
export function haveSameStamp(a: RegisterEntry, b: RegisterEntry): boolean {
  return a[2] === b[2] && a[3] === b[3] && a[4] === b[4]
}
