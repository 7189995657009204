// Carries one import out, slice by slice: cells to values, relations to ids, rows to creates and updates through the data
// service. Direct imports and jobs share it; it knows neither reports nor tables of jobs.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound, platformError } from '#shared/errors.ts'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { BulkItem, BulkResultItem, DataService } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { ImportOptions } from '../api.ts'
import type { ChangeWatch } from './change-watch.ts'
import { cellOf, createCellReader, mapColumns, readingRight } from './columns.ts'
import { createLinkResolver } from './links.ts'
import { findMatches, keyOf, matchFieldsOf, normaliseKey } from './matching.ts'
import type { Match } from './matching.ts'
import { errorsOf } from './row-outcome.ts'
import type { RowError, RowOutcome } from './row-outcome.ts'
import type { SourceRow } from './sources.ts'

/** Rows that are read and matched together; the data service writes them in as many jobs as the moment allows. */
export const sliceSize = 500

/** Cells are read for so long before others have their turn: 500 rows at once would hold them for several milliseconds. */
const readMs = 1

/** What an import works with. */
export interface PlanParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly settings: SettingsService
  authorizer(): Authorizer
}

/** What to import into what. */
export interface PlanInput extends ImportOptions {
  readonly object: string
  readonly columns: readonly string[]
  readonly fromSheet: boolean
}

/** Follows the writes of a slice from inside its transactions. */
export interface SliceObserver {
  /** What was heard of the writes, asked right after them, in their transaction. */
  readonly watch?: Pick<ChangeWatch, 'changesOf' | 'sealOf'> | undefined
  /** Called in every transaction with all outcomes so far; `complete` in the last one of the slice. */
  written(tx: Tx, outcomes: readonly RowOutcome[], complete: boolean): void
}

/** An import that is ready to write rows. */
export interface RowPlan {
  readonly schema: ObjectSchema
  /**
   * Writes at most {@link sliceSize} rows; failures of rows are outcomes.
   * @param rows the rows with their numbers
   * @returns one outcome per row; `recorded` tells whether the observer has seen all of them inside a transaction
   */
  write(
    ctx: RequestContext,
    rows: readonly { readonly row: number; readonly cells: SourceRow }[],
    observer?: SliceObserver,
  ): Promise<{ outcomes: RowOutcome[]; recorded: boolean }>
}

interface Row {
  readonly row: number
  readonly values: Record<string, unknown>
  readonly errors: RowError[]
}

/** A group of rows for one bulk write. */
interface Group {
  readonly operation: 'create' | 'update'
  readonly rows: readonly (Row & { readonly id?: string })[]
}

/**
 * Prepares an import.
 * @throws resource_not_found, validation_error for columns and match fields
 */
export function createRowPlan(parts: PlanParts, ctx: RequestContext, input: PlanInput): RowPlan {
  const { data, metadata, settings } = parts
  const schema = metadata.objectSchema(input.object)
  if (schema === undefined) throw notFound('object', input.object)
  const canRead = readingRight(parts.authorizer(), ctx, schema.name)
  const columns = mapColumns(schema, input.columns, input.mapping, canRead)
  const matchFields = input.writeMode === 'insert' ? [] : matchFieldsOf(schema, input.matchFields, columns, canRead)
  const env: ParseEnv = { timeZone: settings.get('timezone'), defaultCurrency: settings.get('currency') }
  const readCell = createCellReader(input, env)
  const links = createLinkResolver(
    parts,
    columns.map(({ field }) => field),
  )
  const unique = schema.fields.filter((field) => field.unique)
  const ownLinks = new Set(columns.flatMap(({ field }) => (field.reference === schema.name ? [field.name] : [])))
  const seen = new Set<string>()

  const readRow = ({ row, cells }: { row: number; cells: SourceRow }): Row => {
    const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    for (const column of columns) {
      const cell = cellOf(cells, column)
      if (cell !== undefined) values[column.field.name] = readCell(cell, column.field)
    }
    const errors: RowError[] = []
    if (hasCellsBeyond(cells, input.columns.length))
      errors.push({ code: 'invalid_format', message: 'The row has more cells than the header.' })
    return { row, values, errors }
  }

  const failure = (row: number, errors: readonly RowError[]): RowOutcome => {
    const waits = errors.every(
      ({ code, field }) => code === 'invalid_reference' && ownLinks.has(field?.split('.')[0] ?? ''),
    )
    return { row, operation: 'fail', errors, ...(waits ? { waits: true } : {}) }
  }

  type Keys = ReadonlyMap<Row, Record<string, unknown>>

  const keysOf = (rows: readonly Row[]): Keys =>
    new Map(matchFields.length === 0 ? [] : rows.map((row) => [row, normaliseKey(row.values, matchFields, env)]))

  /** Rows that mean the same record come one after the other: the second one finds what the first one wrote. */
  const withoutRepeatedKeys = (rows: readonly Row[], keys: Keys): Row[][] => {
    const runs: Row[][] = [[]]
    const seenKeys = new Set<string>()
    for (const row of rows) {
      const key = matchFields.length === 0 ? null : keyOf(keys.get(row)!, matchFields)
      if (key !== null && seenKeys.has(key)) {
        runs.push([])
        seenKeys.clear()
      }
      if (key !== null) seenKeys.add(key)
      runs.at(-1)!.push(row)
    }
    return runs
  }

  const findAll = async (
    ctx: RequestContext,
    rows: readonly Row[],
    all: Keys,
  ): Promise<(row: Row) => Match | 'blank'> => {
    if (matchFields.length === 0) return () => 'none'
    const keys = new Map(rows.map((row) => [row, all.get(row)!]))
    const matches = await findMatches(data, ctx, schema, matchFields, [...keys.values()], env)
    return (row) => {
      const key = keyOf(keys.get(row)!, matchFields)
      return key === null ? 'blank' : (matches.get(key) ?? 'none')
    }
  }

  return {
    schema,
    async write(ctx, given, observer) {
      const rows: Row[] = []
      let since = performance.now()
      for (const one of given) {
        rows.push(readRow(one))
        if (performance.now() - since < readMs) continue
        await nextTurn()
        since = performance.now()
      }
      await links.resolve(ctx, rows)
      const keys = keysOf(rows)
      const outcomes: RowOutcome[] = []
      let recorded = false
      // A dry run writes nothing that a later row could find.
      const runs = input.dryRun ? [rows] : withoutRepeatedKeys(rows, keys)
      for (const [at, run] of runs.entries()) {
        const matchOf = await findAll(ctx, run, keys)
        recorded = await writeRun(ctx, run, matchOf, outcomes, observer, at === runs.length - 1)
      }
      return { outcomes, recorded: recorded && !input.dryRun }
    },
  }

  /** Writes rows of which no two mean the same record; answers whether the last transaction has recorded all outcomes. */
  async function writeRun(
    ctx: RequestContext,
    rows: readonly Row[],
    matchOf: (row: Row) => Match | 'blank',
    outcomes: RowOutcome[],
    observer: SliceObserver | undefined,
    isLastRun: boolean,
  ): Promise<boolean> {
    const creates: Row[] = []
    const updates: (Row & { id: string })[] = []
    const wrong: (Row & { id?: string })[] = []
    for (const row of rows) {
      // A dry run writes nothing, so doubles within the file would otherwise go unnoticed.
      const double = input.dryRun ? unique.find((field) => isRepeated(seen, field, row.values[field.name])) : undefined
      if (double !== undefined)
        row.errors.push({ field: double.name, code: 'not_unique', message: 'An earlier row has this value.' })
      const target = aim(input, matchOf(row))
      if (target === 'ambiguous' && row.errors.length === 0) {
        const message = 'Several records match the row.'
        row.errors.push({ field: matchFields[0]!.name, code: 'not_unique', message })
      }
      if (row.errors.length > 0) {
        const isAimed = target === 'create' || typeof target === 'object'
        const own = failure(row.row, row.errors)
        if (!isAimed || own.waits === true) outcomes.push(own)
        else wrong.push({ ...row, ...(target === 'create' ? {} : target) })
      } else if (target === 'skip') outcomes.push({ row: row.row, operation: 'skip' })
      else if (target === 'create') creates.push(row)
      else updates.push({ ...row, id: (target as { id: string }).id })
    }
    for (const operation of ['create', 'update'] as const) {
      const group = wrong.filter(({ id }) => (id === undefined) === (operation === 'create'))
      if (group.length > 0) outcomes.push(...(await findProblems(ctx, { operation, rows: group })))
    }
    const groups: Group[] = withoutRepeatedIds(updates).map((group) => ({ operation: 'update', rows: group }))
    if (creates.length > 0) groups.unshift({ operation: 'create', rows: creates })
    let recorded = false
    for (const [index, group] of groups.entries()) {
      await writeGroup(ctx, group, outcomes, observer, (done) => {
        recorded = done && isLastRun && index === groups.length - 1
        return recorded
      })
    }
    return recorded
  }

  /** All that is wrong with rows that will not be written as it is. */
  async function findProblems(ctx: RequestContext, { operation, rows }: Group): Promise<RowOutcome[]> {
    const { results } = await data.bulk(ctx, {
      object: input.object,
      operation,
      records: rows.map(recordOf),
      options: { atomic: false, returnRecords: false, continueOnError: true, validateOnly: true },
      maxRecords: sliceSize,
      problems: new Map(rows.map(({ errors }, at) => [at, errors.map(problemOf)])),
    })
    return results.map((result) => {
      const { row, errors } = rows[result.index]!
      // A refusal of another kind, of a right for example, says nothing of the values.
      return failure(row, result.errors?.[0]?.details['fieldErrors'] === undefined ? errors : errorsOf(result))
    })
  }

  async function writeGroup(
    ctx: RequestContext,
    { operation, rows }: Group,
    outcomes: RowOutcome[],
    observer: SliceObserver | undefined,
    isLast: (groupDone: boolean) => boolean,
  ): Promise<void> {
    const records = rows.map(recordOf)
    const options = { atomic: false, returnRecords: false, continueOnError: true, validateOnly: input.dryRun }
    const before = outcomes.length
    const toOutcome = (result: BulkResultItem): RowOutcome => {
      const { row } = rows[result.index]!
      if (!result.success) return failure(row, errorsOf(result))
      const id = input.dryRun && operation === 'create' ? undefined : result.id
      if (id === undefined) return { row, operation }
      const changes = operation === 'update' ? observer?.watch?.changesOf(id) : undefined
      const seal = operation === 'create' ? observer?.watch?.sealOf(id) : undefined
      return { row, operation, id, ...(changes && { changes }), ...(seal === undefined ? {} : { seal }) }
    }
    const { results } = await data.bulk(ctx, {
      object: input.object,
      operation,
      records,
      options,
      maxRecords: sliceSize,
      ...(observer === undefined
        ? {}
        : {
            alongside: (tx, part) => {
              // A database that takes no writes is no fault of the rows: the slice is undone and tried again later.
              if (part.some(({ errors }) => errors?.[0]?.code === 'service_unavailable'))
                throw platformError('service_unavailable', { retryAfterSeconds: 1 })
              // A group that is tried again after a lost transaction begins anew.
              outcomes.length = before + (part[0]?.index ?? 0)
              for (const result of part) outcomes.push(toOutcome(result))
              observer.written(tx, outcomes, isLast(outcomes.length === before + rows.length))
            },
          }),
    })
    // Without an observer, and in a dry run, nothing was recorded inside the transactions.
    if (observer === undefined || input.dryRun) outcomes.push(...results.map(toOutcome))
  }
}

function recordOf({ id, values }: { readonly id?: string; readonly values: Record<string, unknown> }): BulkItem {
  return id === undefined ? { data: values } : { id, data: values }
}

function problemOf({ field = '', code, message }: RowError): FieldError {
  return { field, code: code as FieldErrorCode, message }
}

function aim(input: ImportOptions, match: Match | 'blank'): 'create' | 'skip' | 'ambiguous' | { id: string } {
  if (input.writeMode === 'insert') return 'create'
  if (match === 'blank') return input.skipBlankMatchKey || input.writeMode === 'update' ? 'skip' : 'create'
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

function isRepeated(seen: Set<string>, field: FieldSchema, value: unknown): boolean {
  if (value === null || value === undefined) return false
  const key = `${field.name}\n${JSON.stringify(value)}`
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

function hasCellsBeyond(cells: SourceRow, columns: number): boolean {
  if (!Array.isArray(cells) || cells.length <= columns) return false
  return cells.slice(columns).some((cell) => cell !== null && cell !== undefined && String(cell).trim() !== '')
}
