// The metadata service: items in memory, saving and removing, ETags and history. Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { notFound, platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataItem, MetadataService, OverlayRecord, SaveItemResult, TranslationTree, TypeHook } from './api.ts'
import type { BundleEntry } from './service/bundle.ts'
import { allItems } from './service/all-items.ts'
import { createEtags } from './service/etag.ts'
import { splitChildName } from './service/field-items.ts'
import type { ItemCache } from './service/item-cache.ts'
import { createItemCache, isInForce } from './service/item-cache.ts'
import type { Language, LanguageRequest } from '#shared/language.ts'
import { resolveLanguage } from '#shared/language.ts'
import { layersOf } from './service/layers.ts'
import type { ItemLayers } from './service/layers.ts'
import { localise, unlocalise } from './service/localise.ts'
import { withOverlay } from './service/overlaid-item.ts'
import type { OverlayKey } from './service/overlay-preparing.ts'
import { exportedOverlays, overlayEntries } from './service/overlay-transfer.ts'
import type { Saving } from './service/saving.ts'
import { createSaving, overlayOf } from './service/saving.ts'
import { draftItem } from './service/state-preparing.ts'
import { createTranslations } from './service/translations.ts'
import { visibleItem } from './service/visible-item.ts'
import type { DraftRecord, HistoryEntry, HistoryKey } from './store.ts'
import {
  readAllDrafts,
  readAllItems,
  readAllOverlays,
  readHistory,
  readHistoryEntry,
  readHistoryVersion,
} from './store.ts'

type Body = Readonly<Record<string, unknown>>

/** What the service works with. */
export interface MetadataServiceOptions {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  /** The authorizer in force; asked at use. */
  readonly authorizer: () => Authorizer
  /** The language of the workspace; default `en`. */
  readonly defaultLocale?: () => string
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
  /** When the item or a label in it last changed. */
  readonly modifiedAt: string
}

/** How a caller wants to see an item. */
export interface VisibleOptions extends ItemFilter, LanguageRequest {
  /** Whose user overlay applies; default the caller's. */
  readonly userId?: string
}

type WritingNames = 'bundle' | 'putOverlay' | 'removeOverlay' | 'changeState' | 'publish' | 'discardDraft'

/** The service with what its own routes need beside the public interface. */
export interface MetadataCore extends MetadataService, Pick<Saving, WritingNames> {
  /** The item in any state, extensions and platform overlay applied. */
  item(type: MetadataType, name: string): MetadataItem | undefined
  /** All items of a type in any state, by name. */
  items(type: MetadataType): readonly MetadataItem[]
  /** The item as stored: no extension, no overlay. */
  storedItem(type: MetadataType, name: string): MetadataItem | undefined
  storedItems(type: MetadataType): readonly MetadataItem[]
  /** The item's body as the caller may read it, without the caller's overlay; null when there is none to know of. */
  seen(ctx: RequestContext, item: MetadataItem): Readonly<Record<string, unknown>> | null
  /** Where the item comes from, as the query's scopes say (D-109). */
  scopes(ctx: RequestContext, item: MetadataItem): ReadonlySet<'system' | 'platform' | 'user'>
  /** Names of the items the caller may see, archived ones left out. */
  visibleNames(ctx: RequestContext, type: MetadataType): string[]
  /** Bodies of the items the caller may see, by name. */
  visibleList(ctx: RequestContext, type: MetadataType, filter: ItemFilter & LanguageRequest): Body[]
  /** @throws resource_not_found */
  visible(ctx: RequestContext, type: MetadataType, name: string, options?: VisibleOptions): VisibleItem
  /**
   * A body that was read in the language of the request, with labels its author did not touch as they are stored: what a
   * client reads in German and saves again does not make the German labels the stored ones.
   */
  withStoredLabels(type: MetadataType, name: string, body: Body, request: LanguageRequest): Body
  /** @throws resource_not_found, permission_denied */
  overlay(ctx: RequestContext, key: OverlayKey): OverlayRecord | null
  /** What an item is made of (D-108). @throws resource_not_found, permission_denied */
  layers(ctx: RequestContext, type: MetadataType, name: string): ItemLayers
  /** Brings an older version back as a new one. @throws resource_not_found and what a save throws */
  revert(
    ctx: RequestContext,
    input: { type: MetadataType; name: string; version: number; confirm?: string; dryRun?: boolean; ifMatch?: string },
  ): Promise<SaveItemResult>
  /** The overlays of items an export takes along: the platform's and the caller's own, without what servers give. */
  exportOverlays(ctx: RequestContext, items: readonly MetadataItem[]): Record<string, unknown>[]
  /** Entries of a bundle that store exported overlays; `keep` leaves those out that are there. @throws validation_error */
  importOverlays(
    ctx: RequestContext,
    overlays: readonly Readonly<Record<string, unknown>>[],
    options: { keep: boolean },
  ): BundleEntry[]
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
  const stored = { items: readAllItems(read), overlays: readAllOverlays(read), drafts: readAllDrafts(read) }
  const cache = createItemCache(stored, log)
  const etags = createEtags()
  const hooks = new Map<MetadataType, TypeHook>()

  let listed: { epoch: number; byType: Map<MetadataType, readonly MetadataItem[]> } = { epoch: 0, byType: new Map() }
  /** Asked on every request for records; almost always nothing is deprecated. */
  let deprecated = { epoch: 0, has: false }
  const inForceList = (type: MetadataType): readonly MetadataItem[] => {
    if (listed.epoch !== cache.epoch()) listed = { epoch: cache.epoch(), byType: new Map() }
    let items = listed.byType.get(type)
    if (items === undefined) listed.byType.set(type, (items = Object.freeze(cache.list(type).filter(isInForce))))
    return items
  }

  const defaultLocale = options.defaultLocale ?? (() => 'en')
  const translations = createTranslations(() => inForceList('translation'), clock.iso)
  const choice = () => ({ available: translations.locales(), fallback: defaultLocale() })
  const localised = new WeakMap<TranslationTree, WeakMap<object, Body>>()

  /** The body in a language; the same value for the same body, so that its ETag is remembered. */
  const inLanguage = (item: Pick<MetadataItem, 'type' | 'name'>, body: Body, { locale, isAsked }: Language): Body => {
    if (!isAsked) return body
    const tree = translations.tree(locale)
    let known = localised.get(tree)
    if (known === undefined) localised.set(tree, (known = new WeakMap()))
    let result = known.get(body)
    if (result === undefined) known.set(body, (result = localise(item, body, tree)))
    return result
  }

  const etagOf = (ctx: RequestContext, body: Body, locale = defaultLocale()): string =>
    etags.of(body, { locale, fingerprint: options.authorizer().fingerprint(ctx), organizationId: ctx.organizationId })

  const seenBy = (ctx: RequestContext, item: MetadataItem) => visibleItem(options.authorizer(), ctx, item)

  const personal = (item: MetadataItem, user: string): MetadataItem =>
    withOverlay(item, cache.overlay(item.type, item.name, user))

  const saving = createSaving({
    cache,
    read,
    write,
    clock,
    ids,
    authorizer: options.authorizer,
    hook: (type) => hooks.get(type),
    etag: (ctx, item) => etagOf(ctx, seenBy(ctx, item) ?? item.item),
    etags: (ctx, item) => {
      const mine = personal(item, ctx.actor.id)
      const body = seenBy(ctx, mine) ?? mine.item
      const inEach = [...new Set([defaultLocale(), ...translations.locales()])].map((locale) =>
        etagOf(ctx, inLanguage(mine, body, { locale, isAsked: true }), locale),
      )
      return [etagOf(ctx, body), ...inEach]
    },
  })

  const drafts = new WeakMap<DraftRecord, { over: MetadataItem; item: MetadataItem }>()
  /** The draft beside an item, as an item; the same value until either changes, so that its ETag is remembered. */
  const draftOf = (shown: MetadataItem): MetadataItem | undefined => {
    const draft = cache.draft(shown.type, shown.name)
    if (draft === undefined) return undefined
    let known = drafts.get(draft)
    if (known?.over !== shown) drafts.set(draft, (known = { over: shown, item: draftItem(shown, draft) }))
    return known.item
  }

  /** The item and its body as the caller sees it. */
  const find = (ctx: RequestContext, type: MetadataType, name: string, filter: VisibleOptions) => {
    const shown = cache.get(type, name)
    const draft = filter.state === 'draft' && shown !== undefined ? draftOf(shown) : undefined
    const item = draft ?? shown
    if (item === undefined || !fits(item, filter)) throw notFound(type, name)
    const mine = draft ?? personal(item, filter.userId ?? ctx.actor.id)
    const body = seenBy(ctx, mine)
    if (body === null) throw notFound(type, name)
    return { stored: mine, body }
  }

  /** What a caller cannot see it cannot lay anything over. @throws resource_not_found */
  const requireSeen = (ctx: RequestContext, { type, name }: Pick<MetadataItem, 'type' | 'name'>): void => {
    const item = cache.get(type, name)
    if (item === undefined || seenBy(ctx, item) === null) throw notFound(type, name)
  }

  /** Layers of items with parts that not everybody may read are for those who manage metadata (D-113). */
  const requireLayerRight = (ctx: RequestContext, type: MetadataType): void => {
    if (maskedTypes.has(type)) requireSystemPermission(options.authorizer(), ctx, 'manage_metadata')
  }

  /** A field has no history of its own: it is part of its object's. */
  const historyKey = (ctx: RequestContext, type: MetadataType, name: string): HistoryKey => {
    const parent = type === 'field' ? splitChildName(name)?.parent : undefined
    if (type === 'field' && parent === undefined) throw notFound(type, name)
    const key = parent === undefined ? { type, name } : { type: 'object' as const, name: parent }
    const item = cache.get(type, name)
    if (item !== undefined && seenBy(ctx, item) === null) throw notFound(type, name)
    return { ...key, uid: cache.get(key.type, key.name)?.uid ?? '' }
  }

  const inForce = (type: MetadataType, name: string): MetadataItem | undefined => {
    const item = cache.get(type, name)
    return item === undefined || !isInForce(item) ? undefined : item
  }

  return {
    epoch: cache.epoch,
    get: inForce,
    list: inForceList,
    translations: translations.tree,
    locales: translations.locales,
    effective(ctx, type, name) {
      const item = inForce(type, name)
      return item === undefined ? undefined : personal(item, ctx.actor.id)
    },
    noteUse(ctx, type, name) {
      if (deprecated.epoch !== cache.epoch()) deprecated = { epoch: cache.epoch(), has: hasDeprecated(cache) }
      const item = deprecated.has ? cache.get(type, name) : undefined
      if (item?.state !== 'deprecated') return
      const { replacedBy } = item.item
      const isName = typeof replacedBy === 'string' && /^[a-z0-9_.]{1,127}$/.test(replacedBy)
      ctx.deprecations.push({ name: `${type} ${name}`, use: isName ? replacedBy : 'none' })
    },
    objectSchema: cache.objectSchema,
    objectSchemas: cache.objectSchemas,
    save: saving.save,
    remove: saving.remove,
    bundle: saving.bundle,
    async putOverlay(ctx, input) {
      requireSeen(ctx, input)
      return saving.putOverlay(ctx, input)
    },
    async removeOverlay(ctx, key) {
      requireSeen(ctx, key)
      return saving.removeOverlay(ctx, key)
    },
    changeState: saving.changeState,
    publish: saving.publish,
    discardDraft: saving.discardDraft,
    async revert(ctx, { type, name, version, ...rest }) {
      if (cache.base(type, name) === undefined && cache.get(type, name) === undefined) throw notFound(type, name)
      const entry = readHistoryVersion(read, historyKey(ctx, type, name), version)
      const item = entry === undefined ? null : entryItem(type, name, entry.item)
      if (item === null) throw notFound('version', String(version))
      return saving.revert(ctx, { type, name, item: { ...item, name }, toVersion: version, ...rest })
    },
    setTypeHook(type, hook) {
      if (hooks.has(type)) throw new Error(`The metadata type "${type}" has a hook already.`)
      hooks.set(type, hook)
    },
    item: cache.get,
    items: cache.list,
    storedItem: cache.base,
    storedItems: (type) => cache.list(type).map((item) => cache.base(type, item.name) ?? item),
    seen: seenBy,
    scopes(ctx, item) {
      const isOverlaid = cache.overlay(item.type, item.name, null)?.active === true
      const isMine = cache.overlay(item.type, item.name, ctx.actor.id)?.active === true
      return new Set([
        ...(item.packageId === null ? [] : (['system'] as const)),
        ...(item.packageId === null || isOverlaid ? (['platform'] as const) : []),
        ...(isMine ? (['user'] as const) : []),
      ])
    },
    visibleNames: (ctx, type) =>
      cache
        .list(type)
        .filter((item) => item.state !== 'archived' && seenBy(ctx, item) !== null)
        .map((item) => item.name),
    visibleList(ctx, type, filter) {
      const language = resolveLanguage(filter, choice())
      return cache
        .list(type)
        .flatMap((item) => {
          const draft = filter.state === 'draft' ? draftOf(item) : undefined
          if (draft !== undefined) return fits(draft, filter) ? [draft] : []
          return fits(item, filter) ? [personal(item, ctx.actor.id)] : []
        })
        .flatMap((item) => {
          const body = seenBy(ctx, item)
          return body === null ? [] : [inLanguage(item, body, language)]
        })
    },
    visible(ctx, type, name, filter = {}) {
      const { stored: item, body: plain } = find(ctx, type, name, filter)
      const language = resolveLanguage(filter, choice())
      const body = inLanguage(item, plain, language)
      const labelsAt = language.isAsked ? (translations.changedAt() ?? '') : ''
      const modifiedAt = item.updatedAt < labelsAt ? labelsAt : item.updatedAt
      return { stored: item, body, etag: etagOf(ctx, body, language.locale), modifiedAt }
    },
    withStoredLabels(type, name, body, request) {
      const item = cache.get(type, name)
      const language = resolveLanguage(request, choice())
      if (item === undefined || !language.isAsked) return body
      return unlocalise(body, item.item, inLanguage(item, item.item, language)) as Body
    },
    overlay(ctx, key) {
      requireSeen(ctx, key)
      if (key.scope === 'platform') requireLayerRight(ctx, key.type)
      return overlayOf(cache, key, ctx.actor.id)
    },
    layers(ctx, type, name) {
      const { body } = find(ctx, type, name, { state: cache.get(type, name)?.state ?? 'active' })
      requireLayerRight(ctx, type)
      return layersOf(cache, { type, name }, ctx.actor.id, body)
    },
    exportOverlays: (ctx, items) => exportedOverlays(cache, items, ctx.actor.id),
    importOverlays: (ctx, overlays, { keep }) =>
      overlayEntries(overlays).filter(({ overlay }) => !keep || overlayOf(cache, overlay, ctx.actor.id) === null),
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
        published: true,
      }
      const body = seenBy(ctx, then)
      if (body === null) throw notFound('history', String(seq))
      return { ...entry, item: entryItem(type, name, body) }
    },
  }
}

/** The item in the body a history event keeps: a field is a part of it. */
function entryItem(
  type: MetadataType,
  name: string,
  body: Readonly<Record<string, unknown>> | null,
): Record<string, unknown> | null {
  if (type !== 'field' || body === null) return body
  const fields = (body['fields'] ?? {}) as Record<string, unknown>
  const child = splitChildName(name)!.child
  return Object.hasOwn(fields, child) ? (fields[child] as Record<string, unknown>) : null
}

function hasDeprecated(cache: ItemCache): boolean {
  return allItems(cache).some(({ state }) => state === 'deprecated')
}

/** Types of which some callers see a part only. */
const maskedTypes: ReadonlySet<MetadataType> = new Set(['object', 'field', 'hook'])

function fits(item: MetadataItem, filter: ItemFilter): boolean {
  if (filter.packageId !== undefined && item.packageId !== filter.packageId) return false
  if (filter.namespace !== undefined && item.namespace !== filter.namespace) return false
  return filter.state === undefined ? item.state !== 'archived' : item.state === filter.state
}
