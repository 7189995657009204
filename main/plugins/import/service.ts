// The import service: columns to fields, cells to values, rows to creates and updates through the data service.
import { notFound } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { BulkItem, BulkResultItem, DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { ImportError, ImportInput, ImportReport, ImportService } from './api.ts'
import { createCellReader, mapColumns } from './service/columns.ts'
import { findMatches, keyOf, matchFieldsOf } from './service/matching.ts'
import type { Match } from './service/matching.ts'
import { addMissingOptions } from './service/missing-options.ts'

/** Entries of `errors` at most; every failed row is counted all the same. */
export const maxReportedErrors = 1_000

/** Rows per write: long enough to amortise an fsync, short enough not to hold the event loop. */
const sliceSize = 250

/** What the service works with. */
export interface ImportParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly settings: SettingsService
}

interface PlannedRow {
  readonly row: number
  readonly values: Record<string, unknown>
}

/** Makes the import service. */
export function createImportService({ data, metadata, settings }: ImportParts): ImportService {
  return {
    async run(caller, input) {
      const ctx: RequestContext = { ...caller, source: 'import' }
      let schema = metadata.objectSchema(input.object)
      if (schema === undefined) throw notFound('object', input.object)
      requireApiMethods(schema, 'import')
      const report = emptyReport(input)
      if (input.createMissingOptions && !input.dryRun) {
        const columns = mapColumns(schema, input)
        if (await addMissingOptions(metadata, ctx, schema, columns, input.rows))
          schema = metadata.objectSchema(input.object)!
      }
      const columns = mapColumns(schema, input)
      const readCell = createCellReader(input, {
        timeZone: settings.get('timezone'),
        defaultCurrency: settings.get('currency'),
      })
      const matchFields = input.writeMode === 'insert' ? [] : matchFieldsOf(schema, input.matchFields)
      const unique = schema.fields.filter((field) => field.unique)
      const seen = new Set<string>()

      for (let start = 0; start < input.rows.length; start += sliceSize) {
        const slice = input.rows.slice(start, start + sliceSize).map((cells, at): PlannedRow => {
          const values: Record<string, unknown> = {}
          for (const { column, field } of columns)
            if (Object.hasOwn(cells, column)) values[field.name] = readCell(cells[column], field)
          return { row: start + at + 1, values }
        })
        const matches =
          matchFields.length === 0
            ? new Map<string, Match>()
            : await findMatches(
                data,
                ctx,
                schema,
                matchFields,
                slice.map((row) => row.values),
              )
        const creates: PlannedRow[] = []
        const updates: (PlannedRow & { id: string })[] = []
        for (const planned of slice) {
          // A dry run writes nothing, so doubles within the file would otherwise go unnoticed.
          const double = input.dryRun
            ? unique.find((field) => isRepeated(seen, field.name, planned.values[field.name]))
            : undefined
          if (double !== undefined) {
            addError(report, planned.row, {
              field: double.name,
              code: 'not_unique',
              message: 'An earlier row has this value.',
            })
            report.failed += 1
            continue
          }
          const target = aim(
            planned,
            input,
            matchFields.length === 0 ? null : keyOf(planned.values, matchFields),
            matches,
          )
          if (target === 'create') creates.push(planned)
          else if (target === 'skip') report.skipped += 1
          else if (target === 'ambiguous') {
            addError(report, planned.row, {
              field: matchFields[0]!.name,
              code: 'not_unique',
              message: 'Several records match the row.',
            })
            report.failed += 1
          } else updates.push({ ...planned, id: target.id })
        }
        await write(ctx, input, report, 'create', creates)
        for (const group of withoutRepeatedIds(updates)) await write(ctx, input, report, 'update', group)
      }
      return report
    },
  }

  async function write(
    ctx: RequestContext,
    input: ImportInput,
    report: ImportReport,
    operation: 'create' | 'update',
    rows: readonly (PlannedRow & { id?: string })[],
  ): Promise<void> {
    if (rows.length === 0) return
    const records = rows.map(({ id, values }): BulkItem => (id === undefined ? { data: values } : { id, data: values }))
    const options = { atomic: false, returnRecords: false, continueOnError: true, validateOnly: input.dryRun }
    const { results } = await data.bulk(ctx, {
      object: input.object,
      operation,
      records,
      options,
      maxRecords: sliceSize,
    })
    results.forEach((result, at) => {
      if (!result.success) fail(report, rows[at]!.row, result)
      else if (operation === 'create') report.created += 1
      else report.updated += 1
    })
  }
}

function aim(
  planned: PlannedRow,
  input: ImportInput,
  key: string | null,
  matches: ReadonlyMap<string, Match>,
): 'create' | 'skip' | 'ambiguous' | { id: string } {
  if (input.writeMode === 'insert') return 'create'
  if (key === null) return input.skipBlankMatchKey ? 'skip' : input.writeMode === 'upsert' ? 'create' : 'skip'
  const match = matches.get(key) ?? 'none'
  if (match === 'several') return 'ambiguous'
  if (match === 'none') return input.writeMode === 'upsert' ? 'create' : 'skip'
  return match
}

/** Two rows may mean one record: they are written one after the other, as the file has them. */
function withoutRepeatedIds<T extends { id: string }>(rows: readonly T[]): T[][] {
  const groups: T[][] = []
  let ids = new Set<string>()
  for (const row of rows) {
    if (groups.length === 0 || ids.has(row.id)) {
      groups.push([])
      ids = new Set()
    }
    ids.add(row.id)
    groups.at(-1)!.push(row)
  }
  return groups
}

function isRepeated(seen: Set<string>, field: string, value: unknown): boolean {
  if (value === null || value === undefined) return false
  const key = `${field}\n${JSON.stringify(value)}`
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

function emptyReport(input: ImportInput): ImportReport {
  return {
    object: input.object,
    total: input.rows.length,
    created: 0,
    updated: 0,
    skipped: 0,
    failed: 0,
    errors: [],
    dryRun: input.dryRun,
  }
}

function fail(report: ImportReport, row: number, result: BulkResultItem): void {
  report.failed += 1
  const error = result.errors?.[0]
  const fieldErrors = (error?.details['fieldErrors'] as FieldError[] | undefined) ?? []
  if (fieldErrors.length === 0) {
    addError(report, row, {
      code: error?.code ?? 'internal_error',
      message: error?.message ?? 'The row was not written.',
    })
  }
  for (const problem of fieldErrors) addError(report, row, problem)
}

function addError(report: ImportReport, row: number, error: Omit<ImportError, 'row'>): void {
  if (report.errors.length >= maxReportedErrors) return
  const { field, code, message } = error
  report.errors.push({ row, ...(field === undefined ? {} : { field }), code, message })
}
