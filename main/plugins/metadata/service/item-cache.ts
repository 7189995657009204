// Every metadata item, overlay and draft in memory, changed only after COMMIT, with the compiled form of objects.
// Knows no SQL.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { notFound } from '#shared/errors.ts'
import type { ObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ItemIdentity, MetadataItem, OverlayRecord } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import { createExtensionMerge, extendedObject, withOverlay } from './extensions.ts'
import { fieldItem, fieldItems } from './field-items.ts'
import { deepFreeze } from './json-values.ts'

/** What one committed write changed. Overlays and drafts do not follow their item by themselves. */
export interface CacheChange {
  readonly put: readonly MetadataItem[]
  readonly remove: readonly { readonly type: MetadataType; readonly name: string }[]
  readonly putOverlays?: readonly OverlayRecord[]
  readonly removeOverlays?: readonly OverlayRecord[]
  readonly putDrafts?: readonly DraftRecord[]
  readonly removeDrafts?: readonly DraftRecord[]
}

/** What a cache starts from. */
export interface StoredItems {
  readonly items: readonly MetadataItem[]
  readonly overlays?: readonly OverlayRecord[]
  readonly drafts?: readonly DraftRecord[]
}

/** The cache; reading never touches the database. */
export interface ItemCache {
  epoch(): number
  /** The effective item in any state: extensions and the active platform overlay applied (D-109). */
  get(type: MetadataType, name: string): MetadataItem | undefined
  /** Effective items of a type by name, in the order of their code units. */
  list(type: MetadataType): readonly MetadataItem[]
  /** The item as stored, before extensions and overlays. */
  base(type: MetadataType, name: string): MetadataItem | undefined
  /** An object with its extensions, before overlays; any other item as stored. */
  extended(type: MetadataType, name: string): MetadataItem | undefined
  /** The extensions in force of an object, in the order they apply (D-92). */
  extensions(object: string): readonly MetadataItem[]
  /** The overlay of an owner, active or not; null means the platform's. */
  overlay(type: MetadataType, name: string, owner: string | null): OverlayRecord | undefined
  /** All overlays of an item: the platform's and the users'. */
  overlays(type: MetadataType, name: string): readonly OverlayRecord[]
  /** The draft beside a published item. */
  draft(type: MetadataType, name: string): DraftRecord | undefined
  /** All such drafts of a type. */
  drafts(type: MetadataType): readonly DraftRecord[]
  /** Objects in force only; extensions are none. */
  objectSchema(name: string): ObjectSchema | undefined
  objectSchemas(): readonly ObjectSchema[]
  /** Takes over what a committed write changed; the epoch rises by 1. */
  apply(change: CacheChange): void
  /** A cache of the same content that changes alone. */
  copy(): ItemCache
}

/** The state in which an item has its effect. */
export function isInForce({ state }: Pick<MetadataItem, 'state'>): boolean {
  return state === 'active' || state === 'deprecated'
}

/** Makes a cache over the items as stored. */
export function createItemCache(stored: StoredItems, log: Logger): ItemCache {
  const content: Content = { byType: new Map(), overlays: new Map(), drafts: new Map() }
  const cache = cacheOver(content, { compiled: new WeakMap(), merge: createExtensionMerge(), log })
  const { items, overlays = [], drafts = [] } = stored
  cache.apply({ put: items, remove: [], putOverlays: overlays, putDrafts: drafts })
  return cache
}

/** What a cache holds. Inner maps may be shared between copies; the one that writes first takes a map of its own. */
interface Content {
  readonly byType: Map<MetadataType, Buckets>
  /** By type and name, then by owner; '' is the platform. */
  readonly overlays: Map<string, ReadonlyMap<string, OverlayRecord>>
  readonly drafts: Map<string, DraftRecord>
}

/** Items of a type by name, spread over maps by a figure of the name, so that a write copies a small part of them. */
type Buckets = ReadonlyMap<string, MetadataItem>[]

const bucketCount = 64

const noItems: ReadonlyMap<string, MetadataItem> = new Map()

function bucketOf(name: string): number {
  let figure = 0
  for (let index = 0; index < name.length; index += 1) figure = (figure * 31 + name.charCodeAt(index)) | 0
  return figure & (bucketCount - 1)
}

/** What copies share: answers that follow from an item's value alone. */
interface Remembered {
  readonly compiled: WeakMap<MetadataItem, ObjectSchema | null>
  readonly merge: ReturnType<typeof createExtensionMerge>
  readonly log: Logger
}

function cacheOver(content: Content, remembered: Remembered): ItemCache {
  const { compiled, merge, log } = remembered
  const { byType } = content
  let { overlays, drafts } = content
  /** The inner maps nobody else holds. */
  const own = new Set<object>()
  let lists = new Map<MetadataType, readonly MetadataItem[]>()
  let extensions: ReadonlyMap<string, readonly MetadataItem[]> | null = null
  let schemas: readonly ObjectSchema[] | null = null
  let schemaOf = new Map<string, ObjectSchema>()
  let epoch = 0

  const claimed = <K, V>(map: Map<K, V> | undefined): Map<K, V> => {
    if (map !== undefined && own.has(map)) return map
    const mine = new Map(map)
    own.add(mine)
    return mine
  }
  const itemsToWrite = (type: MetadataType, name: string): Map<string, MetadataItem> => {
    let buckets = byType.get(type)
    if (buckets === undefined || !own.has(buckets)) {
      buckets = [...(buckets ?? Array.from({ length: bucketCount }, () => noItems))]
      own.add(buckets)
      byType.set(type, buckets)
    }
    const at = bucketOf(name)
    const items = claimed(buckets[at] as Map<string, MetadataItem>)
    buckets[at] = items
    return items
  }
  const stored = (type: MetadataType): MetadataItem[] =>
    (byType.get(type) ?? []).flatMap((items) => [...items.values()])
  const put = (item: MetadataItem): void => void itemsToWrite(item.type, item.name).set(item.name, deepFreeze(item))
  const setOverlay = (type: MetadataType, name: string, owner: string | null, value: OverlayRecord | null): void => {
    const key = keyOf(type, name)
    const owners = new Map(overlays.get(key))
    if (value === null) owners.delete(owner ?? '')
    else owners.set(owner ?? '', deepFreeze(value))
    overlays = claimed(overlays)
    if (owners.size === 0) overlays.delete(key)
    else overlays.set(key, owners)
  }
  const setDraft = (type: MetadataType, name: string, value: DraftRecord | null): void => {
    drafts = claimed(drafts)
    if (value === null) drafts.delete(keyOf(type, name))
    else drafts.set(keyOf(type, name), deepFreeze(value))
  }

  const base = (type: MetadataType, name: string): MetadataItem | undefined =>
    type === 'field'
      ? fieldItem(name, (object) => base('object', object))
      : byType.get(type)?.[bucketOf(name)]!.get(name)

  const overlay = (type: MetadataType, name: string, owner: string | null): OverlayRecord | undefined =>
    overlays.get(keyOf(type, name))?.get(owner ?? '')

  const extensionsOf = (object: string): readonly MetadataItem[] => {
    extensions ??= groupExtensions(stored('object'), (item) => withOverlay(item, overlay('object', item.name, null)))
    return extensions.get(object) ?? []
  }

  const extended = (type: MetadataType, name: string): MetadataItem | undefined => {
    const item = base(type, name)
    if (item === undefined || type !== 'object' || extendedObject(item.item) !== null) return item
    return merge(item, extensionsOf(name))
  }

  const get = (type: MetadataType, name: string): MetadataItem | undefined => {
    if (type === 'field') return fieldItem(name, (object) => get('object', object))
    const item = extended(type, name)
    return item === undefined ? undefined : withOverlay(item, overlay(type, name, null))
  }

  const list = (type: MetadataType): readonly MetadataItem[] => {
    const known = lists.get(type)
    if (known !== undefined) return known
    const items =
      type === 'field'
        ? list('object')
            .filter(({ item }) => extendedObject(item) === null)
            .flatMap(fieldItems)
        : stored(type).map((item) => get(type, item.name)!)
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

  const hasRecords = (item: MetadataItem): boolean => isInForce(item) && extendedObject(item.item) === null

  return {
    epoch: () => epoch,
    get,
    list,
    base,
    extended,
    extensions: extensionsOf,
    overlay,
    overlays: (type, name) => [...(overlays.get(keyOf(type, name))?.values() ?? [])],
    draft: (type, name) => drafts.get(keyOf(type, name)),
    drafts: (type) => [...drafts.values()].filter((draft) => draft.type === type),
    objectSchema(name) {
      const known = schemaOf.get(name)
      if (known !== undefined) return known
      const item = get('object', name)
      const schema = item === undefined || !hasRecords(item) ? undefined : compile(item)
      if (schema !== undefined) schemaOf.set(name, schema)
      return schema
    },
    objectSchemas() {
      schemas ??= Object.freeze(
        list('object')
          .filter(hasRecords)
          .map(compile)
          .filter((schema) => schema !== undefined),
      )
      return schemas
    },
    apply(change) {
      for (const { type, name } of change.remove) itemsToWrite(type, name).delete(name)
      for (const { baseType, baseName, owner } of change.removeOverlays ?? []) {
        setOverlay(baseType, baseName, owner, null)
      }
      for (const { type, name } of change.removeDrafts ?? []) setDraft(type, name, null)
      change.put.forEach(put)
      for (const one of change.putOverlays ?? []) setOverlay(one.baseType, one.baseName, one.owner, one)
      for (const draft of change.putDrafts ?? []) setDraft(draft.type, draft.name, draft)
      lists = new Map()
      extensions = null
      schemas = null
      schemaOf = new Map()
      epoch += 1
    },
    copy() {
      // From here on both hold the same inner maps, so neither may write into them.
      own.clear()
      return cacheOver({ byType: new Map(byType), overlays, drafts }, remembered)
    },
  }
}

/** Extensions in force by the object they extend, in ascending priority, then by name. */
function groupExtensions(
  objects: readonly MetadataItem[],
  effective: (item: MetadataItem) => MetadataItem,
): ReadonlyMap<string, readonly MetadataItem[]> {
  const groups = new Map<string, MetadataItem[]>()
  for (const stored of objects) {
    const target = extendedObject(stored.item)
    if (target === null || !isInForce(stored)) continue
    const group = groups.get(target)
    if (group === undefined) groups.set(target, [effective(stored)])
    else group.push(effective(stored))
  }
  for (const group of groups.values()) group.sort((a, b) => priorityOf(a) - priorityOf(b) || (a.name < b.name ? -1 : 1))
  return groups
}

function priorityOf({ item }: MetadataItem): number {
  return typeof item['priority'] === 'number' ? item['priority'] : 200
}

function keyOf(type: MetadataType, name: string): string {
  return `${type}/${name}`
}

const storedTypes = metadataTypes.filter((type) => type !== 'field')

/** Every item, types in the order of the specification; fields are part of their objects. */
export function allItems(items: Pick<ItemCache, 'list'>): MetadataItem[] {
  return storedTypes.flatMap((type) => items.list(type))
}

/** The item as stored. @throws resource_not_found */
export function requireStored(items: ItemCache, { type, name }: Pick<MetadataItem, 'type' | 'name'>): MetadataItem {
  const item = items.base(type, name)
  if (item === undefined) throw notFound(type, name)
  return item
}

const uidIndexes = new WeakMap<ItemCache, { epoch: number; names: ReadonlyMap<string, string> }>()

/** The stored item of a uid, whatever its name; undefined when there is none. */
export function itemByUid(items: ItemCache, { type, uid }: ItemIdentity): MetadataItem | undefined {
  let index = uidIndexes.get(items)
  if (index?.epoch !== items.epoch()) {
    const names = allItems(items).map((item): [string, string] => [keyOf(item.type, item.uid), item.name])
    uidIndexes.set(items, (index = { epoch: items.epoch(), names: new Map(names) }))
  }
  const name = index.names.get(keyOf(type, uid))
  return name === undefined ? undefined : items.base(type, name)
}
