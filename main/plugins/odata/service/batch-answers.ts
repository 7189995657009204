// What requests of a batch and groups of them share: the form of their answers, and references between them.
import { PlatformError, errorObject, platformError } from '#shared/errors.ts'
import { odataVersionOf } from '#shared/odata-version.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BatchPart } from './batch-request.ts'

/** The answer to one request of a batch. */
export interface PartAnswer {
  readonly id: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly atomicityGroup?: string
}

/** A path that begins with `$id` is that of the entity the request of that id has made. */
export function resolveReference(path: string, made: ReadonlyMap<string, string>): string {
  const [, id, rest = ''] = /^\$([\w.~-]+)(\/.*)?$/s.exec(path) ?? []
  const known = id === undefined ? undefined : made.get(id)
  return known === undefined ? path : known + rest
}

/** What is wrong with a request, as its own answer. */
export function failureOf(ctx: RequestContext, { id, headers }: BatchPart, thrown: unknown): PartAnswer {
  const error = thrown instanceof PlatformError ? thrown : platformError('internal_error', {}, thrown)
  const body = { success: false, error: errorObject(error, ctx.requestId) }
  return { id, status: error.httpStatus, headers: versionOfPart(headers), body }
}

/** The version that the answer to a request of a batch is written in. */
export function versionOfPart(headers: BatchPart['headers']): Readonly<Record<string, string>> {
  return { 'odata-version': odataVersionOf(headers) }
}
