// Owns saving an object definition: asks for the plan first and stops when the plan destroys data.
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import type { ObjectItem } from './object-item.ts'

/** One step of a schema change. */
export type PlanStep = NonNullable<CallResult<'saveMetadataItem'>['plan']>[number]

/** A destructive plan that waits for a yes. */
export interface PendingPlan {
  steps: readonly PlanStep[]
  /** Confirms exactly this plan. */
  hash: string
}

/** What a save led to: a plan that waits, or the version token of what is stored now. */
export type SaveOutcome = { plan: PendingPlan } | { plan?: undefined; etag: string | undefined }

/** Whether a step of a plan has to be seen before it happens. */
export type StopAt = (step: PlanStep) => boolean

const destroys: StopAt = (step) => step.destructive

/**
 * Saves an object over the version it was edited from. Answers a plan instead when it has a step to stop at (by default:
 * one that destroys data) and `confirm` is not its hash; nothing is stored then.
 * @throws ApiError CONCURRENT_UPDATE, conflict, validation_error
 */
export async function saveObject(
  base: ObjectItem,
  next: ObjectItem,
  confirm?: string,
  stopAt: StopAt = destroys,
): Promise<SaveOutcome> {
  const { etag: _etag, ...item } = next
  const input = {
    params: { type: 'object', name: base.name },
    body: { type: 'object', name: base.name, item },
    headers: base.etag === undefined ? undefined : { 'If-Match': base.etag },
  }
  if (confirm === undefined) {
    const { plan = [], planHash } = await call('saveMetadataItem', { ...input, query: { dryRun: 'true' } })
    if (planHash !== undefined && plan.some((step) => step.destructive || stopAt(step)))
      return { plan: { steps: plan, hash: planHash } }
  }
  const { etag } = await call('saveMetadataItem', { ...input, query: { confirm } })
  return { etag }
}
