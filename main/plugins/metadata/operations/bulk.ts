// Registering and unregistering many items in one write (D-108). Items are stored in the order their types load, so
// that a bundle may hold objects and what refers to them in any order.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { PlatformError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import type { BundleEntry } from '../service/bundle.ts'
import { typeEntry, findMetadataType } from '../types/type-entries.ts'
import { unknownType } from './type-words.ts'

/** What became of a bulk request. */
export interface BulkResult {
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly errors?: BulkError[]
}

/** One item that could not be stored. */
interface BulkError extends ItemFailure {
  readonly index: number
  readonly type: string
  readonly name: string
}

/** A refusal in the words of a result: a sentence, the code, and what the code says more. */
export interface ItemFailure {
  readonly error: string
  readonly code: string
  readonly details?: Record<string, unknown>
}

/** An item of a bulk request as it came. */
interface BulkItem {
  readonly type: string
  readonly name: string
}

/** How a bulk request is stored. */
interface BulkRequest<T> {
  readonly items: readonly T[]
  readonly continueOnError: boolean
}

/** Registers new items; existing ones are conflicts. */
export async function bulkRegister(
  service: MetadataCore,
  ctx: RequestContext,
  request: BulkRequest<BulkItem & { data: Record<string, unknown>; namespace?: string | undefined }>,
  confirm: string | undefined,
): Promise<BulkResult> {
  return runBulk(service, ctx, request, 1, (type, { name, data, namespace }) => ({
    save: {
      type,
      name,
      item: { ...data },
      ifNoneMatch: '*',
      ...(namespace === undefined ? {} : { namespace }),
      ...(confirm === undefined ? {} : { confirm }),
    },
  }))
}

/** Removes items; what refers to them may go with them. */
export async function bulkUnregister(
  service: MetadataCore,
  ctx: RequestContext,
  request: BulkRequest<BulkItem>,
  consent: { confirm: string | undefined; force: boolean },
): Promise<BulkResult> {
  const { confirm, force } = consent
  return runBulk(service, ctx, request, -1, (type, { name }) => ({
    remove: { type, name, force, ...(confirm === undefined ? {} : { confirm }) },
  }))
}

async function runBulk<T extends BulkItem>(
  service: MetadataCore,
  ctx: RequestContext,
  { items, continueOnError }: BulkRequest<T>,
  direction: 1 | -1,
  toEntry: (type: MetadataType, item: T) => BundleEntry,
): Promise<BulkResult> {
  const errors: BulkError[] = []
  const fail = (index: number, error: PlatformError): void => {
    const { type, name } = items[index]!
    errors.push({ index, type, name, ...failureOf(error) })
  }
  const known = items.flatMap((item, index) => {
    const type = findMetadataType(item.type)
    if (type !== undefined) return [{ index, type, entry: toEntry(type, item) }]
    fail(index, validationError([unknownType('type', item.type)]))
    return []
  })
  known.sort((a, b) => direction * (typeEntry(a.type).loadOrder - typeEntry(b.type).loadOrder) || a.index - b.index)
  const total = items.length
  if (continueOnError || errors.length === 0) {
    const entries = known.map(({ entry }) => entry)
    const { outcomes } = await service.bundle(ctx, entries, { each: continueOnError })
    for (const [place, outcome] of outcomes.entries()) if (!outcome.ok) fail(known[place]!.index, outcome.error)
  }
  if (errors.length === 0) return { total, succeeded: total, failed: 0 }
  errors.sort((a, b) => a.index - b.index)
  const failed = continueOnError ? errors.length : total
  return { total, succeeded: total - failed, failed, errors }
}

/** A failure in the words of a bulk or import result. */
export function failureOf(error: PlatformError): ItemFailure {
  const { code, message, details } = error
  return { error: message, code, ...(Object.keys(details).length === 0 ? {} : { details }) }
}
