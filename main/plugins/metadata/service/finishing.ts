// Makes a prepared write out of item changes: works out what storage has to change, asks for consent, and puts together
// what a save answers (D-100, D-101, D-105). Reads only.
import type { RequestContext } from '#main/kernel/context.ts'
import type { SaveItemResult } from '../api.ts'
import { planHash, requireConsent } from './plan.ts'
import type { Ground, PreparedWrite, PreparingOptions } from './preparing.ts'
import { workOut } from './schema-work.ts'
import type { ItemChange } from './item-change.ts'

/** A write before its storage is worked out; the first change is the item's own. */
export interface UnfinishedWrite {
  readonly changes: readonly ItemChange[]
  readonly created?: boolean
  readonly warnings?: SaveItemResult['warnings']
  readonly confirm: string | undefined
  readonly dryRun?: boolean | undefined
}

/** Finishes writes. */
export type FinishWrite = (ctx: RequestContext, ground: Ground, write: UnfinishedWrite) => PreparedWrite

/** Makes the function. @throws validation_error, destructive_change */
export function createFinishing({ hook, clock, etag }: PreparingOptions): FinishWrite {
  return (ctx, ground, { changes: given, created = false, warnings = [], confirm, dryRun = false }) => {
    const { changes, work, after } = workOut(hook, ground, given, clock.iso())
    const plan = work.flatMap((one) => one.plan)
    if (!dryRun) requireConsent(plan, confirm)
    const { previous, next } = changes[0]!
    const item = next === null ? previous! : (after.get(next.type, next.name) ?? next)
    const result: SaveItemResult = {
      version: item.version,
      etag: etag(ctx, item),
      state: item.state,
      created,
      warnings,
      plan,
      ...(plan.length === 0 ? {} : { planHash: planHash(plan) }),
      dryRun,
    }
    return { result, changes, work, plan, after, confirm }
  }
}
