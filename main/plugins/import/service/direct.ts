// Imports of rows that are in memory: one report, nothing kept.
import { notFound } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { requireObjectAction } from '#main/kernel/authorize.ts'
import type { EffectKey, RequestContext } from '#main/kernel/context.ts'
import type { ImportInput, ImportReport } from '../api.ts'
import { mapColumns, readingRight } from './columns.ts'
import { keepProgress, outcomesOf } from './direct-progress.ts'
import { collectMissingOptions } from './missing-options.ts'
import type { NewOptions } from './missing-options.ts'
import type { RowOutcome } from './row-outcome.ts'
import { createRowPlan, sliceSize } from './row-plan.ts'
import type { PlanParts } from './row-plan.ts'

/** Entries of `errors` at most; every failed row is counted all the same. */
export const maxReportedErrors = 1_000

/** Runs an import; see ImportService.run. */
export async function importDirectly(
  parts: PlanParts,
  caller: RequestContext,
  input: ImportInput,
  key?: EffectKey,
): Promise<ImportReport> {
  const ctx = importContext(caller, input)
  const schema = importedObject(parts, ctx, input)
  let newOptions: NewOptions | undefined
  if (input.createMissingOptions) {
    const canRead = readingRight(parts.authorizer(), ctx, schema.name)
    const columns = mapColumns(schema, input.columns, input.mapping, canRead)
    const options = collectMissingOptions(schema, columns, input.nullValues)
    options.add(input.rows)
    if (input.dryRun) newOptions = options.foretold(parts.authorizer(), ctx)
    else await options.save(parts.metadata, ctx)
  }
  const plan = createRowPlan(parts, ctx, input, newOptions)
  const report: ImportReport = {
    object: input.object,
    total: input.rows.length,
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    errors: [],
    dryRun: input.dryRun,
  }
  const outcomes = new Map(outcomesOf(key).map((outcome) => [outcome.row, outcome]))
  const progress = input.dryRun ? undefined : keepProgress(key, input.rows.length)
  progress?.settle(outcomes.values())
  let open = input.rows.map((cells, at) => ({ row: at + 1, cells })).filter(({ row }) => !outcomes.has(row))
  // Rows that name a later row of their own object are tried again until none of them finds its record.
  for (let before = Infinity; open.length > 0 && open.length < before;) {
    before = open.length
    for (let start = 0; start < open.length; start += sliceSize) {
      const written = await plan.write(ctx, open.slice(start, start + sliceSize), progress?.observer)
      progress?.settle(written.outcomes)
      for (const outcome of written.outcomes) outcomes.set(outcome.row, outcome)
    }
    open = open.filter(({ row }) => outcomes.get(row)?.waits === true)
  }
  for (let row = 1; row <= input.rows.length; row += 1) add(report, outcomes.get(row)!)
  return report
}

/**
 * The object of an import that its API and the rights of the caller let begin.
 * @throws resource_not_found, method_not_allowed, permission_denied
 */
export function importedObject(
  { metadata, authorizer }: Pick<PlanParts, 'metadata' | 'authorizer'>,
  ctx: RequestContext,
  { object, writeMode }: Pick<ImportInput, 'object' | 'writeMode'>,
): ObjectSchema {
  const schema = metadata.objectSchema(object)
  if (schema === undefined) throw notFound('object', object)
  requireApiMethods(schema, 'import')
  if (writeMode !== 'update') requireObjectAction(authorizer(), ctx, object, 'create')
  if (writeMode !== 'insert') requireObjectAction(authorizer(), ctx, object, 'edit')
  return schema
}

/** The context of an import's writes. */
export function importContext(caller: RequestContext, input: { readonly runAutomations: boolean }): RequestContext {
  return { ...caller, source: 'import', ...(input.runAutomations ? {} : { runAutomations: false }) }
}

function add(report: ImportReport, outcome: RowOutcome): void {
  if (outcome.operation === 'create') report.created += 1
  else if (outcome.operation === 'update') report.updated += 1
  else if (outcome.operation === 'skip') report.skipped += 1
  else report.failed += 1
  for (const error of outcome.errors ?? []) {
    if (report.errors.length < maxReportedErrors) report.errors.push({ row: outcome.row, ...error })
  }
}
