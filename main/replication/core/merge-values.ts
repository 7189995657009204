// What a register means for a row: one value per field, and the conflicts people should see. Knows how fields are merged,
// nothing of their types, of rows or of who is told.
import { sameJson } from './json-value.ts'
import { DELETED_KEY, isFormerText, memberOf, parseKey } from './register-keys.ts'
import { readMembers, readSum } from './register-patches.ts'
import type { Register } from './register.ts'
import type { Json, RegisterEntry, RegisterValue } from './types.ts'

/** How concurrent writes of a field come together. */
export type FieldMerge =
  /** The later one wins, the other one is a conflict. */
  | 'latest'
  /** A list: members are added and removed one by one. */
  | 'members'
  /** A number: what each machine added is summed up. */
  | 'sum'

/** What the projection has to know of a field. */
export interface MergedField {
  readonly uid: string
  readonly merge: FieldMerge
}

/** Concurrent writes with different values. The key of the entries says which member, where it is one. */
export interface FieldConflict {
  readonly uid: string
  readonly winner: RegisterEntry
  readonly losers: readonly RegisterEntry[]
}

/** A register, projected. */
export interface MergedValues {
  /** By uid; fields nothing was ever written to are absent. */
  readonly values: ReadonlyMap<string, Json>
  /** Everything that was written concurrently and differs from what won. Equal values are settled silently. */
  readonly conflicts: readonly FieldConflict[]
  /** Who deleted the record and when; null for a live one. */
  readonly deleted: Json
  /** Of fields that are no lists any more: what was written to members and is in no value of the whole, by uid. */
  readonly strays: ReadonlyMap<string, readonly RegisterEntry[]>
  /** Uids that no field here has: of a newer schema. Their entries stay as they are. */
  readonly unknown: readonly string[]
}

/** What was asked of a register last: the rights of a change and its row follow from the same values. */
const known = new WeakMap<Register, { readonly fields: readonly MergedField[]; readonly values: MergedValues }>()

/**
 * Projects a register onto the fields that are known here.
 * @source sync.md sections 4, 5 and 17
 */
export function mergeValues(register: Register, fields: readonly MergedField[]): MergedValues {
  const found = known.get(register)
  if (found?.fields === fields) return found.values
  const values = projected(register, fields)
  known.set(register, { fields, values })
  return values
}

function projected(register: Register, fields: readonly MergedField[]): MergedValues {
  const merges = new Map(fields.map(({ uid, merge }) => [uid, merge]))
  const values = new Map<string, Json>()
  const inParts = new Map<string, { base: Json | undefined; parts: Map<string, Json> }>()
  const unknown = new Set<string>()
  const conflicts: FieldConflict[] = []
  const strays = new Map<string, RegisterEntry[]>()
  for (const [key, value] of register) {
    const { uid, part } = parseKey(key)
    const merge = uid.startsWith('_') ? 'latest' : merges.get(uid)
    if (part !== null && merge !== 'members') {
      const stray = strayOf(value)
      if (stray !== null) strays.set(uid, [...(strays.get(uid) ?? []), stray])
    }
    if (merge === undefined) {
      unknown.add(uid)
      continue
    }
    if (isFormerText(part)) continue
    // The share of a sum is a part of the value, and one that was added without knowing that all were taken up in a value is
    // listed.
    if (merge === 'latest' && part !== null && !hasShare(value)) continue
    const conflict = conflictOf(uid, value)
    if (conflict !== null) conflicts.push(conflict)
    if (merge === 'latest' && part === null) {
      if (merges.has(uid)) values.set(uid, value.winner[1])
      continue
    }
    let field = inParts.get(uid)
    if (field === undefined) inParts.set(uid, (field = { base: undefined, parts: new Map() }))
    if (part === null) field.base = value.winner[1]
    else field.parts.set(key, value.winner[1])
  }
  for (const [uid, { base, parts }] of inParts) {
    const merge = merges.get(uid)
    const field = { uid, base: merge === 'latest' ? register.get(uid)?.winner[1] : base, parts }
    values.set(uid, merge === 'members' ? readMembers(field) : readSum(field))
  }
  for (const [uid, entries] of strays) {
    if (merges.get(uid) !== 'latest') continue
    const whole = register.get(uid)?.winner
    const [first, ...others] = entries.filter((entry) => entry[1] === true)
    if (whole === undefined && first !== undefined) {
      // Nobody has written it as a whole: it is what its members are.
      values.set(uid, others.length === 0 ? strayValue(first) : [first, ...others].map(strayValue))
      if (others.length > 0) conflicts.push({ uid, winner: first, losers: others })
    } else if (whole !== undefined) {
      const losers = entries.filter((entry) => isLost(entry, whole[1]))
      if (losers.length > 0) conflicts.push({ uid, winner: whole, losers })
    }
  }
  const deleted = register.get(DELETED_KEY)?.winner[1] ?? null
  return { values, conflicts, deleted, strays, unknown: [...unknown] }
}

/** What somebody wrote to a member who did not know that all were taken up in a value; null for nothing. */
function strayOf({ winner, losers }: RegisterValue): RegisterEntry | null {
  const sides = [winner, ...losers]
  const added = sides.find(([, value]) => value === true)
  if (added !== undefined) return added
  return sides.some(([, value]) => value === null) ? (sides.find(([, value]) => value === false) ?? null) : null
}

/** What a field that is no list any more would be by the entry of a member: the member, or null when it was taken away. */
export function strayValue([key, value]: RegisterEntry): Json {
  return value === true ? memberOf(parseKey(key).part ?? '') : null
}

/** Whether a value tells nothing of what was written to a member: who took one away only minds where it stands. */
function isLost(entry: RegisterEntry, whole: Json): boolean {
  const member = memberOf(parseKey(entry[0]).part ?? '')
  return (entry[1] === true) !== sameJson(member, whole)
}

/** Whether one of the sides of a part is the share of a sum. */
function hasShare({ winner, losers }: RegisterValue): boolean {
  return typeof winner[1] === 'number' || losers.some((loser) => typeof loser[1] === 'number')
}

function conflictOf(uid: string, { winner, losers }: RegisterValue): FieldConflict | null {
  if (losers.length === 0) return null
  const different = losers.filter((loser) => !sameJson(loser[1], winner[1]))
  return different.length === 0 ? null : { uid, winner, losers: different }
}
