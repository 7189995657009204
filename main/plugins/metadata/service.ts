// The metadata service: items in memory, saving and removing, ETags and history. Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { notFound } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { ItemRule, MetadataItem, MetadataService, OverlayRecord, SaveItemResult, TypeHook } from './api.ts'
import type { BundleEntry } from './service/bundle.ts'
import { createDeliveries } from './service/deliveries.ts'
import type { PublishInput, StateInput } from './service/change-state.ts'
import { draftItem } from './service/change-state.ts'
import { etagOf } from './service/etag.ts'
import { createExchange } from './service/exchange.ts'
import { withOverlay } from './service/extensions.ts'
import { allItems, createItemCache, isInForce } from './service/item-cache.ts'
import type { LanguageRequest } from '#shared/language.ts'
import type { ItemHistory } from './service/item-history.ts'
import { createItemHistory } from './service/item-history.ts'
import { createLanguages } from './service/languages.ts'
import { layersOf } from './service/layers.ts'
import type { ItemLayers } from './service/layers.ts'
import { unlocalise } from './service/localise.ts'
import type { WriteSubject } from './service/item-write.ts'
import type { Body } from './service/json-values.ts'
import type { OverlayInput, OverlayKey } from './service/merge-overlay.ts'
import { overlayOf } from './service/merge-overlay.ts'
import { exportedOverlays, overlayEntries } from './service/overlay-transfer.ts'
import type { Pipeline } from './service/pipeline.ts'
import { createPipeline } from './service/pipeline.ts'
import { visibleItem, visiblePart } from './service/visible-item.ts'
import type { DraftRecord } from './store.ts'
import { comparedItems, readAllDrafts, readAllItems, readAllOverlays } from './store.ts'

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
  /** Every language of the workspace; default: those there are labels in. */
  readonly spokenLocales?: () => readonly string[]
}

/** Which items a list or a read means. */
export interface ItemFilter {
  readonly packageId?: string
  readonly namespace?: string
  /** A state of the lifecycle, or several of them; default: all but archived. */
  readonly state?: string | readonly string[]
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

/** The service with what its own routes need beside the public interface. */
export interface MetadataCore
  extends MetadataService, Pick<Pipeline, 'bundle'>, Pick<ItemHistory, 'history' | 'historyEntry'> {
  /** Everybody may write overlays of their own. @throws permission_denied and what storing it throws */
  putOverlay(ctx: RequestContext, input: OverlayInput): Promise<OverlayRecord>
  /** Answers whether there was one. */
  removeOverlay(ctx: RequestContext, key: OverlayKey): Promise<boolean>
  /** @throws permission_denied, resource_not_found, invalid_state_transition, destructive_change */
  changeState(ctx: RequestContext, input: StateInput): Promise<SaveItemResult>
  /** @throws permission_denied, resource_not_found, invalid_state_transition, CONCURRENT_UPDATE, destructive_change */
  publish(ctx: RequestContext, input: PublishInput): Promise<SaveItemResult>
  /** Takes a draft away; `deleted` says that the item was nothing but a draft. @throws permission_denied, resource_not_found */
  discardDraft(ctx: RequestContext, input: WriteSubject): Promise<SaveItemResult & { deleted: boolean }>
  /** The item in any state, extensions and platform overlay applied. */
  item(type: MetadataType, name: string): MetadataItem | undefined
  /** All items of a type in any state, by name. */
  items(type: MetadataType): readonly MetadataItem[]
  /** The item as stored: no extension, no overlay. */
  storedItem(type: MetadataType, name: string): MetadataItem | undefined
  storedItems(type: MetadataType): readonly MetadataItem[]
  /** Where the item comes from, as the query's scopes say (D-109). */
  scopes(ctx: RequestContext, item: MetadataItem): ReadonlySet<'system' | 'platform' | 'user'>
  /** Names of the items the caller may see, archived ones left out. */
  visibleNames(ctx: RequestContext, type: MetadataType): string[]
  /** Bodies of the items the caller may see, by name. */
  visibleList(ctx: RequestContext, type: MetadataType, filter: ItemFilter & LanguageRequest): Body[]
  /** @throws resource_not_found */
  visible(ctx: RequestContext, type: MetadataType, name: string, options?: VisibleOptions): VisibleItem
  /** The ETag a read would carry; null when the caller may write the item but not read it. */
  etagSeen(ctx: RequestContext, type: MetadataType, name: string, options: VisibleOptions): string | null
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
}

/** Makes the service; reads every stored item once. */
export function createMetadataService(options: MetadataServiceOptions): MetadataCore {
  const { read, write, clock, ids, log } = options
  const stored = { items: readAllItems(read), overlays: readAllOverlays(read), drafts: readAllDrafts(read) }
  const cache = createItemCache(stored, log)
  const hooks = new Map<MetadataType, TypeHook>()
  const rules = new Map<MetadataType, ItemRule>()

  let listed: { epoch: number; byType: Map<MetadataType, readonly MetadataItem[]> } = { epoch: 0, byType: new Map() }
  /** Asked on every request for records; almost always nothing is deprecated. */
  let deprecated = { epoch: 0, has: false }
  const inForceList = (type: MetadataType): readonly MetadataItem[] => {
    if (listed.epoch !== cache.epoch()) listed = { epoch: cache.epoch(), byType: new Map() }
    let items = listed.byType.get(type)
    if (items === undefined) listed.byType.set(type, (items = Object.freeze(cache.list(type).filter(isInForce))))
    return items
  }

  const fallback = options.defaultLocale ?? (() => 'en')
  const spoken = options.spokenLocales ?? (() => [])
  const languages = createLanguages(() => inForceList('translation'), fallback, spoken, clock.iso)

  const etagFor = (ctx: RequestContext, body: Body, locale = languages.fallback()): string =>
    etagOf(body, { locale, fingerprint: options.authorizer().fingerprint(ctx), organizationId: ctx.organizationId })

  const fieldsOf = (object: string) => cache.objectSchema(object)?.fields ?? []

  const seenBy = (ctx: RequestContext, item: MetadataItem) => visibleItem(options.authorizer(), ctx, item, fieldsOf)

  /** A part of an item without what the caller may not read. */
  const partSeenBy = (ctx: RequestContext, type: MetadataType, name: string, part: Body): Body => {
    const item = cache.get(type, name)
    return item === undefined ? part : visiblePart(options.authorizer(), ctx, item, part, fieldsOf)
  }

  const personal = (item: MetadataItem, user: string): MetadataItem =>
    withOverlay(item, cache.overlay(item.type, item.name, user))

  const ownEtag = (ctx: RequestContext, item: MetadataItem): string => etagFor(ctx, seenBy(ctx, item) ?? item.item)

  const pipeline = createPipeline({
    cache,
    read,
    write,
    clock,
    ids,
    authorizer: options.authorizer,
    hook: (type) => hooks.get(type),
    rule: (type) => rules.get(type),
    isSeen: (ctx, item) => seenBy(ctx, item) !== null,
    etag: ownEtag,
    etags: (ctx, item) => {
      const mine = personal(item, ctx.actor.id)
      const body = seenBy(ctx, mine) ?? mine.item
      const inEach = languages.showAll(mine, body).map((one) => etagFor(ctx, one.body, one.meant))
      return [etagFor(ctx, body), ...inEach]
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

  /** What the caller sees of an item under an overlay of its own, which opens nothing that is closed. */
  const bodyOf = (ctx: RequestContext, item: MetadataItem, mine: MetadataItem): Body | null =>
    mine === item || seenBy(ctx, item) !== null ? seenBy(ctx, mine) : null

  /** The item and its body as the caller sees it; null when there is none to know of. */
  const findSeen = (ctx: RequestContext, type: MetadataType, name: string, filter: VisibleOptions) => {
    const shown = cache.get(type, name)
    const draft = isDraftWanted(filter) && shown !== undefined ? draftOf(shown) : undefined
    const item = draft ?? shown
    if (item === undefined || !fits(item, filter)) return null
    const mine = draft ?? personal(item, filter.userId ?? ctx.actor.id)
    const body = bodyOf(ctx, item, mine)
    return body === null ? null : { stored: mine, body }
  }

  /** @throws resource_not_found */
  const find = (ctx: RequestContext, type: MetadataType, name: string, filter: VisibleOptions) => {
    const found = findSeen(ctx, type, name, filter)
    if (found === null) throw notFound(type, name)
    return found
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

  const past = createItemHistory(cache, read, seenBy)

  const inForce = (type: MetadataType, name: string): MetadataItem | undefined => {
    const item = cache.get(type, name)
    return item === undefined || !isInForce(item) ? undefined : item
  }

  return {
    epoch: cache.epoch,
    get: inForce,
    list: inForceList,
    translations: languages.tree,
    locales: languages.locales,
    effective(ctx, type, name) {
      const item = inForce(type, name)
      return item === undefined ? undefined : personal(item, ctx.actor.id)
    },
    noteUse(ctx, type, name) {
      if (deprecated.epoch !== cache.epoch()) {
        deprecated = { epoch: cache.epoch(), has: allItems(cache).some(({ state }) => state === 'deprecated') }
      }
      const item = deprecated.has ? cache.get(type, name) : undefined
      if (item?.state !== 'deprecated') return
      const { replacedBy } = item.item
      const isName = typeof replacedBy === 'string' && /^[a-z0-9_.]{1,127}$/.test(replacedBy)
      const since = past.stateSince(item)
      const use = isName ? replacedBy : 'none'
      ctx.deprecations.push({ name: `${type} ${name}`, use, ...(since === undefined ? {} : { since }) })
    },
    objectSchema: cache.objectSchema,
    objectSchemas: cache.objectSchemas,
    comparedItems,
    async save(ctx, input) {
      const { result, field, after } = await pipeline.run(ctx, 'save', input)
      const stored = field === undefined ? undefined : (result.dryRun ? cache : after).get('field', field)
      return stored === undefined ? result : { ...result, etag: ownEtag(ctx, stored) }
    },
    async remove(ctx, input) {
      const { reset = false } = await pipeline.run(ctx, 'remove', input)
      return { deleted: !reset, reset }
    },
    bundle: pipeline.bundle,
    deliveries: createDeliveries(cache, pipeline.bundleBuilt),
    async putOverlay(ctx, input) {
      requireSeen(ctx, input)
      const { after } = await pipeline.run(ctx, 'overlay', input)
      return overlayOf(after, input, ctx.actor.id)!
    },
    async removeOverlay(ctx, key) {
      requireSeen(ctx, key)
      return (await pipeline.run(ctx, 'remove-overlay', key)).changes.length > 0
    },
    changeState: async (ctx, input) => (await pipeline.run(ctx, 'state', input)).result,
    publish: async (ctx, input) => (await pipeline.run(ctx, 'publish', input)).result,
    async discardDraft(ctx, input) {
      const { result, changes } = await pipeline.run(ctx, 'discard', input)
      return { ...result, deleted: changes[0]!.next === null }
    },
    async revert(ctx, { type, name, version, ...rest }) {
      const item = { ...past.bodyOf(ctx, type, name, version), name }
      return (await pipeline.run(ctx, 'revert', { type, name, item, toVersion: version, ...rest })).result
    },
    setTypeHook(type, hook) {
      if (hooks.has(type)) throw new Error(`The metadata type "${type}" has a hook already.`)
      hooks.set(type, hook)
    },
    setItemRule(type, rule) {
      if (rules.has(type)) throw new Error(`The metadata type "${type}" has a rule already.`)
      rules.set(type, rule)
    },
    exchange: createExchange(cache, pipeline.runPlaced),
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
      const language = languages.resolve(filter)
      return cache.list(type).flatMap((item) => {
        const draft = isDraftWanted(filter) ? draftOf(item) : undefined
        if (!fits(draft ?? item, filter)) return []
        const mine = draft ?? personal(item, ctx.actor.id)
        const body = bodyOf(ctx, item, mine)
        return body === null ? [] : [languages.show(mine, body, language)]
      })
    },
    visible(ctx, type, name, filter = {}) {
      const { stored: item, body: plain } = find(ctx, type, name, filter)
      const language = languages.resolve(filter)
      const body = languages.show(item, plain, language)
      const modifiedAt = languages.modifiedAt(item, language)
      return { stored: item, body, etag: etagFor(ctx, body, language.meant), modifiedAt }
    },
    etagSeen(ctx, type, name, filter) {
      const found = findSeen(ctx, type, name, filter)
      if (found === null) return null
      const language = languages.resolve(filter)
      return etagFor(ctx, languages.show(found.stored, found.body, language), language.meant)
    },
    withStoredLabels(type, name, body, request) {
      const item = cache.get(type, name)
      const language = languages.resolve(request)
      if (item === undefined || !language.isAsked) return body
      return unlocalise(body, item.item, languages.show(item, item.item, language)) as Body
    },
    overlay(ctx, key) {
      requireSeen(ctx, key)
      if (key.scope === 'platform') requireLayerRight(ctx, key.type)
      const overlay = overlayOf(cache, key, ctx.actor.id)
      if (overlay === null || key.scope === 'user') return overlay
      const patch = partSeenBy(ctx, key.type, key.name, overlay.patch)
      return patch === overlay.patch ? overlay : { ...overlay, patch, changes: [] }
    },
    layers(ctx, type, name) {
      const { body } = find(ctx, type, name, { state: cache.get(type, name)?.state ?? 'active' })
      requireLayerRight(ctx, type)
      return layersOf(cache, { type, name }, ctx.actor.id, body, (part) => partSeenBy(ctx, type, name, part))
    },
    exportOverlays: (ctx, items) => exportedOverlays(cache, items, ctx.actor.id),
    importOverlays: (ctx, overlays, { keep }) =>
      overlayEntries(overlays).filter(({ overlay }) => !keep || overlayOf(cache, overlay, ctx.actor.id) === null),
    history: past.history,
    historyEntry: past.historyEntry,
  }
}

/** Asked for drafts alone, the draft beside an item stands for it. */
function isDraftWanted({ state }: ItemFilter): boolean {
  const states = state === undefined ? [] : [state].flat()
  return states.length === 1 && states[0] === 'draft'
}

/** Types of which some callers see a part only. */
const maskedTypes: ReadonlySet<MetadataType> = new Set(['object', 'field', 'hook'])

function fits(item: MetadataItem, filter: ItemFilter): boolean {
  if (filter.packageId !== undefined && item.packageId !== filter.packageId) return false
  if (filter.namespace !== undefined && item.namespace !== filter.namespace) return false
  return filter.state === undefined ? item.state !== 'archived' : [filter.state].flat().includes(item.state)
}
