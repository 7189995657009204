// Works out what saving or removing an item would store (D-105, D-106): checks it, composes the next version, asks the
// type's hook for a plan and follows renames. Reads only; the items it sees may be staged, not stored yet.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type {
  MetadataItem,
  RemoveItemInput,
  SaveItemInput,
  SaveItemResult,
  SchemaChangeStep,
  TypeHook,
} from '../api.ts'
import { checkItem } from '../types/check-item.ts'
import { runtimeCreate } from '../types/type-entries.ts'
import { checkBody, checkName, checkOrigin, checkSameName } from './check-input.ts'
import { matchesVersion } from './etag.ts'
import { splitChildName } from './field-items.ts'
import { prepareFieldRemoval, prepareFieldSave } from './field-saving.ts'
import type { ItemCache } from './item-cache.ts'
import { deepFreeze } from './item-cache.ts'
import { planHash, requireConsent } from './plan.ts'
import { dependentsOf, isChildOf, withObjectRenamed } from './references.ts'
import type { ItemChange } from './storing.ts'
import { newUid, withObjectUids } from './uids.ts'

/** Most objects a workspace may have (D-199). */
export const maxObjects = 1000

/** What preparing works with. */
export interface PreparingOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly hook: (type: MetadataType) => TypeHook | undefined
  /** The ETag of an item as the caller sees it. */
  readonly etag: (ctx: RequestContext, item: MetadataItem) => string
}

/** The items and rows one preparation looks at. */
export interface Ground {
  readonly items: Pick<ItemCache, 'get' | 'list'>
  readonly reads: Pick<Reads, 'all' | 'get'>
  /** Uids of items that earlier entries of the same write change: their tables are not what they will be yet. */
  readonly touched?: ReadonlySet<string>
  /** Items, as `type/name`, that go in the same write: what they refer to may go too. */
  readonly leaving?: ReadonlySet<string>
}

/** A write that is worked out and agreed to, but not stored. */
export interface PreparedWrite {
  /** What a save answers; of a removal only the plan counts. */
  readonly result: SaveItemResult
  /** The first change is the item's own; none when nothing changes. */
  readonly changes: readonly ItemChange[]
  readonly hook: TypeHook | undefined
  readonly plan: readonly SchemaChangeStep[]
  readonly confirm: string | undefined
  /** The field the write is about, `object.field`, when it edits one. */
  readonly field?: string
}

/** Works out writes. */
export interface Preparing {
  /** @throws validation_error, destructive_change, CONCURRENT_UPDATE, conflict, item_locked */
  save(ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite
  /** @throws resource_not_found, item_locked, CONCURRENT_UPDATE, delete_restricted, destructive_change */
  remove(ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite
}

/** Makes the half of saving that decides. */
export function createPreparing(options: PreparingOptions): Preparing {
  const { clock, ids, etag } = options

  const saveItem = (ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { type, name, confirm } = input
    const existing = items.get(type, name) ?? null
    requireConditions(ctx, input, existing)
    const problems = [
      ...checkName(type, name),
      ...checkOrigin(input.namespace, input.packageId),
      ...checkBody(input.item),
      ...checkSameName(input),
    ]
    if (problems.length > 0) throw validationError(problems)

    const previous = existing ?? findRenamed(items, type, input.item) ?? null
    requireOwnPackage(previous, input.packageId)
    if (previous === null) requireCreatable(items, type, input.packageId)
    if (type === 'object' && Object.hasOwn(input.item, 'extend')) {
      throw platformError('not_implemented', { feature: 'object extensions' })
    }

    const next = compose(input, previous)
    const check = checkItem(type, next.item)
    if (check.errors.length > 0) throw validationError(check.errors)
    const { warnings } = check
    if (previous !== null && isSame(previous, next)) {
      const result = { version: previous.version, etag: etag(ctx, previous), state: previous.state, created: false }
      return {
        result: { ...result, warnings, plan: [], dryRun: input.dryRun === true },
        changes: [],
        hook: undefined,
        plan: [],
        confirm,
      }
    }

    const hook = options.hook(type)
    const plan = planOf(hook, { previous, next }, ground)
    const result: SaveItemResult = {
      version: next.version,
      etag: etag(ctx, next),
      state: next.state,
      created: previous === null,
      warnings,
      plan,
      ...(plan.length === 0 ? {} : { planHash: planHash(plan) }),
      dryRun: input.dryRun === true,
    }
    if (input.dryRun !== true) requireConsent(plan, confirm)
    return { result, changes: [{ previous, next }, ...followRename(items, previous, next)], hook, plan, confirm }
  }

  const removeItem = (ctx: RequestContext, input: RemoveItemInput, ground: Ground): PreparedWrite => {
    const { items } = ground
    const { type, name, confirm } = input
    const previous = items.get(type, name)
    if (previous === undefined) throw notFound(type, name)
    requireConditions(ctx, input, previous)
    if (previous.packageId !== null) throw platformError('item_locked', { packageId: previous.packageId })
    if (type === 'object' && input.force !== true) requireNoDependents(ground, name)
    const hook = options.hook(type)
    const plan = planOf(hook, { previous, next: null }, ground)
    requireConsent(plan, confirm)
    const children = type === 'object' ? allItems(items).filter((item) => isChildOf(item, name)) : []
    const { version, state } = previous
    return {
      result: { version, etag: '', state, created: false, warnings: [], plan, dryRun: false },
      changes: [previous, ...children].map((item) => ({ previous: item, next: null })),
      hook,
      plan,
      confirm,
    }
  }

  const compose = (input: SaveItemInput, previous: MetadataItem | null): MetadataItem => {
    const { type, name } = input
    const packageId = input.packageId ?? previous?.packageId ?? null
    const source = { ids, packageId }
    const uid = previous?.uid ?? (type === 'object' ? newUid(source, name) : newUid(source, type, name))
    const named = Object.hasOwn(input.item, 'name') ? { ...input.item } : { name, ...input.item }
    const now = clock.iso()
    // Through JSON, so that memory holds exactly what the row holds.
    const body = JSON.parse(
      JSON.stringify(type === 'object' ? withObjectUids(named, { name, uid }, previous, source) : named),
    ) as Record<string, unknown>
    return deepFreeze({
      type,
      name,
      uid,
      item: body,
      state: previous?.state ?? ('active' as const),
      version: (previous?.version ?? 0) + 1,
      packageId,
      namespace: input.namespace ?? previous?.namespace ?? null,
      createdAt: previous?.createdAt ?? now,
      updatedAt: now,
    })
  }

  const requireConditions = (
    ctx: RequestContext,
    input: Pick<SaveItemInput, 'ifMatch' | 'ifNoneMatch'>,
    existing: MetadataItem | null,
  ): void => {
    if (input.ifNoneMatch?.trim() === '*' && existing !== null) {
      throw platformError('conflict', { reason: 'exists', type: existing.type, name: existing.name })
    }
    if (input.ifMatch === undefined) return
    if (existing !== null && matchesVersion(input.ifMatch, { etag: etag(ctx, existing), version: existing.version }))
      return
    throw platformError('CONCURRENT_UPDATE', {
      currentVersion: existing?.version ?? null,
      currentItem: existing?.item ?? null,
    })
  }

  const fieldOptions = (ground: Ground) => ({
    items: ground.items,
    prepareSave: (ctx: RequestContext, input: SaveItemInput) => saveItem(ctx, input, ground),
    requireConditions,
  })

  return {
    save: (ctx, input, ground) =>
      input.type === 'field' ? prepareFieldSave(fieldOptions(ground), ctx, input) : saveItem(ctx, input, ground),
    remove: (ctx, input, ground) =>
      input.type === 'field' ? prepareFieldRemoval(fieldOptions(ground), ctx, input) : removeItem(ctx, input, ground),
  }
}

/** An item in the form a type's hook takes. */
export function hookTarget(item: MetadataItem): { name: string; uid: string; item: Record<string, unknown> } {
  return { name: item.name, uid: item.uid, item: item.item as Record<string, unknown> }
}

/** The hook's plan; an item changed before in the same write is planned there, when its tables are as it needs them. */
function planOf(
  hook: TypeHook | undefined,
  { previous, next }: ItemChange,
  { reads, touched }: Ground,
): readonly SchemaChangeStep[] {
  if (hook === undefined || (previous !== null && touched?.has(previous.uid) === true)) return []
  return hook.plan(previous, next === null ? null : hookTarget(next), reads)
}

const storedTypes = metadataTypes.filter((type) => type !== 'field')

/** Every stored item, types in the order of the specification; fields are part of their objects. */
export function allItems(items: Pick<ItemCache, 'list'>): MetadataItem[] {
  return storedTypes.flatMap((type) => items.list(type))
}

function findRenamed(
  items: Pick<ItemCache, 'get'>,
  type: MetadataType,
  item: Readonly<Record<string, unknown>>,
): MetadataItem | undefined {
  const from = type === 'object' && Object.hasOwn(item, 'renamedFrom') ? item['renamedFrom'] : undefined
  return typeof from === 'string' ? items.get('object', from) : undefined
}

/** Items that name the object under its old name, and its children, follow a rename (D-100). */
function followRename(items: Pick<ItemCache, 'list'>, previous: MetadataItem | null, next: MetadataItem): ItemChange[] {
  if (previous === null || previous.name === next.name) return []
  return allItems(items)
    .filter((item) => item !== previous)
    .flatMap((item): ItemChange[] => {
      const body = withObjectRenamed(item, previous.name, next.name)
      const name =
        item.type !== 'object' && isChildOf(item, previous.name)
          ? next.name + item.name.slice(previous.name.length)
          : item.name
      if (body === item.item && name === item.name) return []
      const changed = Object.hasOwn(body, 'name') ? { ...body, name } : body
      const { updatedAt } = next
      return [
        { previous: item, next: deepFreeze({ ...item, name, item: changed, version: item.version + 1, updatedAt }) },
      ]
    })
}

function requireCreatable(items: Pick<ItemCache, 'list'>, type: MetadataType, packageId: string | undefined): void {
  const who = runtimeCreate(type)
  if (who === 'never' || (who === 'packages' && packageId === undefined)) {
    throw validationError([
      { field: 'type', code: 'not_allowed', message: 'Items of this type are not made at run time.', value: type },
    ])
  }
  if (type === 'object' && items.list('object').length >= maxObjects) {
    throw validationError([
      {
        field: 'name',
        code: 'max_items',
        message: `A workspace has at most ${maxObjects} objects.`,
        constraint: maxObjects,
      },
    ])
  }
}

function requireNoDependents({ items, leaving }: Ground, object: string): void {
  const dependents = dependentsOf(object, items.list('object')).filter(
    ({ sourceName }) => leaving?.has(`object/${splitChildName(sourceName)!.parent}`) !== true,
  )
  const [first] = dependents
  if (first === undefined) return
  const { parent, child } = splitChildName(first.sourceName)!
  throw platformError('delete_restricted', {
    dependents,
    dependentObject: parent,
    dependentField: child,
    dependentCount: dependents.length,
  })
}

/** Key order counts: it is the order in which fields are shown. */
function isSame(previous: MetadataItem, next: MetadataItem): boolean {
  return (
    previous.name === next.name &&
    previous.packageId === next.packageId &&
    previous.namespace === next.namespace &&
    JSON.stringify(previous.item) === JSON.stringify(next.item)
  )
}

/** What a package delivered is changed by that package, or by an overlay. */
function requireOwnPackage(previous: MetadataItem | null, packageId: string | undefined): void {
  if (previous === null || previous.packageId === (packageId ?? null)) return
  if (previous.packageId === null) throw platformError('conflict', { reason: 'package', packageId: null })
  if (packageId === undefined) throw platformError('not_implemented', { feature: 'overlays' })
  throw platformError('item_locked', { packageId: previous.packageId })
}
