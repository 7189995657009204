// The one way of every metadata write, from what is asked for to what is stored (D-100 to D-113):
//   read what is stored -> check what is given -> merge both into the next version, with uids -> plan what that means for
//   tables, objects compiled -> ask for consent where data would be lost -> store tables, items, history and events in
//   one job -> take it over into memory.
// Writes run one after the other, so that what was checked cannot change before it is stored. A `prepare…` reads only.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { notFound, platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireSystemPermission } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { whenReady } from '#main/kernel/pending-work.ts'
import type { MetadataItem, PlacedItem, RemoveItemInput, SaveItemInput } from '../api.ts'
import type { BundleEntry, BundleOptions, BundleResult } from './bundle.ts'
import { runBundle, subjectOf } from './bundle.ts'
import type { PublishInput, StateInput } from './change-state.ts'
import {
  asDraft,
  changeState,
  draftOnly,
  requireDraftable,
  requirePublishable,
  requireStateful,
  withoutDraft,
} from './change-state.ts'
import {
  isForeign,
  requireCreatable,
  requireNoDependents,
  requireRule,
  requireShape,
  requireTarget,
} from './check-change.ts'
import { requireSafeInput } from './check-input.ts'
import { requireConditions } from './etag.ts'
import type { ItemCache } from './item-cache.ts'
import type { PreparedWrite, WriteParts, WriteScope, WriteSubject } from './item-write.ts'
import { prepareDelivered } from './deliver-item.ts'
import { fieldHolder, mergeField, mergeFieldRemoval, seenFromField } from './merge-field.ts'
import { splitChildName } from './field-items.ts'
import { changesOf, findRenamed, isSameVersion, mergeItem, requireNoRename } from './merge-item.ts'
import type { OverlayInput, OverlayKey } from './merge-overlay.ts'
import { mergeDelivered, mergeOverlay, overlayWithoutField, removeOverlay, storedOverlay } from './merge-overlay.ts'
import { agreedElsewhere, mergePlaced } from './place-item.ts'
import { aroundAll, planSave, planWrite } from './plan-schema.ts'
import { leaving } from './renaming.ts'
import { storeWrite } from './store-write.ts'

/** What can be asked for, by the kind of the write. */
export interface WriteRequests {
  readonly save: SaveItemInput
  readonly remove: RemoveItemInput
  readonly overlay: OverlayInput
  readonly 'remove-overlay': OverlayKey
  readonly state: StateInput
  readonly publish: PublishInput
  readonly discard: WriteSubject
  /** The body of an older version, as a new one. */
  readonly revert: SaveItemInput & { readonly toVersion: number }
  /** An item of another machine. */
  readonly place: PlacedItem
  /** An item that another machine removed. */
  readonly drop: MetadataItem
}

type Preparers = {
  readonly [K in keyof WriteRequests]: (scope: WriteScope, request: WriteRequests[K]) => PreparedWrite
}

const preparers: Preparers = {
  save: prepareSave,
  remove: prepareRemoval,
  overlay: prepareOverlay,
  'remove-overlay': prepareOverlayRemoval,
  state: (scope, input) => planWrite(scope, input, changeState(scope, input)),
  publish: preparePublishing,
  discard: prepareDiscarding,
  revert: prepareRevert,
  place: preparePlaced,
  drop: (scope, item) =>
    planWrite(scope, { ...item, confirm: agreedElsewhere }, { changes: leaving(scope.items, item) }),
}

/** What the pipeline works with. */
export interface PipelineParts extends WriteParts {
  readonly cache: ItemCache
  readonly read: Reads
  readonly write: Write
  readonly authorizer: () => Authorizer
  /** Whether a caller may know of an item. */
  readonly isSeen: (ctx: RequestContext, item: MetadataItem) => boolean
}

/** The pipeline. What it throws is what the steps throw. */
export interface Pipeline {
  /**
   * Runs a write that a caller asks for.
   * @throws permission_denied, resource_not_found for a personal view of somebody else
   */
  run<K extends Exclude<keyof WriteRequests, 'place' | 'drop'>>(
    ctx: RequestContext,
    kind: K,
    request: WriteRequests[K] & { readonly type: MetadataType; readonly name: string; readonly authorized?: boolean },
  ): Promise<PreparedWrite>
  /**
   * Runs a write that another machine made; rights are not asked for.
   * @param build asked when no other metadata write can come between; null stores nothing
   */
  runPlaced<K extends keyof WriteRequests>(
    ctx: RequestContext,
    kind: K,
    build: () => WriteRequests[K] | null,
  ): Promise<PreparedWrite | null>
  /** Saves and removes many items in one write. @throws permission_denied; what fails inside is an outcome */
  bundle(ctx: RequestContext, entries: readonly BundleEntry[], options: BundleOptions): Promise<BundleResult>
  /**
   * The same for entries whose maker has asked for the rights.
   * @param build asked when no other metadata write can come between
   */
  bundleBuilt(ctx: RequestContext, build: () => readonly BundleEntry[], options: BundleOptions): Promise<BundleResult>
}

/** Makes the pipeline. */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { cache, read, write } = parts
  const serial = createSerial()

  const requireRight = (
    ctx: RequestContext,
    asked: { type: MetadataType; authorized?: boolean; scope?: string | undefined },
  ): void => {
    // Everybody may write overlays of their own.
    if (asked.authorized === true || asked.scope === 'user') return
    requireSystemPermission(parts.authorizer(), ctx, writeRights[asked.type] ?? 'manage_metadata')
  }

  /** What is written to is told of by refusals, and read once it is the writer's own (D-115). @throws resource_not_found */
  const requireSeen = (
    ctx: RequestContext,
    asked: { type: MetadataType; name: string; authorized?: boolean },
  ): void => {
    const item = asked.type === 'view' && asked.authorized !== true ? cache.get('view', asked.name) : undefined
    if (item !== undefined && !parts.isSeen(ctx, item)) throw notFound('view', asked.name)
  }

  const scopeOf = (ctx: RequestContext): WriteScope => ({ ...parts, ctx, items: cache, reads: read, mayWait: true })

  /** What its types have to do around a write may take long; a write without changes stores nothing. */
  const store = async (kind: string, ctx: RequestContext, prepared: PreparedWrite): Promise<void> => {
    if (prepared.changes.length === 0 || prepared.result.dryRun) return
    await aroundAll(ctx, prepared.work, () => write(`metadata.${kind}`, (tx) => storeWrite(parts, tx, ctx, prepared)))
  }

  return {
    async run(ctx, kind, request) {
      requireRight(ctx, request)
      requireSeen(ctx, request)
      return serial(async () => {
        const prepared = await whenReady(() => preparers[kind](scopeOf(ctx), request))
        await store(kind, ctx, prepared)
        return prepared
      })
    },
    runPlaced: (ctx, kind, build) =>
      serial(async () => {
        const prepared = await whenReady(() => {
          const request = build()
          return request === null
            ? null
            : preparers[kind](
                { ...scopeOf(ctx), isPlaced: kind === 'place' || kind === 'overlay', isAgreed: true },
                request,
              )
        })
        if (prepared !== null) await store(kind, ctx, prepared)
        return prepared
      }),
    async bundle(ctx, entries, options) {
      for (const entry of entries) requireRight(ctx, subjectOf(entry))
      const prepare: typeof prepareEntry = (scope, entry, dryRun) => {
        requireSeen(ctx, subjectOf(entry))
        return prepareEntry(scope, entry, dryRun)
      }
      return serial(() => runBundle({ ...parts, prepare }, ctx, entries, options))
    },
    bundleBuilt: (ctx, build, options) =>
      serial(async () => runBundle({ ...parts, prepare: prepareEntry }, ctx, build(), options)),
  }
}

function prepareEntry(scope: WriteScope, entry: BundleEntry, dryRun: boolean): PreparedWrite {
  if (entry.delivered !== undefined) return prepareDelivered(scope, entry.delivered)
  if (entry.overlay !== undefined) return prepareOverlay(scope, entry.overlay)
  return entry.remove === undefined
    ? prepareSave(scope, { ...entry.save, dryRun })
    : prepareRemoval(scope, entry.remove)
}

/** Prepares a save: of an item, of a field, which is a part of its object, or of a draft beside an item. */
function prepareSave(scope: WriteScope, input: SaveItemInput): PreparedWrite {
  const { type, name, item, draft, dryRun } = input
  if (type === 'field') {
    requireSafeInput({ type, name, item })
    const save = mergeField(scope.items, input)
    const existing = scope.items.get(type, name) ?? null
    requireConditions(input, existing, (one) => scope.etags(scope.ctx, one))
    try {
      const prepared = prepareItem(scope, save)
      return { ...prepared, field: name, result: { ...prepared.result, created: existing === null } }
    } catch (error) {
      throw seenFromField(name, error)
    }
  }
  const base = scope.items.base(type, name)
  if (draft === true && base !== undefined && base.state !== 'draft') {
    requireDraftable(scope, input, base)
    const { ifMatch: _match, ifNoneMatch: _none, ...bare } = input
    return asDraft(scope, prepareItem(scope, { ...bare, draft: false, dryRun: true }), base, dryRun)
  }
  if (draft === true && base === undefined) requireNoRename(scope.items, input)
  return prepareItem(scope, input)
}

/** Prepares a save of a whole item: the steps in their order. */
function prepareItem(scope: WriteScope, input: SaveItemInput): PreparedWrite {
  const { ctx, items, etags } = scope
  const { type, name, packageId } = input
  requireConditions(input, items.get(type, name) ?? null, (item) => etags(ctx, item))
  requireSafeInput(input)

  const previous = items.base(type, name) ?? findRenamed(items, type, input.item) ?? null
  if (previous === null) requireCreatable(items, type, packageId)
  else if (isForeign(previous, packageId)) {
    if (previous.name !== name) throw platformError('item_locked', { packageId: previous.packageId })
    const delivered = planWrite(scope, input, mergeDelivered(scope, input))
    requireRule(scope, input)
    return delivered
  }

  const next = mergeItem(scope, input, previous)
  const warnings = requireShape(input, next.item, [previous?.item, items.get(type, previous?.name ?? name)?.item])
  requireTarget(items, next)
  requireRule(scope, input)
  if (previous !== null && isSameVersion(previous, next)) return planWrite(scope, input, { changes: [], warnings })
  const changes = changesOf(items, previous, next)
  return withEffectWarning(planSave(scope, input, { changes, created: previous === null, warnings }), next)
}

/** Prepares the removal of an item or a field; of what a package delivered only the overlay goes (D-106). */
function prepareRemoval(scope: WriteScope, input: RemoveItemInput): PreparedWrite {
  const { ctx, items, etags } = scope
  const { type, name, confirm } = input
  const shown = items.get(type, name)
  if (shown === undefined) throw notFound(type, name)
  requireConditions(input, shown, (item) => etags(ctx, item))
  const isOwn = type !== 'field' || fieldHolder(items, name) === splitChildName(name)!.parent
  if (isOwn && (type === 'field' ? shown.packageId !== null : isForeign(shown, input.packageId))) {
    const prepared = prepareOverlayRemoval(scope, { type, name, scope: 'platform', confirm })
    if (prepared.changes.length === 0) throw platformError('item_locked', { packageId: shown.packageId })
    return items.base(type, name) === undefined ? prepared : { ...prepared, reset: true }
  }
  if (input.force !== true) requireNoDependents(scope, input)
  if (type === 'field') return prepareItem(scope, mergeFieldRemoval(items, input))
  return planWrite(scope, input, { changes: leaving(items, items.base(type, name)!) })
}

function prepareOverlay(scope: WriteScope, given: OverlayInput): PreparedWrite {
  const input = storedOverlay(scope.items, given)
  return planWrite(scope, input, mergeOverlay(scope, input))
}

function prepareOverlayRemoval(scope: WriteScope, key: OverlayKey): PreparedWrite {
  if (key.type !== 'field') return planWrite(scope, key, removeOverlay(scope, key))
  const rest = overlayWithoutField(scope.items, key)
  if (rest === null) return planWrite(scope, key, { changes: [] })
  return Object.keys(rest.patch).length === 0 ? prepareOverlayRemoval(scope, rest) : prepareOverlay(scope, rest)
}

/** Prepares the step of a draft into force: in the place of the item it is beside, or by itself. */
function preparePublishing(scope: WriteScope, { force, ...subject }: PublishInput): PreparedWrite {
  const { type, name, confirm } = subject
  const base = requireStateful(scope.items, subject)
  if (base.state === 'draft') return preparers.state(scope, { ...subject, state: 'active' })
  const draft = requirePublishable(scope.items, base, force)
  const save = { type, name, item: { ...draft.item }, confirm, returning: true as const }
  return withoutDraft(prepareItem(scope, save), base, draft)
}

/** Prepares the end of a draft; an item that was nothing else goes with it. */
function prepareDiscarding(scope: WriteScope, subject: WriteSubject): PreparedWrite {
  const base = requireStateful(scope.items, subject)
  const draft = scope.items.draft(base.type, base.name)
  if (draft !== undefined) {
    return planWrite(scope, subject, { changes: [draftOnly(base, { previous: draft, next: null })] })
  }
  if (base.state !== 'draft') throw notFound('draft', base.name)
  if (base.published) return preparers.state(scope, { ...subject, state: 'archived' })
  return planWrite(scope, subject, { changes: leaving(scope.items, base) })
}

/** Prepares the body of an older version as a new one. */
function prepareRevert(scope: WriteScope, { toVersion, ...given }: WriteRequests['revert']): PreparedWrite {
  const { items } = scope
  const input = { ...given, returning: true as const }
  // Under an overlay the history tells how the whole looked; only the overlay can bring that back.
  const overlay = input.type === 'field' ? undefined : items.overlay(input.type, input.name, null)
  const isLayered = overlay?.active === true && items.base(input.type, input.name) !== undefined
  const prepared = isLayered ? planWrite(scope, input, mergeDelivered(scope, input)) : prepareSave(scope, input)
  const [first, ...rest] = prepared.changes
  if (first === undefined) return prepared
  return { ...prepared, changes: [{ ...first, message: `reverted to version ${toVersion}` }, ...rest] }
}

/** Prepares an item of another machine: found by its uid, agreed to where it was made. */
function preparePlaced(scope: WriteScope, placed: PlacedItem): PreparedWrite {
  const { items } = scope
  const { previous, next } = mergePlaced(scope, placed)
  const { type, name, state } = next
  requireShape({ type, returning: true }, next.item, [])
  requireTarget(items, next)
  const subject = { type, name, confirm: agreedElsewhere }
  if (previous !== null && isSameVersion(previous, next)) return planWrite(scope, subject, { changes: [] })
  const isState = previous !== null && isSameVersion({ ...previous, state }, next)
  const [own, ...rest] = changesOf(items, previous, next)
  const changes = [isState ? { ...own!, op: 'state' as const } : own!, ...rest]
  return planWrite(scope, subject, { changes, created: previous === null })
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

/** Types whose items guard others need a right of their own (D-113). */
const writeRights: Readonly<Partial<Record<MetadataType, string>>> = {
  permission: 'manage_permissions',
  profile: 'manage_permissions',
  role: 'manage_permissions',
  flow: 'manage_flows',
}

/** Makes a lock: each call starts when the one before has ended, whether or not it failed. */
function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result
    return result
  }
}
