// Fields that are merged in parts: lists by member, numbers by share. Knows how parts make a whole value and what a
// whole-value write means for them, not how entries are stored.
import { decimalSum } from './decimal-sum.ts'
import { memberKey, memberOf, parseKey, partPrefix, shareKey } from './register-keys.ts'
import type { Register } from './register.ts'
import type { Json } from './types.ts'

/** What goes into `setEntries`. */
export type RegisterPatch = Readonly<Record<string, Json>>

/** What a register holds of one field: the value under its own key, and by key those of its parts. */
export interface FieldParts {
  readonly uid: string
  /** Written as a whole: before the field was merged in parts, or to tell an empty list from none. */
  readonly base: Json | undefined
  /** In the order of the document. */
  readonly parts: ReadonlyMap<string, Json>
}

/** Takes what belongs to one field out of a register. */
export function partsOf(register: Register, uid: string): FieldParts {
  const parts = new Map<string, Json>()
  const prefix = partPrefix(uid)
  for (const [key, { winner }] of register) if (key.startsWith(prefix)) parts.set(key, winner[1])
  return { uid, base: register.get(uid)?.winner[1], parts }
}

/**
 * The list that the parts of a field make: members of the whole value first, then others in the order in which they were
 * added. Null when there is no member, unless an empty list was written.
 */
export function readMembers(field: FieldParts): readonly Json[] | null {
  const members = wholeMembers(field)
  for (const [key, held] of field.parts) {
    if (held !== true) members.delete(key)
    else if (!members.has(key)) members.set(key, memberOf(parseKey(key).part ?? ''))
  }
  return members.size > 0 || Array.isArray(field.base) ? [...members.values()] : null
}

/**
 * What turns the list of a field into `next`: members that left become false, new ones true. Members that only moved are
 * written again from the first one that is out of place, so that reading gives `next` in its order.
 * @param open what several wrote at once, by key: it is written once more, members as they are in `next`
 */
export function memberPatch(field: FieldParts, next: readonly Json[] | null, open: RegisterPatch = {}): RegisterPatch {
  const { uid } = field
  const wanted = new Map((next ?? []).map((member) => [memberKey(uid, member), member]))
  const held = (readMembers(field) ?? []).map((member) => memberKey(uid, member))
  const patch: Record<string, Json> = Object.fromEntries(Object.entries(open).filter(([key]) => !wanted.has(key)))
  for (const key of held) if (!wanted.has(key)) patch[key] = false
  const kept = held.filter((key) => wanted.has(key))
  const order = [...wanted.keys()]
  // Writing a member puts it last, and those behind it have to follow.
  const start = order.findIndex((key, i) => key !== kept[i] || Object.hasOwn(open, key))
  const moved = start < 0 ? [] : order.slice(start)
  for (const key of moved) patch[key] = true
  const whole = wholeMembers(field)
  const isMarked = Array.isArray(field.base)
  // Members of a whole value come first when read: one that has to stand later leaves it.
  if (moved.some((key) => whole.has(key))) {
    patch[uid] = order.filter((key, i) => i < start && whole.has(key)).map((key) => wanted.get(key)!)
  } else if (wanted.size === 0 && isMarked !== (next !== null)) {
    patch[uid] = next
  }
  return patch
}

/** What a number says: what was written as a whole, and the shares of all machines on top of it; null without any. */
export function readSum(field: FieldParts): Json {
  const { base = null } = field
  const shares = sharesOf(field).map(([, share]) => share)
  if (shares.length === 0) return base
  const start = base === null || base === '' ? 0 : Number(base)
  return decimalSum(Number.isFinite(start) ? [start, ...shares] : shares)
}

/**
 * What makes a sum `next`: the difference goes into this machine's own share, others are not touched. What is no number
 * takes the place of everything.
 */
export function sumPatch(field: FieldParts, next: Json, inc: number): RegisterPatch {
  const sum = readSum(field)
  if (sum === next) return {}
  if (typeof next !== 'number' || (sum !== null && typeof sum !== 'number')) return wholePatch(field, next)
  const key = shareKey(field.uid, inc)
  const share = field.parts.get(key)
  return { [key]: decimalSum([typeof share === 'number' ? share : 0, next, -(sum ?? 0)]) }
}

/**
 * What makes a field `next` and nothing else: the shares of a time when it was a sum, and the members of one when it was a
 * list, are taken up in it. Those that somebody writes without knowing of it stand out by that.
 */
export function wholePatch(field: FieldParts, next: Json): RegisterPatch {
  const taken = [...field.parts].filter(([, held]) => typeof held === 'number' || held === true)
  return { ...Object.fromEntries(taken.map(([key]) => [key, null])), [field.uid]: next }
}

function sharesOf({ parts }: FieldParts): (readonly [key: string, share: number])[] {
  return [...parts].flatMap(([key, held]) => (typeof held === 'number' ? [[key, held] as const] : []))
}

/** Members of a value that was written as a whole, by key. */
function wholeMembers({ uid, base }: FieldParts): Map<string, Json> {
  if (base === undefined || base === null) return new Map()
  const members = Array.isArray(base) ? (base as readonly Json[]) : [base]
  return new Map(members.map((member) => [memberKey(uid, member), member]))
}
