// Requests and answers of the service operations in the form of their contracts. Pure.
import type { z } from 'zod'
import type { metadataOperationRoutes } from '#shared/contracts/metadata-operations.ts'
import type { SchemaChange } from '#shared/contracts/metadata.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { RouteInput, RouteResult } from '#shared/route.ts'
import type { SchemaChangeStep } from '../api.ts'

type Routes = typeof metadataOperationRoutes

/** What a request says in its body. */
export type RequestBody<R extends keyof Routes> = NonNullable<RouteInput<Routes[R]>['body']>

/** What a route answers. */
export type Answer<R extends keyof Routes> = RouteResult<Routes[R]>

/** A copy of a step of a schema change that nobody else holds. */
export function toStep({ failures, ...step }: SchemaChangeStep): z.input<typeof SchemaChange> {
  return failures === undefined ? step : { ...step, failures: failures.map((failure) => ({ ...failure })) }
}

/** A refusal in the words of a result: a sentence, the code, and what the code says more. */
export function failureOf({ code, message, details }: PlatformError) {
  return { error: message, code, ...(Object.keys(details).length === 0 ? {} : { details }) }
}
