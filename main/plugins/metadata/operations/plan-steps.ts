// Steps of a schema change in the form of the contract. Pure.
import type { z } from 'zod'
import type { SchemaChange } from '#shared/contracts/metadata.ts'
import type { SchemaChangeStep } from '../api.ts'

/** A step as an answer shows it. */
export type PlanStep = z.input<typeof SchemaChange>

/** A copy of the step that nobody else holds. */
export function toStep({ failures, ...step }: SchemaChangeStep): PlanStep {
  return failures === undefined ? step : { ...step, failures: failures.map((failure) => ({ ...failure })) }
}
