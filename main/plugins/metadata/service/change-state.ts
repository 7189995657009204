// The lifecycle of items (D-110): changes of state, drafts beside published items, publishing and discarding them. Reads
// only.
import type { MetadataState } from '#shared/contracts/metadata.ts'
import { platformError } from '#shared/errors.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { MetadataItem, SaveItemInput } from '../api.ts'
import type { DraftRecord } from '../store.ts'
import { refusal } from './check-input.ts'
import { requireConditions } from './etag.ts'
import type { ItemCache } from './item-cache.ts'
import { requireStored } from './item-cache.ts'
import type { ItemChange, PreparedWrite, ProposedWrite, WriteScope, WriteSubject } from './item-write.ts'
import { nextVersion } from './item-write.ts'
import { deepFreeze } from './json-values.ts'

/** The states each state leads to. @source D-110 */
const stateTransitions: Readonly<Record<MetadataState, readonly MetadataState[]>> = {
  draft: ['active', 'archived'],
  active: ['deprecated', 'archived'],
  deprecated: ['active', 'archived'],
  archived: ['draft', 'active'],
}

/** Publishing; `force` also replaces a published item that changed after the draft began. */
export interface PublishInput extends WriteSubject {
  readonly force?: boolean
}

/** A change of state. */
export interface StateInput extends WriteSubject {
  readonly state: MetadataState
}

/** What a change of state changes. @throws resource_not_found, validation_error, invalid_state_transition */
export function changeState({ items, clock }: WriteScope, input: StateInput): ProposedWrite {
  const { state } = input
  const previous = requireStateful(items, input)
  const allowed = stateTransitions[previous.state]
  if (!allowed.includes(state)) {
    throw platformError('invalid_state_transition', { from: previous.state, to: state, allowed })
  }
  const published = previous.published || state === 'active'
  return { changes: [{ previous, next: nextVersion(previous, { state, published }, clock.iso()), op: 'state' }] }
}

/** Refuses a draft beside an item that is archived, or was changed meanwhile. @throws conflict, CONCURRENT_UPDATE and others */
export function requireDraftable(scope: WriteScope, input: SaveItemInput, base: MetadataItem): void {
  const { ctx, items, etags } = scope
  if (base.state === 'archived') {
    const allowed = stateTransitions.archived
    throw platformError('invalid_state_transition', { from: 'archived', to: 'draft', allowed, reason: 'archived' })
  }
  const draft = items.draft(base.type, base.name)
  const shown = items.get(base.type, base.name)!
  const current = draft === undefined ? shown : draftItem(shown, draft)
  requireConditions(input, current, (item) => etags(ctx, item))
}

/** A save that stores a draft beside the item; its plan is what publishing would do. */
export function asDraft(
  scope: WriteScope,
  published: PreparedWrite,
  base: MetadataItem,
  dryRun = false,
): PreparedWrite {
  const { ctx, items, clock, etag } = scope
  const { type, name, version } = base
  const previous = items.draft(type, name) ?? null
  const shown = items.get(type, name)!
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
  const answer = {
    version,
    etag: etag(ctx, draftItem(shown, next)),
    state: 'draft' as const,
    created: previous === null,
  }
  const result = { ...published.result, ...answer, dryRun }
  return { ...published, result, changes: [draftOnly(base, { previous, next })], work: [] }
}

/**
 * The draft that is published in the place of an item.
 * @throws invalid_state_transition without a draft, CONCURRENT_UPDATE when the item changed after the draft began
 */
export function requirePublishable(items: ItemCache, base: MetadataItem, force = false): DraftRecord {
  const { type, name, state, version } = base
  const draft = items.draft(type, name)
  if (draft === undefined || state === 'archived') {
    const allowed = stateTransitions[state]
    const reason = draft === undefined ? { reason: 'no_draft' } : {}
    throw platformError('invalid_state_transition', { from: state, to: 'active', allowed, ...reason })
  }
  const { item } = items.get(type, name)!
  if (force || draft.baseHash === canonicalHash(item)) return draft
  throw platformError('CONCURRENT_UPDATE', { currentVersion: version, currentItem: item })
}

/** A save of what a draft holds, which takes the draft away with it. */
export function withoutDraft(prepared: PreparedWrite, base: MetadataItem, draft: DraftRecord): PreparedWrite {
  const removal = { previous: draft, next: null }
  const [first, ...rest] = prepared.changes
  const changes = first === undefined ? [draftOnly(base, removal)] : [{ ...first, draft: removal }, ...rest]
  return { ...prepared, changes }
}

/** A draft in the place of the item it is beside. */
export function draftItem(item: MetadataItem, draft: DraftRecord): MetadataItem {
  const { item: body, updatedAt } = draft
  return Object.freeze({ ...item, item: body, state: 'draft' as const, updatedAt })
}

/** A change of nothing but the draft beside an item. */
export function draftOnly(base: MetadataItem, draft: NonNullable<ItemChange['draft']>): ItemChange {
  return { previous: base, next: base, op: 'draft', draft }
}

/** @throws resource_not_found, validation_error for fields, whose state is their object's */
export function requireStateful(items: ItemCache, { type, name }: WriteSubject): MetadataItem {
  const item = requireStored(items, { type, name })
  if (type !== 'field') return item
  throw refusal('type', 'not_allowed', 'A field has the state of its object.', { value: type })
}
