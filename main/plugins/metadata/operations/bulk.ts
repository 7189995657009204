// Registering and unregistering many items in one write (D-108). Items are stored in the order their types load, so
// that a bundle may hold objects and what refers to them in any order.
import type { MetadataType } from '#shared/contracts/metadata.ts'
import type { PlatformError } from '#shared/errors.ts'
import { validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import type { BundleEntry } from '../service/bundle.ts'
import { typeEntry, findMetadataType } from '../types/type-entries.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { failureOf } from './contract-forms.ts'
import { unknownType } from './type-words.ts'

type BulkResult = Answer<'bulkRegisterMetadata'>
type Registering = Pick<RequestBody<'bulkRegisterMetadata'>, 'items' | 'continueOnError'>
type Unregistering = RequestBody<'bulkUnregisterMetadata'>

/** Registers new items; existing ones are conflicts. */
export async function bulkRegister(
  service: MetadataCore,
  ctx: RequestContext,
  request: Registering,
  confirm: string | undefined,
): Promise<BulkResult> {
  return runBulk(service, ctx, request, 1, (type, { name, data, namespace }) => ({
    save: { type, name, item: { ...data }, ifNoneMatch: '*', namespace, confirm },
  }))
}

/** Removes items; what refers to them may go with them. */
export async function bulkUnregister(
  service: MetadataCore,
  ctx: RequestContext,
  request: Unregistering,
  consent: { confirm: string | undefined; force: boolean },
): Promise<BulkResult> {
  const { confirm, force } = consent
  return runBulk(service, ctx, request, -1, (type, { name }) => ({
    remove: { type, name, force, confirm },
  }))
}

async function runBulk<T extends Unregistering['items'][number]>(
  service: MetadataCore,
  ctx: RequestContext,
  { items, continueOnError }: { readonly items: readonly T[]; readonly continueOnError: boolean },
  direction: 1 | -1,
  toEntry: (type: MetadataType, item: T) => BundleEntry,
): Promise<BulkResult> {
  const errors: NonNullable<BulkResult['errors']> = []
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
