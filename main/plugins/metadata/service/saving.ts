// Stores and removes items: checks, plans, and writes item, history and tables in one write job (D-105, D-106).
// Metadata writes run one after the other, so what is checked here cannot change before the write. Knows no routes.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { metadataTypes } from '#shared/contracts/metadata.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { metadataEvents } from '#shared/events.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type {
  MetadataItem,
  RemoveItemInput,
  SaveItemInput,
  SaveItemResult,
  SchemaChangeStep,
  TypeHook,
} from '../api.ts'
import { deleteItem, writeItem } from '../store.ts'
import { checkItem } from '../types/check-item.ts'
import { runtimeCreate } from '../types/type-entries.ts'
import { checkBody, checkName, checkOrigin, checkSameName } from './check-input.ts'
import { matchesVersion } from './etag.ts'
import { splitChildName } from './field-items.ts'
import { createFieldSaving } from './field-saving.ts'
import { recordHistory } from './history.ts'
import type { ItemCache } from './item-cache.ts'
import { deepFreeze } from './item-cache.ts'
import { acceptsAnyPlan, planHash, requireConsent } from './plan.ts'
import { dependentsOf, isChildOf, withObjectRenamed } from './references.ts'
import { createSerial } from './serial.ts'
import { newUid, withObjectUids } from './uids.ts'

/** The events saving raises (D-111). */
export const [savedEvent, deletedEvent] = metadataEvents

/** Most objects a workspace may have (D-199). */
export const maxObjects = 1000

/** What saving works with. */
export interface SavingOptions {
  readonly cache: ItemCache
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly authorizer: () => Authorizer
  readonly hook: (type: MetadataType) => TypeHook | undefined
  /** The ETag of an item as the caller sees it. */
  readonly etag: (ctx: RequestContext, item: MetadataItem) => string
}

/** The writing half of the metadata service. */
export interface Saving {
  save(ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult>
  remove(ctx: RequestContext, input: RemoveItemInput): Promise<void>
}

/** One item as it was and as it becomes; null means absent. */
interface Change {
  readonly previous: MetadataItem | null
  readonly next: MetadataItem | null
}

/** Makes the writing half. */
export function createSaving(options: SavingOptions): Saving {
  const { cache, read, write, clock, ids, etag } = options
  const serial = createSerial()

  const saveItem = async (ctx: RequestContext, input: SaveItemInput): Promise<SaveItemResult> => {
    const { type, name, confirm } = input
    const existing = cache.get(type, name) ?? null
    requireConditions(ctx, input, existing)
    const problems = [
      ...checkName(type, name),
      ...checkOrigin(input.namespace, input.packageId),
      ...checkBody(input.item),
      ...checkSameName(input),
    ]
    if (problems.length > 0) throw validationError(problems)

    const previous = existing ?? findRenamed(type, input.item) ?? null
    requireOwnPackage(previous, input.packageId)
    if (previous === null) requireCreatable(type, input.packageId)
    if (type === 'object' && Object.hasOwn(input.item, 'extend')) {
      throw platformError('not_implemented', { feature: 'object extensions' })
    }

    const next = compose(input, previous)
    const check = checkItem(type, next.item)
    if (check.errors.length > 0) throw validationError(check.errors)
    const { warnings } = check
    if (previous !== null && isSame(previous, next)) {
      const result = { version: previous.version, etag: etag(ctx, previous), state: previous.state, created: false }
      return { ...result, warnings, plan: [], dryRun: input.dryRun === true }
    }

    const hook = options.hook(type)
    const plan = hook?.plan(previous, target(next), read) ?? []
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
    if (input.dryRun === true) return result
    requireConsent(plan, confirm)

    const changes: Change[] = [{ previous, next }, ...followRename(previous, next)]
    await write('metadata.save', (tx) => {
      applyHook(tx, ctx, hook, { previous, next }, { plan, confirm })
      store(tx, ctx, changes)
    })
    return result
  }

  const removeItem = async (ctx: RequestContext, input: RemoveItemInput): Promise<void> => {
    const { type, name, confirm } = input
    const previous = cache.get(type, name)
    if (previous === undefined) throw notFound(type, name)
    requireConditions(ctx, input, previous)
    if (previous.packageId !== null) throw platformError('item_locked', { packageId: previous.packageId })
    if (type === 'object' && input.force !== true) requireNoDependents(name)
    const hook = options.hook(type)
    const plan = hook?.plan(previous, null, read) ?? []
    requireConsent(plan, confirm)
    const children = type === 'object' ? childrenOf(name) : []
    const changes = [previous, ...children].map((item): Change => ({ previous: item, next: null }))
    await write('metadata.remove', (tx) => {
      applyHook(tx, ctx, hook, { previous, next: null }, { plan, confirm })
      store(tx, ctx, changes)
    })
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

  const findRenamed = (type: MetadataType, item: Readonly<Record<string, unknown>>): MetadataItem | undefined => {
    const from = type === 'object' && Object.hasOwn(item, 'renamedFrom') ? item['renamedFrom'] : undefined
    return typeof from === 'string' ? cache.get('object', from) : undefined
  }

  /** Items that name the object under its old name, and its children, follow a rename (D-100). */
  const followRename = (previous: MetadataItem | null, next: MetadataItem): Change[] => {
    if (previous === null || previous.name === next.name) return []
    return allItems()
      .filter((item) => item !== previous)
      .flatMap((item): Change[] => {
        const body = withObjectRenamed(item, previous.name, next.name)
        const name =
          item.type !== 'object' && isChildOf(item, previous.name)
            ? next.name + item.name.slice(previous.name.length)
            : item.name
        if (body === item.item && name === item.name) return []
        const changed = Object.hasOwn(body, 'name') ? { ...body, name } : body
        return [
          {
            previous: item,
            next: deepFreeze({ ...item, name, item: changed, version: item.version + 1, updatedAt: next.updatedAt }),
          },
        ]
      })
  }

  const childrenOf = (object: string): MetadataItem[] => allItems().filter((item) => isChildOf(item, object))

  const allItems = (): MetadataItem[] => storedTypes.flatMap((type) => cache.list(type))

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

  const requireCreatable = (type: MetadataType, packageId: string | undefined): void => {
    const who = runtimeCreate(type)
    if (who === 'never' || (who === 'packages' && packageId === undefined)) {
      throw validationError([
        { field: 'type', code: 'not_allowed', message: 'Items of this type are not made at run time.', value: type },
      ])
    }
    if (type === 'object' && cache.list('object').length >= maxObjects) {
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

  const requireNoDependents = (object: string): void => {
    const dependents = dependentsOf(object, cache.list('object'))
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

  /** Looks at the plan again inside the write: rows stored since it was shown may have made it destructive. */
  const applyHook = (
    tx: Tx,
    ctx: RequestContext,
    hook: TypeHook | undefined,
    change: Change,
    shown: { plan: readonly SchemaChangeStep[]; confirm: string | undefined },
  ): void => {
    if (hook === undefined) return
    const next = change.next === null ? null : target(change.next)
    if (change.previous !== null && !acceptsAnyPlan(shown.confirm)) {
      const plan = hook.plan(change.previous, next, tx)
      if (planHash(plan) !== planHash(shown.plan)) requireConsent(plan, shown.confirm)
    }
    hook.apply(tx, ctx, change.previous, next)
  }

  const store = (tx: Tx, ctx: RequestContext, changes: readonly Change[]): void => {
    // Rows that leave a name go first, so that names and uids are free for those that come.
    for (const { previous, next } of changes) {
      if (previous !== null && previous.name !== next?.name) deleteItem(tx, previous.type, previous.name)
    }
    for (const { previous, next } of changes) {
      if (next !== null) writeItem(tx, next, ctx.actor.id)
      const subject = next ?? { ...previous!, version: previous!.version + 1 }
      recordHistory(tx, ctx, next === null ? 'delete' : previous === null ? 'create' : 'update', subject, clock.iso())
      const { type, name, version, packageId } = subject
      tx.emit(ctx, {
        type: next === null ? deletedEvent : savedEvent,
        payload: {
          type,
          name,
          version,
          ...(packageId === null ? {} : { packageId }),
          ...(previous !== null && next !== null && previous.name !== name ? { renamedFrom: previous.name } : {}),
          actor: ctx.actor,
        },
      })
    }
    tx.afterCommit(() => {
      cache.apply({
        remove: changes.flatMap(({ previous }) => (previous === null ? [] : [previous])),
        put: changes.flatMap(({ next }) => (next === null ? [] : [next])),
      })
    })
  }

  const requireWriteRight = (ctx: RequestContext, type: MetadataType): void => {
    requireSystemPermission(options.authorizer(), ctx, writeRights[type] ?? 'manage_metadata')
  }

  const fields = createFieldSaving({ cache, saveItem, requireConditions, etag })

  return {
    async save(ctx, input) {
      if (input.authorized !== true) requireWriteRight(ctx, input.type)
      return serial(() => (input.type === 'field' ? fields.save(ctx, input) : saveItem(ctx, input)))
    },
    async remove(ctx, input) {
      if (input.authorized !== true) requireWriteRight(ctx, input.type)
      return serial(() => (input.type === 'field' ? fields.remove(ctx, input) : removeItem(ctx, input)))
    },
  }
}

/** Types whose items guard others need a right of their own (D-113). */
const writeRights: Readonly<Partial<Record<MetadataType, string>>> = {
  permission: 'manage_permissions',
  profile: 'manage_permissions',
  role: 'manage_permissions',
  flow: 'manage_flows',
}

const storedTypes = metadataTypes.filter((type) => type !== 'field')

function target(item: MetadataItem): { name: string; uid: string; item: Record<string, unknown> } {
  return { name: item.name, uid: item.uid, item: item.item as Record<string, unknown> }
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
