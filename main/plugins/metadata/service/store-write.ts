// Stores a prepared write inside a write job: the types' tables, items, overlays, drafts, history and events; memory
// follows after COMMIT (D-111). Knows no rule of saving.
import { metadataEvents } from '#shared/events.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { deleteDraft, deleteItem, deleteOverlay, writeDraft, writeItem, writeOverlay } from '../store.ts'
import { recordHistory } from './history.ts'
import type { ItemCache } from './item-cache.ts'
import type { ItemChange, SchemaWork, StorableWrite } from './item-write.ts'
import { cacheChange } from './item-write.ts'
import { acceptsAnyPlan, hookTarget, requireSamePlan } from './plan-schema.ts'

const [savedEvent, deletedEvent, stateChangedEvent, overlayChangedEvent] = metadataEvents

/** Stores one prepared write. @throws destructive_change when rows stored since the plan was shown made it so */
export function storeWrite(
  { cache, clock }: { readonly cache: ItemCache; readonly clock: Clock },
  tx: Tx,
  ctx: RequestContext,
  { changes, work, after, confirm }: StorableWrite,
): void {
  if (changes.length === 0) return
  for (const one of work) applyWork(tx, ctx, one, confirm)
  // Rows that leave a name go first, so that names and uids are free for those that come.
  for (const { previous, next, overlays = [], draft } of changes) {
    if (previous !== null && previous.name !== next?.name) deleteItem(tx, previous)
    for (const overlay of overlays) if (overlay.previous !== null) deleteOverlay(tx, overlay.previous.id)
    if (draft?.previous) deleteDraft(tx, draft.previous)
  }
  for (const change of changes) {
    for (const { next } of change.overlays ?? []) if (next !== null) writeOverlay(tx, next)
    if (change.draft?.next) writeDraft(tx, change.draft.next)
    if (change.op !== 'draft') storeItem(tx, ctx, change, after, clock.iso())
  }
  tx.afterCommit(() => cache.apply(cacheChange(changes)))
}

/** Looks at the plan again inside the write: rows stored since it was shown may have made it destructive. */
function applyWork(tx: Tx, ctx: RequestContext, work: SchemaWork, confirm: string | undefined): void {
  const { hook, previous, plan } = work
  const next = hookTarget(work)
  if (previous !== null && !acceptsAnyPlan(confirm)) requireSamePlan(plan, hook.plan(previous, next, tx), confirm)
  hook.apply(tx, ctx, previous, next)
}

/** Stores the row of an item, its event in the history, and tells of it. */
function storeItem(tx: Tx, ctx: RequestContext, change: ItemChange, after: StorableWrite['after'], now: string): void {
  const { previous, next, op, message } = change
  if (next !== null) writeItem(tx, next, ctx.actor.id)
  const subject = next ?? { ...previous!, version: previous!.version + 1 }
  const { type, name, version, packageId } = subject
  const isState = op === 'state'
  const historyOp =
    isState || op === 'overlay' ? op : next === null ? 'delete' : previous === null ? 'create' : 'update'
  // An item under an overlay is remembered as it looked, so that a version can be brought back whole.
  const isOverlaid = next !== null && after.overlay(type, name, null)?.active === true
  const seen = isOverlaid ? { ...subject, item: after.get(type, name)!.item } : subject
  recordHistory(tx, ctx, historyOp, seen, now, message)
  const changed = isState ? stateChangedEvent : op === 'overlay' ? overlayChangedEvent : savedEvent
  tx.emit(ctx, {
    type: next === null ? deletedEvent : changed,
    payload: {
      type,
      name,
      version,
      ...(packageId === null ? {} : { packageId }),
      ...(previous !== null && next !== null && previous.name !== name ? { renamedFrom: previous.name } : {}),
      ...(isState ? { state: subject.state } : {}),
      actor: ctx.actor,
    },
  })
}
