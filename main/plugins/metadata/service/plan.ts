// Decides whether a schema change may go ahead: a plan that destroys data needs its hash as consent (D-101).
import { platformError } from '#shared/errors.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { SchemaChangeStep } from '../api.ts'

/** The hash a caller confirms a plan with: SHA-256 over its canonical form. */
export function planHash(plan: readonly SchemaChangeStep[]): string {
  return canonicalHash(plan)
}

/** Whether the caller accepts whatever the plan says. */
export function acceptsAnyPlan(confirm: string | undefined): boolean {
  return confirm === 'true' || confirm === '1'
}

/**
 * Refuses a plan that destroys data without consent to exactly this plan.
 * @throws destructive_change with `plan` and `planHash`
 */
export function requireConsent(plan: readonly SchemaChangeStep[], confirm: string | undefined): void {
  if (!plan.some((step) => step.destructive) || acceptsAnyPlan(confirm)) return
  const hash = planHash(plan)
  if (confirm === hash) return
  throw platformError('destructive_change', {
    plan,
    planHash: hash,
    ...(confirm === undefined ? {} : { reason: 'plan_changed' }),
  })
}
