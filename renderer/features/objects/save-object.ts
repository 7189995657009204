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

/**
 * Saves an object over the version it was edited from. Answers a plan instead when it destroys data and `confirm` is not
 * its hash; nothing is stored then.
 * @throws ApiError CONCURRENT_UPDATE, conflict, validation_error
 */
export async function saveObject(
  base: ObjectItem,
  next: ObjectItem,
  confirm?: string,
): Promise<PendingPlan | undefined> {
  const { version: _version, ...item } = next
  const input = {
    params: { type: 'object', name: base.name },
    body: { type: 'object', name: base.name, item },
    headers: base.version === undefined ? undefined : { 'If-Match': String(base.version) },
  }
  if (confirm === undefined) {
    const { plan = [], planHash } = await call('saveMetadataItem', { ...input, query: { dryRun: 'true' } })
    if (planHash !== undefined && plan.some((step) => step.destructive)) return { steps: plan, hash: planHash }
  }
  await call('saveMetadataItem', { ...input, query: { confirm } })
  return undefined
}
