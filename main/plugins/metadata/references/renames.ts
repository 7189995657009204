// Rewrites what items say about an object when it or its fields are renamed (D-100). Pure.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { MetadataItem } from '../api.ts'
import type { ItemCache } from '../service/item-cache.ts'
import { fieldsOf, memberOf, textOf } from '../service/json-values.ts'
import { keys, members } from './edits.ts'
import type { ReferenceHolder } from './item-references.ts'
import { visitReferences } from './item-references.ts'
import type { ReferenceVisitor } from './reference-visitor.ts'

/** What one save of an object renames. */
export interface Renames {
  /** The object's name before and after; the same when only fields are renamed. */
  readonly from: string
  readonly to: string
  /** Old name of a field to its new one. */
  readonly fields: ReadonlyMap<string, string>
}

/** What the new definition renames; null when nothing. Fields are the same when their uids are. */
export function renamesBetween(
  previous: Pick<MetadataItem, 'name' | 'item'> | null,
  next: Pick<MetadataItem, 'name' | 'item'>,
): Renames | null {
  if (previous === null) return null
  const oldNames = new Map(fieldUids(previous.item).map(([name, uid]) => [uid, name]))
  const fields = new Map<string, string>()
  for (const [name, uid] of fieldUids(next.item)) {
    const old = oldNames.get(uid)
    if (old !== undefined && old !== name) fields.set(old, name)
  }
  return fields.size === 0 && previous.name === next.name ? null : { from: previous.name, to: next.name, fields }
}

/**
 * The object's own definition with the old names in it replaced. Its author wrote the new definition, so only names
 * that stand for nothing any more are replaced.
 */
export function withOwnRenames(
  holder: ReferenceHolder,
  renames: Renames,
  items: Pick<ItemCache, 'get'>,
): Readonly<Record<string, unknown>> {
  const fields = fieldsOf(holder.item)
  const isOwn = (object: string): boolean => object === renames.to || object === renames.from
  const isGone = (field: string): boolean => memberOf(fields, field) === undefined
  const visitor = renamer(renames, items)
  return visitReferences(holder, {
    ...visitor,
    field: (object, field) => (isOwn(object) && isGone(field) ? (renames.fields.get(field) ?? field) : field),
    target: (object, field) =>
      (isOwn(object) ? textOf(memberOf(fields, field), 'reference') : undefined) ?? visitor.target(object, field),
  })
}

/**
 * The body of another item, or of a draft or overlay of the object itself, after the renames; the same value when it
 * named nothing of it.
 */
export function withRenames(
  holder: ReferenceHolder,
  renames: Renames,
  items: Pick<ItemCache, 'get'>,
): Readonly<Record<string, unknown>> {
  const body = visitReferences(holder, renamer(renames, items))
  if (holder.type !== 'object' || holder.name !== renames.from) return body
  const fields = keys((field) => renames.fields.get(field) ?? field)
  return members({ fields })(body) as Readonly<Record<string, unknown>>
}

/** The name of an item after the object it is a part of was renamed. */
export function renamedChild(type: MetadataType, name: string, { from, to, fields }: Renames): string {
  if (type === 'object') return name === from ? to : name
  if (!name.startsWith(`${from}.`)) return name
  const child = name.slice(from.length + 1)
  return `${to}.${type === 'field' ? (fields.get(child) ?? child) : child}`
}

/** `items` still hold the object as it was before. */
function renamer(renames: Renames, items: Pick<ItemCache, 'get'>): ReferenceVisitor {
  return {
    item: (type, name) => renamedChild(type, name, renames),
    field: (object, field) => (object === renames.from ? (renames.fields.get(field) ?? field) : field),
    target: (object, field) =>
      textOf(memberOf(fieldsOf(items.get('object', object)?.item), field), 'reference') ?? null,
  }
}

function fieldUids(item: Readonly<Record<string, unknown>>): [name: string, uid: string][] {
  return Object.entries(fieldsOf(item)).flatMap(([name, field]): [string, string][] => {
    const uid = textOf(field, 'uid')
    return uid === undefined ? [] : [[name, uid]]
  })
}
