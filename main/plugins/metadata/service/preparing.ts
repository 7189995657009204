// Works out what saving or removing an item would store (D-105, D-106): checks it, composes the next version and follows
// renames. Reads only; the items it sees may be staged, not stored yet.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { isSameJson } from '#shared/merge-patch.ts'
import { missingMessages } from '#shared/rules/required-messages.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type {
  ItemIdentity,
  ItemRule,
  MetadataItem,
  RemoveItemInput,
  SaveItemInput,
  SaveItemResult,
  SchemaChangeStep,
  TypeHook,
} from '../api.ts'
import { renamesBetween, withOwnRenames } from '../references/renames.ts'
import { checkItem } from '../types/check-item.ts'
import { checkBody, checkName, checkOrigin, checkSameName } from './check-input.ts'
import { requireConditions } from './etag.ts'
import { requireCreatable, requireTarget } from './creatable.ts'
import { requireNoDependents } from './dependents.ts'
import { extendedObject, withoutExtensions } from './extensions.ts'
import { prepareFieldRemoval, prepareFieldSave } from './field-saving.ts'
import type { UnfinishedWrite } from './finishing.ts'
import { createFinishing } from './finishing.ts'
import { deepFreeze } from './freeze.ts'
import type { ItemCache } from './item-cache.ts'
import { createOverlayPreparing } from './overlay-preparing.ts'
import type { OverlayInput, OverlayKey } from './overlay-preparing.ts'
import type { Placing } from './placing.ts'
import { createPlacing } from './placing.ts'
import { followRename, leaving, renamed } from './renaming.ts'
import type { SchemaWork } from './schema-work.ts'
import type { StatePreparing } from './state-preparing.ts'
import { createStatePreparing } from './state-preparing.ts'
import type { ItemChange } from './item-change.ts'
import { newUid, withObjectUids } from './uids.ts'

/** What preparing works with. */
export interface PreparingOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly hook: (type: MetadataType) => TypeHook | undefined
  readonly rule: (type: MetadataType) => ItemRule | undefined
  /** The ETag of an item as the caller sees it. */
  readonly etag: (ctx: RequestContext, item: MetadataItem) => string
  /** Every ETag under which the caller may have read the item: one per language. */
  readonly etags: (ctx: RequestContext, item: MetadataItem) => readonly string[]
  /** The stored item of a uid. */
  readonly byUid: (items: ItemCache, identity: ItemIdentity) => MetadataItem | undefined
}

/** The items and rows one preparation looks at. */
export interface Ground {
  readonly items: ItemCache
  readonly reads: Pick<Reads, 'all' | 'get'>
  /** Uids of items that earlier entries of the same write change: their tables are not what they will be yet. */
  readonly touched?: ReadonlySet<string>
  /** True where the caller waits for plans that take long; see PendingWork. */
  readonly mayWait?: boolean
  /** True for what another machine made; see HookTarget. */
  readonly isPlaced?: boolean
  /** Items, as `type/name`, that go in the same write: what they refer to may go too. */
  readonly leaving?: ReadonlySet<string>
}

/** A write that is worked out and agreed to, but not stored. */
export interface PreparedWrite {
  /** What a save answers; of a removal only the plan counts. */
  readonly result: SaveItemResult
  /** The first change is the item's own; none when nothing changes. */
  readonly changes: readonly ItemChange[]
  readonly work: readonly SchemaWork[]
  /** The steps of all work. */
  readonly plan: readonly SchemaChangeStep[]
  /** The items as they will be. */
  readonly after: ItemCache
  readonly confirm: string | undefined
  /** The field the write is about, `object.field`, when it edits one. */
  readonly field?: string
  /** True when a removal takes away an overlay and leaves the item (D-106). */
  readonly reset?: true
}

/** Works out writes. */
export interface Preparing {
  /** @throws validation_error, destructive_change, CONCURRENT_UPDATE, conflict, item_locked */
  save(ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite
  /** @throws resource_not_found, item_locked, CONCURRENT_UPDATE, delete_restricted, destructive_change */
  remove(ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite
  /** @throws resource_not_found, validation_error, destructive_change */
  putOverlay(ctx: RequestContext, input: OverlayInput, ground: Ground): PreparedWrite
  /** A write without changes when there is no overlay. @throws resource_not_found, destructive_change */
  removeOverlay(ctx: RequestContext, key: OverlayKey & { confirm?: string }, ground: Ground): PreparedWrite
  readonly states: Omit<StatePreparing, 'saveDraft'>
  readonly placing: Placing
  /** Brings the body of an older version back as a new one. @throws as a save */
  revert(ctx: RequestContext, input: SaveItemInput & { toVersion: number }, ground: Ground): PreparedWrite
}

/** Makes the half of saving that decides. */
export function createPreparing(options: PreparingOptions): Preparing {
  const { clock, ids, etag } = options
  const finish = createFinishing(options)
  const overlays = createOverlayPreparing(options, finish)

  const conditions = (
    ctx: RequestContext,
    input: SaveItemInput | RemoveItemInput,
    existing: MetadataItem | null,
  ): void => requireConditions(input, existing, (item) => options.etags(ctx, item))

  /** Refuses what the rule of the type refuses; an item that stays as it is was let in before. @throws validation_error */
  const requireRule = (
    ctx: RequestContext,
    items: ItemCache,
    { type, name, item }: Pick<SaveItemInput, 'type' | 'name' | 'item'>,
  ): void => {
    const rule = options.rule(type)
    if (rule === undefined || isSameJson(items.get(type, name)?.item, { name, ...item })) return
    const errors = rule(ctx, { name, item }, items.objectSchema)
    if (errors.length > 0) throw validationError(errors)
  }

  const saveItem = (ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { type, name, confirm, dryRun } = input
    if (input.draft === true) {
      const base = items.base(type, name)
      if (base !== undefined && base.state !== 'draft') return states.saveDraft(ctx, input, ground)
      if (base === undefined) requireNoRename(items, input)
    }
    conditions(ctx, input, items.get(type, name) ?? null)
    const problems = [
      ...checkName(type, name),
      ...checkOrigin(input.namespace, input.packageId),
      ...checkBody(input.item),
      ...checkSameName(input),
    ]
    if (problems.length > 0) throw validationError(problems)

    const previous = items.base(type, name) ?? findRenamed(items, type, input.item) ?? null
    if (previous === null) requireCreatable(items, type, input.packageId)
    else if (isForeign(previous, input.packageId)) {
      if (previous.name !== name) throw platformError('item_locked', { packageId: previous.packageId })
      const delivered = overlays.saveDelivered(ctx, input, ground)
      requireRule(ctx, items, input)
      return delivered
    }

    const next = compose(items, input, previous)
    const { errors: found, warnings } = checkItem(type, next.item)
    const stored = [previous?.item, items.get(type, previous?.name ?? name)?.item]
    const errors = input.returning === true ? found : [...found, ...missingMessages(type, next.item, stored)]
    if (errors.length > 0) throw validationError(errors)
    if (type === 'object') requireTarget(items, next)
    requireRule(ctx, items, input)
    if (previous !== null && isSame(previous, next)) {
      return unchanged(ctx, ground, items.get(type, name)!, { warnings, dryRun, confirm })
    }
    const renames = type === 'object' ? renamesBetween(previous, next) : null
    const changes =
      previous === null || renames === null
        ? [{ previous, next }]
        : [renamed(items, previous, next, renames), ...followRename(items, previous, next, renames)]
    const unfinished = { changes, created: previous === null, warnings, confirm, dryRun }
    const prepared = finish(ctx, ground, unfinished)
    return withEffectWarning(keepWhatIsUsed(ctx, ground, unfinished, prepared), next)
  }

  /** Without consent to a loss, what records still use stays in the definition (D-100). */
  const keepWhatIsUsed = (
    ctx: RequestContext,
    ground: Ground,
    unfinished: UnfinishedWrite,
    prepared: PreparedWrite,
  ): PreparedWrite => {
    const { changes, warnings = [], confirm, dryRun } = unfinished
    const [own, ...rest] = changes
    if (confirm !== undefined || dryRun === true || !own?.previous || !own.next) return prepared
    const hook = prepared.work.find((work) => work.next?.uid === own.next!.uid)?.hook
    const found = hook?.keep?.(own.previous, own.next.item as Record<string, unknown>, prepared.plan)
    if (found === undefined || found === null) return prepared
    const { plan, planHash } = prepared.result
    const told = found.kept.map(({ field, option }) => ({
      path: `fields.${field}.options`,
      message: `Records use the option "${option}": it stays and takes no new values.`,
    }))
    const kept = finish(ctx, ground, {
      ...unfinished,
      changes: [{ ...own, next: deepFreeze({ ...own.next, item: found.item }) }, ...rest],
      warnings: [...warnings, ...told],
    })
    return { ...kept, result: { ...kept.result, plan, ...(planHash === undefined ? {} : { planHash }) } }
  }

  const states = createStatePreparing(options, finish, saveItem)

  const unchanged = (
    ctx: RequestContext,
    ground: Ground,
    item: MetadataItem,
    { warnings, dryRun, confirm }: Pick<SaveItemResult, 'warnings'> & Pick<SaveItemInput, 'dryRun' | 'confirm'>,
  ): PreparedWrite => {
    const { version, state } = item
    const result = { version, state, etag: etag(ctx, item), created: false, warnings, plan: [] }
    return {
      result: { ...result, dryRun: dryRun === true },
      changes: [],
      work: [],
      plan: [],
      after: ground.items,
      confirm,
    }
  }

  const removeItem = (ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { type, name, confirm } = input
    const previous = items.base(type, name)
    if (previous === undefined) throw notFound(type, name)
    requireConditions(input, items.get(type, name)!, (item) => options.etags(ctx, item))
    if (isForeign(previous, input.packageId)) return { ...overlays.reset(ctx, input, ground), reset: true }
    if (input.force !== true) requireNoDependents(ground, previous)
    return finish(ctx, ground, { changes: leaving(items, previous), confirm })
  }

  const compose = (items: ItemCache, input: SaveItemInput, previous: MetadataItem | null): MetadataItem => {
    const { type, name } = input
    const packageId = input.packageId ?? previous?.packageId ?? null
    const source = { ids, packageId, returning: input.returningUids?.fields }
    const uid =
      previous?.uid ??
      input.returningUids?.object ??
      (type === 'object' ? newUid(source, name) : newUid(source, type, name))
    const named = Object.hasOwn(input.item, 'name') ? { ...input.item } : { name, ...input.item }
    const now = clock.iso()
    // Through JSON, so that memory holds exactly what the row holds.
    const body = JSON.parse(
      JSON.stringify(
        type === 'object' ? withObjectUids(ownPart(items, named, previous), { name, uid }, previous, source) : named,
      ),
    ) as Record<string, unknown>
    const renames = type === 'object' ? renamesBetween(previous, { name, item: body }) : null
    const state = stateOf(input, previous)
    return deepFreeze({
      type,
      name,
      uid,
      item: renames === null ? body : withOwnRenames({ type, name, item: body }, renames, items),
      state,
      version: (previous?.version ?? 0) + 1,
      packageId,
      namespace: input.namespace ?? previous?.namespace ?? null,
      createdAt: previous?.createdAt ?? now,
      updatedAt: now,
      published: previous?.published === true || state !== 'draft',
    })
  }

  const fieldOptions = (ground: Ground) => ({
    items: ground.items,
    prepareSave: (ctx: RequestContext, input: SaveItemInput) => saveItem(ctx, input, ground),
    requireConditions: conditions,
    requireUnused: (field: { type: 'field'; name: string }) => requireNoDependents(ground, field),
    resetField: (ctx: RequestContext, input: RemoveItemInput) => overlays.resetField(ctx, input, ground),
  })

  const save = (ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite =>
    input.type === 'field' ? prepareFieldSave(fieldOptions(ground), ctx, input) : saveItem(ctx, input, ground)

  return {
    save,
    states,
    placing: createPlacing({ clock, finish, overlays, byUid: options.byUid }),
    revert(ctx, { toVersion, ...given }, ground) {
      const input = { ...given, returning: true as const }
      // Under an overlay the history tells how the whole looked; only the overlay can bring that back.
      const overlay = input.type === 'field' ? undefined : ground.items.overlay(input.type, input.name, null)
      const isLayered = overlay?.active === true && ground.items.base(input.type, input.name) !== undefined
      const prepared = isLayered ? overlays.saveDelivered(ctx, input, ground) : save(ctx, input, ground)
      const [first, ...rest] = prepared.changes
      if (first === undefined) return prepared
      return { ...prepared, changes: [{ ...first, message: `reverted to version ${toVersion}` }, ...rest] }
    },
    remove: (ctx, input, ground) =>
      input.type === 'field' ? prepareFieldRemoval(fieldOptions(ground), ctx, input) : removeItem(ctx, input, ground),
    putOverlay: overlays.put,
    removeOverlay: overlays.remove,
  }
}

/** An import may bring the state along; what was published once is never a mere draft again. */
function stateOf({ draft, state }: SaveItemInput, previous: MetadataItem | null): MetadataState {
  if (previous === null) return draft === true ? 'draft' : (state ?? 'active')
  return state === undefined || (state === 'draft' && previous.published) ? previous.state : state
}

/** Of a body meant as the whole object, the part that does not come from extensions. @throws validation_error */
function ownPart(
  items: ItemCache,
  body: Record<string, unknown>,
  previous: MetadataItem | null,
): Readonly<Record<string, unknown>> {
  if (previous === null || extendedObject(body) !== null) return body
  const own = withoutExtensions(body, previous.item, items.extensions(previous.name))
  if (own.errors.length > 0) throw validationError(own.errors)
  return own.body
}

function findRenamed(
  items: Pick<ItemCache, 'base'>,
  type: MetadataType,
  item: Readonly<Record<string, unknown>>,
): MetadataItem | undefined {
  const from = type === 'object' && Object.hasOwn(item, 'renamedFrom') ? item['renamedFrom'] : undefined
  return typeof from === 'string' ? items.base('object', from) : undefined
}

/** A rename takes effect at once, so a draft cannot hold one. @throws validation_error */
function requireNoRename(items: ItemCache, { type, item }: SaveItemInput): void {
  if (findRenamed(items, type, item) === undefined) return
  throw validationError([
    { field: 'renamedFrom', code: 'not_allowed', message: 'A draft cannot rename.', value: item['renamedFrom'] },
  ])
}

/** Key order counts: it is the order in which fields are shown. */
function isSame(previous: MetadataItem, next: MetadataItem): boolean {
  return (
    previous.name === next.name &&
    previous.state === next.state &&
    previous.packageId === next.packageId &&
    previous.namespace === next.namespace &&
    JSON.stringify(previous.item) === JSON.stringify(next.item)
  )
}

/**
 * Whether the item was delivered by a package and the writer is not that package: then an overlay takes the change.
 * @throws conflict when a package meets what people made, item_locked when it meets another package's
 */
function isForeign(previous: MetadataItem, packageId: string | undefined): boolean {
  if (previous.packageId === (packageId ?? null)) return false
  if (previous.packageId === null) throw platformError('conflict', { reason: 'package', packageId: null })
  if (packageId === undefined) return true
  throw platformError('item_locked', { packageId: previous.packageId })
}

/** Says so when what was saved is not what is in force: an overlay lies over it, or its state keeps it back. */
function withEffectWarning(prepared: PreparedWrite, next: MetadataItem): PreparedWrite {
  const overlay = prepared.after.overlay(next.type, next.name, null)
  const messages = [
    ...(overlay?.active === true ? ['An overlay lies over the item and may change what was saved.'] : []),
    ...(next.state === 'archived' ? ['The item is archived and stays so.'] : []),
    ...(next.state === 'draft' && next.version > 1 ? ['The item is a draft until it is published.'] : []),
  ]
  if (messages.length === 0) return prepared
  const warnings = [...prepared.result.warnings, ...messages.map((message) => ({ path: '', message }))]
  return { ...prepared, result: { ...prepared.result, warnings } }
}
