// The past of items as a caller may see it (D-108, D-113).
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { notFound } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { MetadataItem } from '../api.ts'
import type { HistoryEntry, HistoryKey } from '../store.ts'
import { readHistory, readHistoryEntry, readHistoryVersion, readStateChange } from '../store.ts'
import { splitChildName } from './field-items.ts'
import type { ItemCache } from './item-cache.ts'
import type { Body } from './json-values.ts'
import { fieldsOf, memberOf } from './json-values.ts'

const maxVersions = 10_000

/** Youngest versions that are looked through for a field that is gone. */
const lookedThrough = 200

/** Reads the past. */
export interface ItemHistory {
  /** Events after `sinceSeq`, oldest first; one more than `limit` is never answered. @throws resource_not_found */
  history(
    ctx: RequestContext,
    type: MetadataType,
    name: string,
    page: { sinceSeq: number; limit: number },
  ): { entries: HistoryEntry[]; hasMore: boolean }
  /** One event with the item as it was. @throws resource_not_found */
  historyEntry(ctx: RequestContext, type: MetadataType, name: string, seq: number): HistoryEntry
  /** When the item came into its state; undefined when it was made in it, or so long ago that nothing tells. */
  stateSince(item: MetadataItem): string | undefined
  /** The body a version had; whole, whatever the caller may see of it. @throws resource_not_found */
  bodyOf(ctx: RequestContext, type: MetadataType, name: string, version: number): Record<string, unknown>
}

/** Makes the reader; `seenBy` answers an item's body as a caller may read it. */
export function createItemHistory(
  cache: ItemCache,
  read: Reads,
  seenBy: (ctx: RequestContext, item: MetadataItem) => Body | null,
): ItemHistory {
  /** A field has no history of its own: it is part of its object's. */
  const keyOf = (ctx: RequestContext, type: MetadataType, name: string): HistoryKey => {
    const parent = type === 'field' ? splitChildName(name)?.parent : undefined
    if (type === 'field' && parent === undefined) throw notFound(type, name)
    const key = parent === undefined ? { type, name } : { type: 'object' as const, name: parent }
    const item = cache.get(type, name)
    if (item !== undefined && seenBy(ctx, item) === null) throw notFound(type, name)
    // A field that never was answers like one that is hidden, not with the past of its object.
    if (parent !== undefined && item === undefined && !everHad(ctx, parent, name)) throw notFound(type, name)
    return { ...key, uid: cache.get(key.type, key.name)?.uid ?? '' }
  }

  /** Whether some version of an object, as the caller sees it, had a field that is gone. */
  const everHad = (ctx: RequestContext, parent: string, name: string): boolean => {
    const key = { type: 'object' as const, name: parent, uid: cache.get('object', parent)?.uid ?? '' }
    const past = readHistory(read, key, { sinceSeq: 0, limit: maxVersions }).slice(-lookedThrough)
    return past.toReversed().some(({ seq }) => {
      const entry = readHistoryEntry(read, key, seq)
      const body = entry === undefined || entry.item === null ? null : seenBy(ctx, itemThen(entry, entry.item))
      return partOf('field', name, body) !== null
    })
  }

  /** @throws resource_not_found for an item that never was */
  const requireKnown = (type: MetadataType, name: string, key: ReturnType<typeof keyOf>): void => {
    if (cache.get(type, name) !== undefined || readHistory(read, key, { sinceSeq: 0, limit: 1 }).length > 0) return
    throw notFound(type, name)
  }

  /** Asked on every use of a deprecated item, which stays the same value until it changes. */
  const since = new WeakMap<MetadataItem, { readonly at: string | undefined }>()

  return {
    stateSince(item) {
      let known = since.get(item)
      if (known === undefined) since.set(item, (known = { at: readStateChange(read, item) }))
      return known.at
    },
    history(ctx, type, name, page) {
      const key = keyOf(ctx, type, name)
      const entries = readHistory(read, key, { ...page, limit: page.limit + 1 })
      if (entries.length === 0) requireKnown(type, name, key)
      return { entries: entries.slice(0, page.limit), hasMore: entries.length > page.limit }
    },
    historyEntry(ctx, type, name, seq) {
      const key = keyOf(ctx, type, name)
      const entry = readHistoryEntry(read, key, seq)
      // Told as what the caller may not see is: what is there cannot be told from what is not.
      if (entry === undefined) requireKnown(type, name, key)
      if (entry === undefined) throw notFound('history', String(seq))
      if (entry.item === null) return entry
      const body = seenBy(ctx, itemThen(entry, entry.item))
      if (body === null) throw notFound('history', String(seq))
      return { ...entry, item: partOf(type, name, body) }
    },
    bodyOf(ctx, type, name, version) {
      if (cache.get(type, name) === undefined) throw notFound(type, name)
      const entry = readHistoryVersion(read, keyOf(ctx, type, name), version)
      const item = entry === undefined ? null : partOf(type, name, entry.item)
      if (item === null) throw notFound('version', String(version))
      return item
    },
  }
}

function itemThen({ type, name, uid, version, ts }: HistoryEntry, item: Body): MetadataItem {
  const origin = { packageId: null, namespace: null, createdAt: ts, updatedAt: ts }
  return { type, name, uid, item, version, state: 'active', published: true, ...origin }
}

/** The item in the body a history event keeps: a field is a part of it. */
function partOf(type: MetadataType, name: string, body: Body | null): Record<string, unknown> | null {
  if (type !== 'field' || body === null) return body
  return (memberOf(fieldsOf(body), splitChildName(name)!.child) ?? null) as Record<string, unknown> | null
}
