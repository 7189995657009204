// An item or an overlay as entries of a register, and back (sync.md section 3). Pure.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import { metadataStates } from '#shared/contracts/metadata.ts'
import type { PortableItem, PortableOverlay } from '#main/plugins/metadata/api.ts'
import { encodeHlc } from '#main/replication/core/hlc.ts'
import { hlcOf } from '#main/replication/core/register.ts'
import type { Register } from '#main/replication/core/register.ts'
import type { Json, RegisterEntry } from '#main/replication/core/types.ts'
import { fieldKey, fromEntry, itemKey, ownFieldKey, parseEntryKey, toEntry } from './entry-keys.ts'

/** What an item says, by key, and the order of its fields. */
export interface Shown {
  readonly entries: Readonly<Record<string, Json>>
  /** Uids of fields in their order. */
  readonly sequence: readonly string[]
}

/** An item as its document has it. */
export interface DocItem {
  readonly isDeleted: boolean
  /** The name it asks for, with a mark for the object it is a part of; empty when the document does not say. */
  readonly name: string
  /** Rank of who asked for the name; the smaller one keeps it. */
  readonly stamp: string
  readonly portable: PortableItem
}

/** The entries of an item. */
export function shownItem({ name, item, fields, state, packageId, namespace }: PortableItem): Shown {
  const entries: Record<string, Json> = { _name: name, _state: state }
  if (packageId !== null) entries['_package'] = packageId
  if (namespace !== null) entries['_namespace'] = namespace
  if (fields !== null) entries['_fields'] = true
  for (const [key, value] of Object.entries(item)) entries[itemKey(key)] = toEntry(value)
  for (const field of fields ?? []) {
    entries[ownFieldKey(field.uid, '_name')] = field.name
    for (const [key, value] of Object.entries(field.definition)) entries[fieldKey(field.uid, key)] = toEntry(value)
  }
  return { entries, sequence: (fields ?? []).map(({ uid }) => uid) }
}

/** The entries of an overlay. */
export function shownOverlay({ patch, fields, active }: PortableOverlay): Shown {
  const entries: Record<string, Json> = { _active: active }
  for (const [key, value] of Object.entries(patch)) entries[itemKey(key)] = toEntry(value)
  for (const { uid, name, patch: change } of fields) {
    entries[ownFieldKey(uid ?? name, '_patch')] = { uid, name, patch: change as Json }
  }
  return { entries, sequence: [] }
}

interface FieldDraft {
  name: string | undefined
  stamp: string
  order: number
  isGone: boolean
  readonly definition: Record<string, unknown>
}

/**
 * The item a register makes. Of fields with one name the one that asked first keeps it, others get a suffix. A field that
 * somebody removed while somebody else made the item need it stays.
 */
export function docItem(type: MetadataType, uid: string, register: Register): DocItem {
  const item: Record<string, unknown> = {}
  const fields = new Map<string, FieldDraft>()
  const fieldAt = (field: string): FieldDraft => {
    let draft = fields.get(field)
    if (draft === undefined) {
      draft = { name: undefined, stamp: '', order: Infinity, isGone: false, definition: {} }
      fields.set(field, draft)
    }
    return draft
  }
  for (const [key, { winner }] of register) {
    const parsed = parseEntryKey(key)
    const value = fromEntry(winner[1])
    if (parsed === null || value === undefined) continue
    if (parsed.kind === 'item') define(item, parsed.key, value)
    else if (parsed.kind === 'field') define(fieldAt(parsed.uid).definition, parsed.key, value)
    else if (parsed.kind === 'own-field') {
      const draft = fieldAt(parsed.uid)
      if (parsed.key === '_del') draft.isGone = value === true
      else if (parsed.key === '_order' && typeof value === 'number') draft.order = value
      else if (parsed.key === '_name' && typeof value === 'string') {
        draft.name = value
        draft.stamp = stampOf(winner)
      }
    }
  }
  const live = liveFields(item, fields)
  const names = assignNames(
    live.map(({ uid: field, name, stamp }) => ({ uid: field, wanted: name, stamp })),
    new Set(),
  )
  const own = ownValues(register)
  const hasFields = type === 'object' && (own.hasFields || live.length > 0)
  return {
    isDeleted: own.isDeleted,
    name: own.name,
    stamp: own.stamp,
    portable: {
      type,
      uid,
      name: own.name,
      item,
      fields: hasFields
        ? live
            .toSorted((a, b) => a.order - b.order || (a.uid < b.uid ? -1 : 1))
            .map(({ uid: field, definition }) => ({ uid: field, name: names.get(field)!, definition }))
        : null,
      state: own.state,
      packageId: own.packageId,
      namespace: own.namespace,
    },
  }
}

/** Fields that are there, and those that are gone but mentioned by what is there. */
function liveFields(
  item: unknown,
  fields: ReadonlyMap<string, FieldDraft>,
): (FieldDraft & { uid: string; name: string })[] {
  const named = [...fields].flatMap(([uid, { name, ...draft }]) =>
    name === undefined ? [] : [{ ...draft, uid, name }],
  )
  const live = named.filter(({ isGone }) => !isGone)
  const gone = named.filter(({ isGone }) => isGone)
  const texts = [item, ...live.map(({ definition }) => definition)].map((part) => JSON.stringify(part))
  for (let at = 0; at < texts.length; at += 1) {
    for (const field of gone) {
      if (live.includes(field) || !texts[at]!.includes(`uid_${field.uid}`)) continue
      live.push(field)
      texts.push(JSON.stringify(field.definition))
    }
  }
  return live
}

/** The overlay a register makes; null when it was taken away. */
export function docOverlay(baseType: MetadataType, baseUid: string, register: Register): PortableOverlay | null {
  const patch: Record<string, unknown> = {}
  const fields: { uid: string | null; name: string; patch: Record<string, unknown> | null }[] = []
  for (const [key, { winner }] of register) {
    const parsed = parseEntryKey(key)
    const value = fromEntry(winner[1])
    if (parsed === null || value === undefined) continue
    if (parsed.kind === 'item') define(patch, parsed.key, value)
    if (parsed.kind !== 'own-field' || parsed.key !== '_patch' || typeof value !== 'object') continue
    const { uid, name, patch: change } = value as Record<string, unknown>
    fields.push({
      uid: typeof uid === 'string' ? uid : null,
      name: String(name),
      patch: (change ?? null) as Record<string, unknown> | null,
    })
  }
  if (ownValues(register).isDeleted) return null
  return { baseType, baseUid, patch, fields, active: register.get('_active')?.winner[1] !== false }
}

/** Whether a field is gone in a register, and its name there; undefined for one that was never in it. */
export function docField(register: Register, uid: string): { name: string; isGone: boolean } | undefined {
  const name = register.get(ownFieldKey(uid, '_name'))?.winner[1]
  if (typeof name !== 'string') return undefined
  return { name, isGone: register.get(ownFieldKey(uid, '_del'))?.winner[1] === true }
}

/** The label in the body of an item; undefined where it has none. */
export function labelIn(item: unknown): string | undefined {
  const label = typeof item === 'object' && item !== null ? (item as { label?: unknown }).label : undefined
  return typeof label === 'string' && label !== '' ? label : undefined
}

/** Whether an item was removed. */
export function isItemGone(register: Register): boolean {
  return ownValues(register).isDeleted
}

/** Whether an item is not in force: it was removed, or is archived, as what a package delivers that is switched off. */
export function isItemAtRest(register: Register): boolean {
  const { isDeleted, state } = ownValues(register)
  return isDeleted || (state !== 'active' && state !== 'deprecated')
}

/** Whether an object, or a field of it, was removed before and is there again, other than it is shown here. */
export function isReturned(uid: string, register: Register, shown: Shown | null): boolean {
  const { isDeleted, portable } = docItem('object', uid, register)
  if (isDeleted) return false
  if (shown === null) return register.has('_del')
  const here = new Set(shown.sequence)
  return (portable.fields ?? []).some((field) => !here.has(field.uid) && register.has(ownFieldKey(field.uid, '_del')))
}

/** Whether an object or a field of it was removed. */
export function hasGone(register: Register): boolean {
  for (const [key, { winner }] of register) {
    const parsed = parseEntryKey(key)
    const isDeletion = parsed !== null && 'key' in parsed && parsed.key === '_del' && parsed.kind.startsWith('own')
    if (isDeletion && winner[1] !== null && winner[1] !== false) return true
  }
  return false
}

/** Somebody asks for a name. */
export interface NameClaim {
  readonly uid: string
  readonly wanted: string
  readonly stamp: string
}

/**
 * Who has which name: the smallest stamp keeps it, the later ones get `_2`, `_3` and so on. The same on every machine
 * that has the same claims, in whatever order they came.
 */
export function assignNames(claims: readonly NameClaim[], reserved: ReadonlySet<string>): ReadonlyMap<string, string> {
  const wanted = new Set(claims.map((claim) => claim.wanted))
  const taken = new Set(reserved)
  const names = new Map<string, string>()
  for (const claim of claims.toSorted(compareClaims)) {
    let name = claim.wanted
    for (let number = 2; taken.has(name); number += 1) {
      const next = withSuffix(claim.wanted, `_${number}`)
      name = wanted.has(next) ? name : next
    }
    taken.add(name)
    names.set(claim.uid, name)
  }
  return names
}

/** Names have at most 63 characters; of a part of an object this holds for its last part. */
function withSuffix(name: string, suffix: string): string {
  const at = name.lastIndexOf('.') + 1
  return name.slice(0, at) + name.slice(at).slice(0, 63 - suffix.length) + suffix
}

function compareClaims(a: NameClaim, b: NameClaim): number {
  if (a.stamp !== b.stamp) return a.stamp < b.stamp ? -1 : 1
  return a.uid < b.uid ? -1 : 1
}

/** A stamp with its incarnation as text that sorts as stamps rank. */
function stampOf(entry: RegisterEntry): string {
  return encodeHlc(hlcOf(entry)) + entry[4].toString(16).padStart(8, '0')
}

function ownValues(register: Register) {
  const textAt = (key: string): string | null => {
    const value = register.get(key)?.winner[1]
    return typeof value === 'string' ? value : null
  }
  const named = register.get('_name')?.winner
  const deleted = register.get('_del')?.winner[1]
  return {
    name: textAt('_name') ?? '',
    stamp: named === undefined ? '' : stampOf(named),
    state: (metadataStates.find((state) => state === textAt('_state')) ?? 'active') satisfies MetadataState,
    packageId: textAt('_package'),
    namespace: textAt('_namespace'),
    hasFields: register.get('_fields')?.winner[1] === true,
    isDeleted: deleted !== undefined && deleted !== null,
  }
}

/** Keys are data: they are defined, never assigned, so that none reaches a prototype. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
