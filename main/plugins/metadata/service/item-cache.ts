// Every metadata item in memory, changed only after COMMIT, with the compiled form of objects. Knows no SQL.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataItem } from '../api.ts'
import { fieldItem, fieldItems } from './field-items.ts'

/** What one committed write changed. */
export interface CacheChange {
  readonly put: readonly MetadataItem[]
  readonly remove: readonly { readonly type: MetadataType; readonly name: string }[]
}

/** The cache; reading never touches the database. */
export interface ItemCache {
  epoch(): number
  get(type: MetadataType, name: string): MetadataItem | undefined
  /** Items of a type by name, in the order of their code units. */
  list(type: MetadataType): readonly MetadataItem[]
  objectSchema(name: string): ObjectSchema | undefined
  objectSchemas(): readonly ObjectSchema[]
  /** Takes over what a committed write changed; the epoch rises by 1. */
  apply(change: CacheChange): void
}

/** Makes a cache over the items as stored. */
export function createItemCache(stored: readonly MetadataItem[], log: Logger): ItemCache {
  const byType = new Map<MetadataType, Map<string, MetadataItem>>()
  const compiled = new WeakMap<MetadataItem, ObjectSchema | null>()
  let lists = new Map<MetadataType, readonly MetadataItem[]>()
  let schemas: readonly ObjectSchema[] | null = null
  let epoch = 1

  const put = (item: MetadataItem): void => {
    let items = byType.get(item.type)
    if (items === undefined) byType.set(item.type, (items = new Map()))
    items.set(item.name, deepFreeze(item))
  }
  for (const item of stored) put(item)

  const get = (type: MetadataType, name: string): MetadataItem | undefined =>
    type === 'field' ? fieldItem(name, (object) => get('object', object)) : byType.get(type)?.get(name)

  const list = (type: MetadataType): readonly MetadataItem[] => {
    const known = lists.get(type)
    if (known !== undefined) return known
    const items = type === 'field' ? list('object').flatMap(fieldItems) : [...(byType.get(type)?.values() ?? [])]
    const sorted = Object.freeze(items.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)))
    lists.set(type, sorted)
    return sorted
  }

  const compile = (item: MetadataItem): ObjectSchema | undefined => {
    const known = compiled.get(item)
    if (known !== undefined) return known ?? undefined
    try {
      const schema = compileObject(item.item as ObjectDefinition)
      compiled.set(item, schema)
      return schema
    } catch (error) {
      // One definition that this program cannot read must not take the other objects away.
      log.error({ err: error, object: item.name }, 'A stored object cannot be compiled and is left out.')
      compiled.set(item, null)
      return undefined
    }
  }

  return {
    epoch: () => epoch,
    get,
    list,
    objectSchema(name) {
      const item = byType.get('object')?.get(name)
      return item === undefined || item.state === 'archived' ? undefined : compile(item)
    },
    objectSchemas() {
      schemas ??= Object.freeze(
        list('object')
          .filter((item) => item.state !== 'archived')
          .map(compile)
          .filter((schema) => schema !== undefined),
      )
      return schemas
    },
    apply(change) {
      for (const { type, name } of change.remove) byType.get(type)?.delete(name)
      for (const item of change.put) put(item)
      lists = new Map()
      schemas = null
      epoch += 1
    },
  }
}

/** Freezes a JSON value at every depth. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) deepFreeze(member)
  }
  return value
}
