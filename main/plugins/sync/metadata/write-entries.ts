// Writes what somebody changed of an item into its document: the difference between how it was and how it is here, never
// between here and the document, which may know more by now.
import type { Register } from '#main/replication/core/register.ts'
import type { Json } from '#main/replication/core/types.ts'
import type { EditPlace } from '#main/replication/core/sync-document.ts'
import { seenWith } from '../write/deletion-mark.ts'
import { ownFieldKey, parseEntryKey } from './entry-keys.ts'
import { orderPatch } from './field-order.ts'
import { docItem } from './item-entries.ts'
import type { Shown } from './item-entries.ts'
import { sayLimits } from './limits.ts'
import type { SeenLog } from './removed-objects.ts'

/**
 * Writes the change of an item or overlay.
 * @param before null for one that was not here
 * @returns whether the item or a field of it was removed before and is there again
 */
export function writeShown(place: EditPlace, before: Shown | null, after: Shown): boolean {
  const register = place.register()
  const patch = new Map<string, Json>()
  const was = before?.entries ?? {}
  const kept = new Set(after.sequence)
  const isNewField = (uid: string): boolean => !Object.hasOwn(was, ownFieldKey(uid, '_name'))
  for (const [key, value] of Object.entries(after.entries)) {
    const field = fieldOf(key)
    const isNew = field !== null && kept.has(field) && isNewField(field)
    if (isNew || !Object.hasOwn(was, key) || !isSame(was[key]!, value)) patch.set(key, value)
  }
  for (const key of Object.keys(was)) {
    if (Object.hasOwn(after.entries, key)) continue
    const field = fieldOf(key)
    const isRemoved = field !== null && !isNewField(field) && !kept.has(field)
    if (isRemoved) patch.set(ownFieldKey(field, '_del'), true)
    else patch.set(key, null)
  }
  // What comes back is as it is now, whatever the document says of the time before.
  for (const key of register.keys()) {
    // What makers of limits had seen holds on.
    if (Object.hasOwn(after.entries, key) || sayLimits([key])) continue
    const field = fieldOf(key)
    if (field === null) {
      if (before === null) patch.set(key, null)
    } else if (kept.has(field)) {
      if (isNewField(field) && key !== ownFieldKey(field, '_order')) patch.set(key, null)
    } else if (before === null) {
      const gone = key === ownFieldKey(field, '_patch')
      patch.set(gone ? key : ownFieldKey(field, '_del'), gone ? null : true)
    }
  }
  // A field that stays because it is needed stays also when it is needed no more: it was seen to be there.
  for (const { uid } of docItem('object', '', register).portable.fields ?? []) {
    const key = ownFieldKey(uid, '_del')
    if (kept.has(uid) && register.get(key)?.winner[1] === true) patch.set(key, null)
  }
  const orders = orderPatch(ordersOf(register), after.sequence, before?.sequence ?? null)
  for (const [uid, order] of orders) patch.set(ownFieldKey(uid, '_order'), order)
  const written = [...patch].filter(([key, value]) => !isWritten(register, key, value))
  place.set(Object.fromEntries(written))
  return written.some(([key, value]) => value === null && /(^|\.)_del$/.test(key))
}

/** Who removes an item, and what they have seen. */
export interface ItemRemoval {
  readonly by: string
  /** Of the logs. */
  readonly seen: SeenLog
  /** The object, by uid, that it was removed along with as a part of it. */
  readonly with?: string | undefined
}

/** Writes that an item was removed, and what of its document was seen by whoever did it. */
export function writeRemoved(place: EditPlace, { by, seen, with: object }: ItemRemoval): void {
  const along: Record<string, Json> = object === undefined ? {} : { with: object }
  place.set({ _del: { at: new Date(place.hlc.ms).toISOString(), by, seen, stamps: seenWith(place), ...along } })
}

function fieldOf(key: string): string | null {
  const parsed = parseEntryKey(key)
  if (parsed !== null && (parsed.kind === 'field' || parsed.kind === 'own-field')) return parsed.uid
  return null
}

function ordersOf(register: Register): Map<string, number> {
  const orders = new Map<string, number>()
  for (const [key, { winner }] of register) {
    const parsed = parseEntryKey(key)
    if (parsed?.kind !== 'own-field' || parsed.key !== '_order' || typeof winner[1] !== 'number') continue
    orders.set(parsed.uid, winner[1])
  }
  return orders
}

/** Whether the document says so already, and nothing else beside it. */
function isWritten(register: Register, key: string, value: Json): boolean {
  const held = register.get(key)
  if (held === undefined) return value === null
  return held.losers.length === 0 && isSame(held.winner[1], value)
}

/** The order of keys counts: it is the order in which people see what they stand for. */
function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
