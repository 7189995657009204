// Importing items (D-108): decides per item what happens to one that exists, and stores all in one write or nothing.
import type { PlatformError } from '#shared/errors.ts'
import { applyMergePatch } from '#shared/merge-patch.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataCore } from '../service.ts'
import type { BundleEntry } from '../service/bundle.ts'
import { subjectOf } from '../service/bundle.ts'
import { typeEntry } from '../types/type-entries.ts'
import type { Answer, RequestBody } from './contract-forms.ts'
import { failureOf, toStep } from './contract-forms.ts'
import type { ImportedItem } from './import-document.ts'
import { readImportDocument } from './import-document.ts'

type ImportResult = Answer<'importMetadata'>
type ItemPlan = NonNullable<ImportResult['plan']>[number]

/** Imports a document; what is stored obeys its type's schema whether or not `validate` is asked for. @throws validation_error when it is none, permission_denied */
export async function importItems(
  service: MetadataCore,
  ctx: RequestContext,
  { data, conflictResolution, dryRun }: RequestBody<'importMetadata'>,
  confirm: string | undefined,
): Promise<ImportResult> {
  const { items, overlays } = await readImportDocument(data)
  const total = items.length + overlays.length
  const ordered = items.toSorted((a, b) => orderOf(a) - orderOf(b))
  const isKept = (item: ImportedItem): boolean =>
    conflictResolution === 'skip' && service.storedItem(item.type, item.name) !== undefined
  const chosen = ordered.filter((item) => !isKept(item))
  const entries = [
    ...chosen.map((item) => toEntry(service, item, { merge: conflictResolution === 'merge', confirm })),
    ...service.importOverlays(ctx, overlays, { keep: conflictResolution === 'skip' }),
  ]
  const { outcomes, stored } = await service.bundle(ctx, entries, { each: false, dryRun })

  const errors = outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [errorOf(entries[index]!, outcome.error)]))
  const steps = outcomes.map((outcome, index): ItemPlan => {
    const { type, name } = subjectOf(entries[index]!)
    if (!outcome.ok) return { type, name, action: 'skip' }
    const { changes, plan, result } = outcome.prepared
    const action = changes.length === 0 ? 'unchanged' : result.created ? 'create' : 'update'
    const { planHash } = result
    if (plan.length === 0) return { type, name, action }
    return { type, name, action, changes: plan.map(toStep), ...(planHash === undefined ? {} : { planHash }) }
  })
  const kept = ordered.filter(isKept).map(({ type, name }): ItemPlan => ({ type, name, action: 'skip' }))
  const failed = errors.length
  const imported = failed > 0 || !(stored || dryRun) ? 0 : outcomes.length
  return {
    total,
    imported,
    skipped: total - imported - failed,
    failed,
    ...(failed === 0 ? {} : { errors }),
    ...(dryRun ? { plan: [...steps, ...kept] } : {}),
    dryRun,
  }
}

/** What others refer to comes first; extensions follow the objects they extend. */
function orderOf({ type, item }: ImportedItem): number {
  return typeEntry(type).loadOrder + (type === 'object' && Object.hasOwn(item, 'extend') ? 0.5 : 0)
}

function toEntry(
  service: MetadataCore,
  { type, name, namespace, state, item }: ImportedItem,
  { merge, confirm }: { merge: boolean; confirm: string | undefined },
): BundleEntry {
  const existing = merge ? service.storedItem(type, name) : undefined
  const body = existing === undefined ? item : (applyMergePatch(existing.item, item) as Record<string, unknown>)
  return { save: { type, name, item: { ...body }, namespace, state, confirm } }
}

function errorOf(entry: BundleEntry, error: PlatformError): NonNullable<ImportResult['errors']>[number] {
  const { type, name } = subjectOf(entry)
  return { type, name, ...failureOf(error) }
}
