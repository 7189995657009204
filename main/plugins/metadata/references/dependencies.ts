// What items need, as a list (D-108): every reference with its source, its target and why.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { isJsonMap } from '#shared/merge-patch.ts'
import type { MetadataItem } from '../api.ts'
import type { ItemCache } from '../service/item-cache.ts'
import { allItems } from '../service/item-cache.ts'
import { fieldsOf, memberOf, textOf } from '../service/json-values.ts'
import { visitReferences } from './item-references.ts'
import type { DependencyKind, ReferenceVisitor } from './reference-visitor.ts'

/** One item that needs another. */
export interface Dependency {
  readonly sourceType: MetadataType
  readonly sourceName: string
  readonly targetType: MetadataType
  readonly targetName: string
  readonly kind: DependencyKind
}

/** The items references are followed in. */
export type Items = Pick<ItemCache, 'get' | 'list'>

/** What an item needs, each target once, in the order of the item; fields of an object stand for themselves. */
export function dependenciesOf(item: MetadataItem, items: Items): Dependency[] {
  if (item.type !== 'object') return collect(item, items)
  const { fields: _fields, ...rest } = item.item
  const own = collect({ ...item, item: rest }, items)
  const fieldsOwn = Object.entries(fieldsOf(item.item)).flatMap(([field, definition]) =>
    collect(
      {
        type: 'field',
        name: `${item.name}.${field}`,
        item: { ...(isJsonMap(definition) ? definition : {}), object: textOf(item.item, 'extend') ?? item.name },
      },
      items,
    ),
  )
  return [...fieldsOwn, ...own]
}

/** What needs an item, by source. */
export function dependentsOf(target: { type: MetadataType; name: string }, items: Items): Dependency[] {
  // A name stands in an item as it is, so text without it needs no walk.
  const word = target.type === 'field' ? target.name.slice(target.name.indexOf('.') + 1) : target.name
  return allItems(items)
    .filter(({ item }) => JSON.stringify(item).includes(word))
    .flatMap((item) => dependenciesOf(item, items))
    .filter(({ targetType, targetName }) => targetType === target.type && targetName === target.name)
    .toSorted((a, b) => compare(a.sourceType, b.sourceType) || compare(a.sourceName, b.sourceName))
}

function collect(holder: { type: MetadataType; name: string; item: MetadataItem['item'] }, items: Items): Dependency[] {
  const { type: sourceType, name: sourceName } = holder
  const found = new Map<string, Dependency>()
  const add = (targetType: MetadataType, targetName: string, kind: DependencyKind): void => {
    if (targetType === sourceType && targetName === sourceName) return
    const key = `${targetType}/${targetName}/${kind}`
    if (!found.has(key)) found.set(key, { sourceType, sourceName, targetType, targetName, kind })
  }
  const fieldOf = (object: string, field: string): unknown =>
    memberOf(fieldsOf(items.get('object', object)?.item), field)
  const visitor: ReferenceVisitor = {
    item(type, name, kind) {
      if (kind !== null) add(type, name, kind)
      return name
    },
    field(object, field, how) {
      // An object does not need its own fields: they go with it.
      const counts = how === undefined && !(sourceType === 'object' && sourceName === object)
      if (counts && fieldOf(object, field) !== undefined) add('field', `${object}.${field}`, 'reference')
      return field
    },
    target: (object, field) => textOf(fieldOf(object, field), 'reference') ?? null,
  }
  visitReferences(holder, visitor)
  return [...found.values()]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
