// Works out changes of an item's state: the lifecycle of D-110, drafts beside published items, publishing and
// discarding them. Reads only.
import type { MetadataState, MetadataType } from '#shared/contracts/metadata.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataItem, SaveItemInput } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import { requireConditions } from './etag.ts'
import type { FinishWrite } from './finishing.ts'
import { deepFreeze } from './freeze.ts'
import type { Ground, PreparedWrite, PreparingOptions } from './preparing.ts'
import { leaving } from './renaming.ts'
import type { ItemChange } from './item-change.ts'

/** The states each state leads to. @source D-110 */
export const stateTransitions: Readonly<Record<MetadataState, readonly MetadataState[]>> = {
  draft: ['active', 'archived'],
  active: ['deprecated', 'archived'],
  deprecated: ['active', 'archived'],
  archived: ['draft', 'active'],
}

/** The item whose state changes, and the consent to what its tables lose by it. */
export interface StateInput {
  readonly type: MetadataType
  readonly name: string
  readonly confirm?: string
}

/** Publishing; `force` also replaces a published item that changed after the draft began. */
export interface PublishInput extends StateInput {
  readonly force?: boolean
}

/** Works out changes of state. */
export interface StatePreparing {
  /** @throws resource_not_found, invalid_state_transition, destructive_change */
  change(ctx: RequestContext, input: StateInput & { state: MetadataState }, ground: Ground): PreparedWrite
  /** Stores a draft beside a published item; the plan of the answer is what publishing would do. */
  saveDraft(ctx: RequestContext, input: SaveItemInput, ground: Ground): PreparedWrite
  /** @throws resource_not_found, invalid_state_transition without a draft, CONCURRENT_UPDATE, destructive_change */
  publish(ctx: RequestContext, input: PublishInput, ground: Ground): PreparedWrite
  /** @throws resource_not_found without a draft */
  discard(ctx: RequestContext, input: StateInput, ground: Ground): PreparedWrite
}

/** Makes the part of preparing that knows states; `saveItem` is the save of a whole item. */
export function createStatePreparing(
  options: PreparingOptions,
  finish: FinishWrite,
  saveItem: (ctx: RequestContext, input: SaveItemInput, ground: Ground) => PreparedWrite,
): StatePreparing {
  const { clock, etag } = options

  const change: StatePreparing['change'] = (ctx, { type, name, state, confirm }, ground) => {
    const previous = requireStored(ground, type, name)
    const allowed = stateTransitions[previous.state]
    if (!allowed.includes(state)) {
      throw platformError('invalid_state_transition', { from: previous.state, to: state, allowed })
    }
    const next = deepFreeze({
      ...previous,
      state,
      version: previous.version + 1,
      updatedAt: clock.iso(),
      published: previous.published || state === 'active',
    })
    return finish(ctx, ground, { changes: [{ previous, next, op: 'state' }], confirm })
  }

  return {
    change,
    saveDraft(ctx, input, ground) {
      const { items } = ground
      const { type, name } = input
      const base = items.base(type, name)!
      if (base.state === 'archived') {
        const allowed = stateTransitions.archived
        throw platformError('invalid_state_transition', { from: 'archived', to: 'draft', allowed, reason: 'archived' })
      }
      const previous = items.draft(type, name) ?? null
      const shown = items.get(type, name)!
      const current = previous === null ? shown : draftItem(shown, previous)
      requireConditions(input, current, (item) => options.etags(ctx, item))
      const { ifMatch: _match, ifNoneMatch: _none, draft: _draft, ...bare } = input
      const published = saveItem(ctx, { ...bare, dryRun: true }, ground)
      const now = clock.iso()
      const next: DraftRecord = deepFreeze({
        type,
        name,
        item: published.after.get(type, name)!.item,
        baseHash: previous?.baseHash ?? canonicalHash(shown.item),
        createdAt: previous?.createdAt ?? now,
        createdBy: previous?.createdBy ?? ctx.actor.id,
        updatedAt: now,
        updatedBy: ctx.actor.id,
      })
      const result = {
        ...published.result,
        version: base.version,
        etag: etag(ctx, draftItem(shown, next)),
        state: 'draft' as const,
        created: previous === null,
        dryRun: input.dryRun === true,
      }
      return { ...published, result, changes: [draftOnly(base, { previous, next })], work: [] }
    },
    publish(ctx, input, ground) {
      const { items } = ground
      const { type, name, confirm } = input
      const base = requireStored(ground, type, name)
      if (base.state === 'draft') return change(ctx, { type, name, state: 'active', confirm }, ground)
      const draft = items.draft(type, name)
      const shown = items.get(type, name)!
      if (draft === undefined || base.state === 'archived') {
        throw platformError('invalid_state_transition', {
          from: base.state,
          to: 'active',
          allowed: stateTransitions[base.state],
          ...(draft === undefined ? { reason: 'no_draft' } : {}),
        })
      }
      if (input.force !== true && draft.baseHash !== canonicalHash(shown.item)) {
        throw platformError('CONCURRENT_UPDATE', { currentVersion: base.version, currentItem: shown.item })
      }
      const removal = { previous: draft, next: null }
      const prepared = saveItem(ctx, { type, name, item: { ...draft.item }, confirm, returning: true }, ground)
      const [first, ...rest] = prepared.changes
      const changes = first === undefined ? [draftOnly(base, removal)] : [{ ...first, draft: removal }, ...rest]
      return { ...prepared, changes }
    },
    discard(ctx, { type, name, confirm }, ground) {
      const base = requireStored(ground, type, name)
      const draft = ground.items.draft(type, name)
      if (draft !== undefined) {
        return finish(ctx, ground, { changes: [draftOnly(base, { previous: draft, next: null })], confirm })
      }
      if (base.state !== 'draft') throw notFound('draft', name)
      if (base.published) return change(ctx, { type, name, state: 'archived', confirm }, ground)
      return finish(ctx, ground, { changes: leaving(ground.items, base), confirm })
    },
  }
}

/** A draft in the place of the item it is beside. */
export function draftItem(item: MetadataItem, draft: DraftRecord): MetadataItem {
  const { item: body, updatedAt } = draft
  return Object.freeze({ ...item, item: body, state: 'draft' as const, updatedAt })
}

function draftOnly(base: MetadataItem, draft: NonNullable<ItemChange['draft']>): ItemChange {
  return { previous: base, next: base, op: 'draft', draft }
}

/** @throws resource_not_found, validation_error for fields, whose state is their object's */
function requireStored({ items }: Ground, type: MetadataType, name: string): MetadataItem {
  const item = items.base(type, name)
  if (item === undefined) throw notFound(type, name)
  if (type !== 'field') return item
  throw validationError([
    { field: 'type', code: 'not_allowed', message: 'A field has the state of its object.', value: type },
  ])
}
