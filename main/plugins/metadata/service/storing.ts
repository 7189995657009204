// Stores prepared metadata writes inside a write job: the type's tables, items, history and events; memory follows
// after COMMIT (D-111). Knows no rule of saving.
import { metadataEvents } from '#shared/events.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { MetadataItem } from '../api.ts'
import { deleteItem, writeItem } from '../store.ts'
import { recordHistory } from './history.ts'
import type { ItemCache } from './item-cache.ts'
import { acceptsAnyPlan, planHash, requireConsent } from './plan.ts'
import type { PreparedWrite } from './preparing.ts'
import { hookTarget } from './preparing.ts'

/** The events saving raises (D-111). */
export const [savedEvent, deletedEvent] = metadataEvents

/** One item as it was and as it becomes; null means absent. */
export interface ItemChange {
  readonly previous: MetadataItem | null
  readonly next: MetadataItem | null
}

/** Stores one prepared write. @throws destructive_change when rows stored since the plan was shown made it so */
export type StoreWrite = (tx: Tx, ctx: RequestContext, prepared: PreparedWrite) => void

/** Makes the function that stores. */
export function createStoring({ cache, clock }: { cache: ItemCache; clock: Clock }): StoreWrite {
  /** Looks at the plan again inside the write: rows stored since it was shown may have made it destructive. */
  const applyHook = (tx: Tx, ctx: RequestContext, { hook, changes, plan, confirm }: PreparedWrite): void => {
    const [change] = changes
    if (hook === undefined || change === undefined) return
    const next = change.next === null ? null : hookTarget(change.next)
    if (change.previous !== null && !acceptsAnyPlan(confirm)) {
      const planNow = hook.plan(change.previous, next, tx)
      if (planHash(planNow) !== planHash(plan)) requireConsent(planNow, confirm)
    }
    hook.apply(tx, ctx, change.previous, next)
  }

  return (tx, ctx, prepared) => {
    const { changes } = prepared
    if (changes.length === 0) return
    applyHook(tx, ctx, prepared)
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
    tx.afterCommit(() => cache.apply(cacheChange(changes)))
  }
}

/** What the changes mean for a cache of items. */
export function cacheChange(changes: readonly ItemChange[]): Parameters<ItemCache['apply']>[0] {
  return {
    remove: changes.flatMap(({ previous }) => (previous === null ? [] : [previous])),
    put: changes.flatMap(({ next }) => (next === null ? [] : [next])),
  }
}
