// Stores prepared metadata writes inside a write job: the type's tables, items, overlays, drafts, history and events;
// memory follows after COMMIT (D-111). Knows no rule of saving.
import { metadataEvents } from '#shared/events.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { deleteDraft, deleteItem, deleteOverlay, writeDraft, writeItem, writeOverlay } from '../store.ts'
import { recordHistory } from './history.ts'
import type { ItemChange } from './item-change.ts'
import { cacheChange } from './item-change.ts'
import type { ItemCache } from './item-cache.ts'
import { acceptsAnyPlan, planHash, requireConsent } from './plan.ts'
import type { PreparedWrite } from './preparing.ts'
import type { SchemaWork } from './schema-work.ts'
import { hookTarget } from './schema-work.ts'

/** The events saving raises (D-111). */
export const [savedEvent, deletedEvent, stateChangedEvent, overlayChangedEvent] = metadataEvents

/** A prepared write with no more of the items than storing looks at. */
export type StorableWrite = Omit<PreparedWrite, 'after'> & { readonly after: Pick<ItemCache, 'get' | 'overlay'> }

/** Stores one prepared write. @throws destructive_change when rows stored since the plan was shown made it so */
export type StoreWrite = (tx: Tx, ctx: RequestContext, prepared: StorableWrite) => void

/** Makes the function that stores. */
export function createStoring({ cache, clock }: { cache: ItemCache; clock: Clock }): StoreWrite {
  /** Looks at the plan again inside the write: rows stored since it was shown may have made it destructive. */
  const applyHook = (tx: Tx, ctx: RequestContext, work: SchemaWork, confirm: string | undefined): void => {
    const { hook, previous, plan } = work
    const next = hookTarget(work)
    if (previous !== null && !acceptsAnyPlan(confirm)) {
      const planNow = hook.plan(previous, next, tx)
      if (planHash(planNow) !== planHash(plan)) requireConsent(planNow, confirm)
    }
    hook.apply(tx, ctx, previous, next)
  }

  const storeItem = (tx: Tx, ctx: RequestContext, change: ItemChange, after: StorableWrite['after']): void => {
    const { previous, next, op, message } = change
    if (op === 'draft') return
    if (next !== null) writeItem(tx, next, ctx.actor.id)
    const subject = next ?? { ...previous!, version: previous!.version + 1 }
    const historyOp = op ?? (next === null ? 'delete' : previous === null ? 'create' : 'update')
    // An item under an overlay is remembered as it looked, so that a version can be brought back whole.
    const isOverlaid = next !== null && after.overlay(next.type, next.name, null)?.active === true
    const seen = isOverlaid ? { ...subject, item: after.get(next.type, next.name)!.item } : subject
    recordHistory(tx, ctx, historyOp, seen, clock.iso(), message)
    const { type, name, version, packageId } = subject
    tx.emit(ctx, {
      type: eventOf(change),
      payload: {
        type,
        name,
        version,
        ...(packageId === null ? {} : { packageId }),
        ...(previous !== null && next !== null && previous.name !== name ? { renamedFrom: previous.name } : {}),
        ...(op === 'state' ? { state: subject.state } : {}),
        actor: ctx.actor,
      },
    })
  }

  return (tx, ctx, prepared) => {
    const { changes, work, after, confirm } = prepared
    if (changes.length === 0) return
    for (const one of work) applyHook(tx, ctx, one, confirm)
    // Rows that leave a name go first, so that names and uids are free for those that come.
    for (const { previous, next, overlays, draft } of changes) {
      if (previous !== null && previous.name !== next?.name) deleteItem(tx, previous.type, previous.name)
      for (const overlay of overlays ?? []) if (overlay.previous !== null) deleteOverlay(tx, overlay.previous.id)
      if (draft !== undefined && draft.previous !== null) deleteDraft(tx, draft.previous.type, draft.previous.name)
    }
    for (const change of changes) {
      for (const { next } of change.overlays ?? []) if (next !== null) writeOverlay(tx, next)
      if (change.draft !== undefined && change.draft.next !== null) writeDraft(tx, change.draft.next)
      storeItem(tx, ctx, change, after)
    }
    tx.afterCommit(() => cache.apply(cacheChange(changes)))
  }
}

function eventOf({ next, op }: ItemChange): string {
  if (next === null) return deletedEvent
  return op === 'state' ? stateChangedEvent : op === 'overlay' ? overlayChangedEvent : savedEvent
}
