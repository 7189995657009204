// Owns when a person was last here: noted once in each visit, so that a look at another page does not end it.
import { readStored, writeStored } from '../../lib/storage.ts'

/** A visit ends when nobody came home for so long. */
const awayMs = 30 * 60_000

const known = new Map<string, string | undefined>()

/** ISO moment of the visit before this one; undefined for the first. */
export function lastVisitOf(person: string): string | undefined {
  if (known.has(person)) return known.get(person)
  const [began, last] = (readStored(`visits.${person}`) ?? '').split(' ')
  const now = new Date().toISOString()
  const isSame = last !== undefined && Date.now() - Date.parse(last) < awayMs
  const before = isSame ? began : last
  writeStored(`visits.${person}`, `${before ?? now} ${now}`)
  known.set(person, before || undefined)
  return known.get(person)
}

/** Notes that the visit goes on. */
export function noteVisit(person: string): void {
  const before = known.get(person)
  const now = new Date().toISOString()
  writeStored(`visits.${person}`, `${before ?? now} ${now}`)
}
