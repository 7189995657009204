// Items in a form that outlives renames: every name that stands for an item or a field becomes a mark, `uid_` and its
// uid, and becomes a name again elsewhere. Pure; knows no document and no table.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import { programPackage } from '#shared/program-package.ts'
import type { MetadataItem, MissingNames, OverlayRecord, PortableItem, PortableOverlay } from '../api.ts'
import type { ReferenceHolder } from '../references/item-references.ts'
import { visitReferences } from '../references/item-references.ts'
import type { ReferenceVisitor } from '../references/reference-visitor.ts'
import { splitChildName } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, memberOf, textOf } from './json-values.ts'

type Items = Pick<ItemCache, 'get' | 'base'>

/** What names are found by. */
export interface NamePlaces {
  readonly items: Items
  /** The stored item of a uid; undefined when there is none here. */
  byUid(type: MetadataType, uid: string): MetadataItem | undefined
  readonly missing: MissingNames
}

const markPattern = /^uid_([0-9a-f]{32})$/
const anyMark = /uid_[0-9a-f]{32}/

/** Whether items travel to other machines: what the program delivers is there already. */
export function travels({ packageId }: Pick<MetadataItem, 'packageId'>): boolean {
  return packageId !== programPackage
}

/** The first mark that is left in a value, as its uid; null when there is none. */
export function leftMark(value: unknown): string | null {
  return anyMark.exec(JSON.stringify(value) ?? '')?.[0].slice(4) ?? null
}

/** An item in portable form. */
export function portableItem(items: Items, places: NamePlaces, stored: MetadataItem): PortableItem {
  const { type, uid, name, item, state, packageId, namespace } = stored
  const marked = visitReferences({ type, name, item }, marking(items))
  const form = (body: Body): PortableItem => {
    const { name: _name, uid: _uid, fields, ...rest } = body
    const isObject = type === 'object'
    return {
      type,
      uid,
      name: portableName(items, name),
      item: isObject || fields === undefined ? rest : { ...rest, fields },
      fields: isObject && isJsonMap(fields) ? Object.entries(fields).map(toField) : null,
      state,
      packageId,
      namespace,
    }
  }
  const whole = form(marked)
  // What does not come back as it was, because a text only looks like a reference, keeps its names.
  const back = namedItem(places, whole).item
  const isSafe = sortedText(back) === sortedText({ ...item, name })
  return isSafe ? whole : form(item)
}

/** A portable item with the names of this machine, and its uids in it. */
export function namedItem(places: NamePlaces, portable: PortableItem): { name: string; item: Record<string, unknown> } {
  const { type, uid, item, fields } = portable
  const name = namedName(places, portable.name)
  if (type !== 'object') {
    const holder = { type, name: portable.name, item: { name, ...item } }
    return { name, item: { ...visitReferences(holder, naming(places, null)) } }
  }
  const byMark = Object.fromEntries((fields ?? []).map((field) => [markOf(field.uid) ?? field.uid, field.definition]))
  const own = { uid, name, fields: new Map((fields ?? []).map((field) => [field.uid, field])) }
  const holder = { type, name: markOf(uid) ?? name, item: { ...item, ...(fields === null ? {} : { fields: byMark }) } }
  const { fields: named, ...rest } = visitReferences(holder, naming(places, own))
  const definitions = isJsonMap(named) ? named : {}
  const whole = (fields ?? []).map(({ uid: fieldUid, name: fieldName }): [string, unknown] => {
    const definition = definitions[markOf(fieldUid) ?? fieldUid]
    return [fieldName, isJsonMap(definition) ? { ...definition, uid: fieldUid } : definition]
  })
  return { name, item: { name, ...rest, uid, ...(fields === null ? {} : { fields: Object.fromEntries(whole) }) } }
}

/** The platform's overlay of an item in portable form. */
export function portableOverlay(items: Items, base: MetadataItem, overlay: OverlayRecord): PortableOverlay {
  const holder: ReferenceHolder = { type: base.type, name: base.name, item: overlay.patch, whole: base.item }
  const { fields, ...patch } = visitReferences(holder, marking(items))
  const { active } = overlay
  const place = { baseType: base.type, baseUid: base.uid, active }
  if (base.type !== 'object' || !isJsonMap(fields)) {
    return { ...place, patch: fields === undefined ? patch : { ...patch, fields }, fields: [] }
  }
  const known = fieldsOf(items.get('object', base.name)?.item)
  return {
    ...place,
    patch,
    fields: Object.entries(fields).map(([name, value]) => {
      const uid = textOf(value, 'uid') ?? textOf(known[name], 'uid') ?? null
      return { uid, name, patch: isJsonMap(value) ? withoutUid(value) : null }
    }),
  }
}

/** The patch of a portable overlay with the names of this machine, and the uids of fields it may add. */
export function namedOverlay(
  places: NamePlaces,
  base: MetadataItem,
  portable: PortableOverlay,
): { patch: Record<string, unknown>; uids: Record<string, string> } {
  const known = new Map(
    Object.entries(fieldsOf(places.items.get('object', base.name)?.item)).map(([name, field]) => [
      textOf(field, 'uid'),
      name,
    ]),
  )
  const fields = portable.fields.map(({ uid, name, patch }) => ({
    uid,
    name: (uid === null ? undefined : known.get(uid)) ?? name,
    patch,
  }))
  const byName = Object.fromEntries(fields.map(({ name, patch }) => [name, patch]))
  const item = { ...portable.patch, ...(fields.length === 0 ? {} : { fields: byName }) }
  const holder: ReferenceHolder = { type: base.type, name: base.name, item, whole: base.item }
  const uids = fields.flatMap(({ uid, name }): [string, string][] => (uid === null ? [] : [[name, uid]]))
  return { patch: { ...visitReferences(holder, naming(places, null)) }, uids: Object.fromEntries(uids) }
}

/** A name whose object is a mark when it is a part of one. */
export function portableName(items: Items, name: string): string {
  const parts = splitChildName(name)
  const object = parts === null ? undefined : items.base('object', parts.parent)
  const mark = object === undefined || !travels(object) ? null : markOf(object.uid)
  return parts === null || mark === null ? name : `${mark}.${parts.child}`
}

function namedName(places: NamePlaces, name: string): string {
  const parts = splitChildName(name)
  const uid = parts === null ? null : uidOf(parts.parent)
  if (parts === null || uid === null) return name
  const object = places.byUid('object', uid)?.name ?? places.missing.item('object', uid) ?? parts.parent
  return `${object}.${parts.child}`
}

/** Puts marks in the place of names. */
function marking(items: Items): ReferenceVisitor {
  const fieldOf = (object: string, field: string): unknown =>
    memberOf(fieldsOf(items.get('object', object)?.item), field)
  return {
    item(type, name) {
      const item = type === 'field' ? undefined : items.base(type, name)
      return (item === undefined || !travels(item) ? null : markOf(item.uid)) ?? name
    },
    field: (object, field) => markOf(textOf(fieldOf(object, field), 'uid') ?? '') ?? field,
    target: (object, field) => textOf(fieldOf(object, field), 'reference') ?? null,
  }
}

/** The object whose body is being named: its own names are the new ones. */
interface Own {
  readonly uid: string
  readonly name: string
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly definition: unknown }>
}

/** Puts names in the place of marks; a mark nobody knows stays. */
function naming({ items, byUid, missing }: NamePlaces, own: Own | null): ReferenceVisitor {
  const fieldsAt = (object: string): [name: string, field: unknown][] => {
    const uid = uidOf(object)
    const name = uid === null ? object : byUid('object', uid)?.name
    return name === undefined ? [] : Object.entries(fieldsOf(items.get('object', name)?.item))
  }
  const local = (object: string, uid: string) => fieldsAt(object).find(([, field]) => textOf(field, 'uid') === uid)
  return {
    item(type, name) {
      const uid = uidOf(name)
      if (uid === null) return name
      if (type === 'object' && uid === own?.uid) return own.name
      return byUid(type, uid)?.name ?? missing.item(type, uid) ?? name
    },
    field(object, field) {
      const uid = uidOf(field)
      if (uid === null) return field
      return own?.fields.get(uid)?.name ?? local(object, uid)?.[0] ?? missing.field(uidOf(object), uid) ?? field
    },
    target(object, field) {
      const uid = uidOf(field)
      const ownField = uid === null ? undefined : own?.fields.get(uid)
      if (ownField !== undefined) return textOf(ownField.definition, 'reference') ?? null
      const found = uid === null ? fieldsAt(object).find(([name]) => name === field) : local(object, uid)
      return textOf(found?.[1], 'reference') ?? null
    },
  }
}

function markOf(uid: string): string | null {
  const mark = `uid_${uid}`
  return markPattern.test(mark) ? mark : null
}

function uidOf(text: string): string | null {
  return markPattern.exec(text)?.[1] ?? null
}

function toField([name, definition]: [string, unknown]) {
  const uid = textOf(definition, 'uid') ?? name
  return { uid, name, definition: isJsonMap(definition) ? withoutUid(definition) : {} }
}

function withoutUid(value: Body): Record<string, unknown> {
  const { uid: _uid, ...rest } = value
  return rest
}

/** Text that is equal for equal values, whatever the order of their keys. */
function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isJsonMap(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )
}
