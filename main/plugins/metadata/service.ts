// The metadata service: items in memory, saving and removing, ETags and history. Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { notFound } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataItem, MetadataService, TypeHook } from './api.ts'
import { createEtags } from './service/etag.ts'
import { splitChildName } from './service/field-items.ts'
import { createItemCache } from './service/item-cache.ts'
import { createSaving } from './service/saving.ts'
import { visibleItem } from './service/visible-item.ts'
import type { HistoryEntry, HistoryKey } from './store.ts'
import { readAllItems, readHistory, readHistoryEntry } from './store.ts'

/** What the service works with. */
export interface MetadataServiceOptions {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** The authorizer in force; asked at use. */
  readonly authorizer: () => Authorizer
}

/** Which items a list or a read means. */
export interface ItemFilter {
  readonly packageId?: string
  readonly namespace?: string
  /** A state of the lifecycle; default: all but archived. */
  readonly state?: string
}

/** An item as one caller sees it. */
export interface VisibleItem {
  readonly stored: MetadataItem
  readonly body: Readonly<Record<string, unknown>>
  /** Strong ETag with its quotes (D-104). */
  readonly etag: string
}

/** The service with what its own routes need beside the public interface. */
export interface MetadataCore extends MetadataService {
  /** Bodies of the items the caller may see, by name. */
  visibleList(ctx: RequestContext, type: MetadataType, filter: ItemFilter): Readonly<Record<string, unknown>>[]
  /** @throws resource_not_found */
  visible(
    ctx: RequestContext,
    type: MetadataType,
    name: string,
    options?: ItemFilter & { locale?: string },
  ): VisibleItem
  /** Events after `sinceSeq`, oldest first; one more than `limit` is never answered. @throws resource_not_found */
  history(
    ctx: RequestContext,
    type: MetadataType,
    name: string,
    page: { sinceSeq: number; limit: number },
  ): { entries: HistoryEntry[]; hasMore: boolean }
  /** One event with the item as it was. @throws resource_not_found */
  historyEntry(ctx: RequestContext, type: MetadataType, name: string, seq: number): HistoryEntry
}

/** Makes the service; reads every stored item once. */
export function createMetadataService(options: MetadataServiceOptions): MetadataCore {
  const { read, write, clock, ids, log } = options
  const cache = createItemCache(readAllItems(read), log)
  const etags = createEtags()
  const hooks = new Map<MetadataType, TypeHook>()

  const etagOf = (ctx: RequestContext, body: Readonly<Record<string, unknown>>, locale = ctx.locale): string =>
    etags.of(body, { locale, fingerprint: options.authorizer().fingerprint(ctx), organizationId: ctx.organizationId })

  const seenBy = (ctx: RequestContext, item: MetadataItem) => visibleItem(options.authorizer(), ctx, item)

  const saving = createSaving({
    cache,
    read,
    write,
    log,
    clock,
    ids,
    authorizer: options.authorizer,
    hook: (type) => hooks.get(type),
    etag: (ctx, item) => etagOf(ctx, seenBy(ctx, item) ?? item.item),
  })

  /** A field has no history of its own: it is part of its object's. */
  const historyKey = (ctx: RequestContext, type: MetadataType, name: string): HistoryKey => {
    const parent = type === 'field' ? splitChildName(name)?.parent : undefined
    if (type === 'field' && parent === undefined) throw notFound(type, name)
    const key = parent === undefined ? { type, name } : { type: 'object' as const, name: parent }
    const item = cache.get(type, name)
    if (item !== undefined && seenBy(ctx, item) === null) throw notFound(type, name)
    return { ...key, uid: cache.get(key.type, key.name)?.uid ?? '' }
  }

  return {
    epoch: cache.epoch,
    get: cache.get,
    list: cache.list,
    objectSchema: cache.objectSchema,
    objectSchemas: cache.objectSchemas,
    save: saving.save,
    remove: saving.remove,
    setTypeHook(type, hook) {
      if (hooks.has(type)) throw new Error(`The metadata type "${type}" has a hook already.`)
      hooks.set(type, hook)
    },
    visibleList(ctx, type, filter) {
      return cache
        .list(type)
        .filter((item) => fits(item, filter))
        .map((item) => seenBy(ctx, item))
        .filter((body) => body !== null)
    },
    visible(ctx, type, name, filter = {}) {
      const stored = cache.get(type, name)
      const body = stored === undefined || !fits(stored, filter) ? null : seenBy(ctx, stored)
      if (stored === undefined || body === null) throw notFound(type, name)
      return { stored, body, etag: etagOf(ctx, body, filter.locale) }
    },
    history(ctx, type, name, page) {
      const key = historyKey(ctx, type, name)
      const entries = readHistory(read, key, { ...page, limit: page.limit + 1 })
      if (
        entries.length === 0 &&
        cache.get(type, name) === undefined &&
        readHistory(read, key, { sinceSeq: 0, limit: 1 }).length === 0
      ) {
        throw notFound(type, name)
      }
      return { entries: entries.slice(0, page.limit), hasMore: entries.length > page.limit }
    },
    historyEntry(ctx, type, name, seq) {
      const entry = readHistoryEntry(read, historyKey(ctx, type, name), seq)
      if (entry === undefined) throw notFound('history', String(seq))
      if (entry.item === null) return entry
      const then: MetadataItem = {
        type: entry.type,
        name: entry.name,
        uid: entry.uid,
        item: entry.item,
        state: 'active',
        version: entry.version,
        packageId: null,
        namespace: null,
        createdAt: entry.ts,
        updatedAt: entry.ts,
      }
      const body = seenBy(ctx, then)
      if (body === null) throw notFound('history', String(seq))
      if (type !== 'field') return { ...entry, item: body }
      const fields = (body['fields'] ?? {}) as Record<string, unknown>
      const child = splitChildName(name)!.child
      return { ...entry, item: Object.hasOwn(fields, child) ? (fields[child] as Record<string, unknown>) : null }
    },
  }
}

function fits(item: MetadataItem, filter: ItemFilter): boolean {
  if (filter.packageId !== undefined && item.packageId !== filter.packageId) return false
  if (filter.namespace !== undefined && item.namespace !== filter.namespace) return false
  return filter.state === undefined ? item.state !== 'archived' : item.state === filter.state
}
