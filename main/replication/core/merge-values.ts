// What a register means for a row: one value per field, and the conflicts people should see. Knows how fields are merged,
// nothing of their types, of rows or of who is told.
import { sameJson } from './json-value.ts'
import { DELETED_KEY, isFormerText, parseKey } from './register-keys.ts'
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
  for (const [key, value] of register) {
    const { uid, part } = parseKey(key)
    const merge = uid.startsWith('_') ? 'latest' : merges.get(uid)
    if (merge === undefined) {
      unknown.add(uid)
      continue
    }
    if (isFormerText(part)) continue
    // A member of a field that is no list any more says nothing about its value; the share of a sum is a part of it, and
    // one that was added without knowing that all were taken up in a value is listed.
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
  return { values, conflicts, deleted: register.get(DELETED_KEY)?.winner[1] ?? null, unknown: [...unknown] }
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
