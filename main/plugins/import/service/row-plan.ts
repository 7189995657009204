// Carries one import out, slice by slice: cells to values, relations to ids, rows to creates and updates through the data
// service. Direct imports and jobs share it; it knows neither reports nor tables of jobs.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { notFound, platformError } from '#shared/errors.ts'
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import type { ParseEnv } from '#shared/field-types/field-type.ts'
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
import { createForetold } from './foretold.ts'
import type { MadeRecord } from './foretold.ts'
import { findHolders } from './holders.ts'
import { createLinkResolver } from './links.ts'
import { findMatches, keyOf, matchFieldsOf, normaliseKey } from './matching.ts'
import type { Match } from './matching.ts'
import type { NewOptions } from './missing-options.ts'
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

/** A row and the record it changes; none for one that makes it. */
interface AimedRow extends Row {
  readonly id?: string
  /** The row as it was read, where this is a copy of it. */
  readonly origin?: Row
  /** In a dry run, the record that an earlier row would have made: tried as a new one that holds what both say. */
  readonly earlier?: MadeRecord
}

/** What a row's key leads to, with what earlier rows of a dry run would have made. */
type Aim = Match | 'blank' | MadeRecord

/** Who hears of what is written, and of what would be. */
interface Listeners {
  readonly observer: SliceObserver | undefined
  remember(row: AimedRow): void
}

/** A group of rows for one bulk write. */
interface Group {
  readonly operation: 'create' | 'update'
  readonly rows: readonly AimedRow[]
}

/**
 * Prepares an import.
 * @param newOptions options that a dry run takes for there
 * @throws resource_not_found, validation_error for columns and match fields
 */
export function createRowPlan(
  parts: PlanParts,
  ctx: RequestContext,
  input: PlanInput,
  newOptions: NewOptions = new Map(),
): RowPlan {
  const { data, metadata, settings } = parts
  const schema = metadata.objectSchema(input.object)
  if (schema === undefined) throw notFound('object', input.object)
  const canRead = readingRight(parts.authorizer(), ctx, schema.name)
  const columns = mapColumns(schema, input.columns, input.mapping, canRead)
  const matchFields = input.writeMode === 'insert' ? [] : matchFieldsOf(schema, input.matchFields, columns, canRead)
  const env: ParseEnv = {
    timeZone: settings.get('timezone'),
    defaultCurrency: settings.get('currency'),
    ...(newOptions.size > 0 && {
      newOptions: new Map(
        schema.fields
          .filter(({ name }) => newOptions.has(name))
          .map((field) => [field, new Set(newOptions.get(field.name)!.values())]),
      ),
    }),
  }
  const readCell = createCellReader(input, env)
  const ownLinks = new Set(columns.flatMap(({ field }) => (field.reference === schema.name ? [field.name] : [])))
  const foretold = input.dryRun
    ? createForetold(schema, { ownLinks, isMatched: matchFields.length > 0 }, env)
    : undefined
  const links = createLinkResolver(
    parts,
    columns.map(({ field }) => field),
    (object, name) => (object === schema.name ? foretold?.named(name) : undefined),
  )

  const readRow = ({ row, cells }: { row: number; cells: SourceRow }): Row => {
    const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    for (const column of columns) {
      const cell = cellOf(cells, column)
      if (cell !== undefined)
        values[column.field.name] = asOption(readCell(cell, column.field), newOptions.get(column.field.name))
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

  const findAll = async (ctx: RequestContext, rows: readonly Row[], all: Keys): Promise<(row: Row) => Aim> => {
    if (matchFields.length === 0) return () => 'none'
    const keys = new Map(rows.map((row) => [row, all.get(row)!]))
    const matches = await findMatches(data, ctx, schema, matchFields, [...keys.values()], env)
    return (row) => {
      const key = keyOf(keys.get(row)!, matchFields)
      return key === null ? 'blank' : (matches.get(key) ?? foretold?.find(key) ?? 'none')
    }
  }

  /** Which refusals of a dry run are of values that their records would have left by then. */
  const leftValues = async (
    ctx: RequestContext,
    rows: readonly AimedRow[],
    results: readonly BulkResultItem[],
  ): Promise<(row: AimedRow, error: RowError) => boolean> => {
    if (foretold === undefined || matchFields.length === 0) return () => false
    const valuesOf = (row: AimedRow): Record<string, unknown> => ({ ...row.earlier?.values, ...row.values })
    const refused = results.map((result) => ({ values: valuesOf(rows[result.index]!), errors: errorsOf(result) }))
    const holderOf = await findHolders(data, ctx, schema, refused, env)
    return (row, { field: name, code }) => {
      const field = code === 'not_unique' && name !== undefined ? schema.byName.get(name) : undefined
      if (field === undefined) return false
      const value = valuesOf(row)[field.name]
      const holder = holderOf(field, value)
      return holder !== undefined && foretold.leaves(holder, field, value)
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
      const runs = withoutRepeatedKeys(rows, keys)
      const remember = (row: AimedRow): void => {
        const key = matchFields.length === 0 ? null : keyOf(keys.get(row.origin ?? row)!, matchFields)
        foretold?.remember(row.values, row.id ?? row.earlier?.made, key)
      }
      for (const [at, run] of runs.entries()) {
        const matchOf = await findAll(ctx, run, keys)
        recorded = await writeRun(ctx, run, matchOf, outcomes, { observer, remember }, at === runs.length - 1)
      }
      return { outcomes, recorded: recorded && !input.dryRun }
    },
  }

  /** Writes rows of which no two mean the same record; answers whether the last transaction has recorded all outcomes. */
  async function writeRun(
    ctx: RequestContext,
    rows: readonly Row[],
    matchOf: (row: Row) => Aim,
    outcomes: RowOutcome[],
    listeners: Listeners,
    isLastRun: boolean,
  ): Promise<boolean> {
    const creates: AimedRow[] = []
    /** Tried as new records in a dry run, behind those that are: they will be changes. */
    const remade: AimedRow[] = []
    const updates: (AimedRow & { id: string })[] = []
    const wrong: AimedRow[] = []
    for (const row of rows) {
      const target = aim(input, matchOf(row))
      if (target === 'ambiguous' && row.errors.length === 0) {
        const message = 'Several records match the row.'
        row.errors.push({ field: matchFields[0]!.name, code: 'not_unique', message })
      }
      if (row.errors.length > 0) {
        const isAimed = target === 'create' || typeof target === 'object'
        const own = failure(row.row, row.errors)
        if (!isAimed || own.waits === true) outcomes.push(own)
        else wrong.push(aimed(row, target))
      } else if (target === 'skip') outcomes.push({ row: row.row, operation: 'skip' })
      else if (target === 'ambiguous') continue
      else if (target === 'create') creates.push(row)
      else if ('made' in target) remade.push(aimed(row, target))
      else updates.push({ ...row, id: target.id, origin: row })
    }
    outcomes.push(...(await findAllProblems(ctx, wrong)))
    const groups: Group[] = withoutRepeatedIds(updates).map((group) => ({ operation: 'update', rows: group }))
    const made = [...creates, ...remade]
    if (made.length > 0) groups.unshift({ operation: 'create', rows: made })
    let recorded = false
    for (const [index, group] of groups.entries()) {
      await writeGroup(ctx, group, outcomes, listeners, (done) => {
        recorded = done && isLastRun && index === groups.length - 1
        return recorded
      })
    }
    return recorded
  }

  async function findAllProblems(ctx: RequestContext, rows: readonly AimedRow[]): Promise<RowOutcome[]> {
    const outcomes: RowOutcome[] = []
    for (const operation of ['create', 'update'] as const) {
      const group = rows.filter(({ id }) => (id === undefined) === (operation === 'create'))
      if (group.length > 0) outcomes.push(...(await findProblems(ctx, { operation, rows: group })))
    }
    return outcomes
  }

  /** The rows without those that repeat a unique value of an earlier group, which a dry run has not written. */
  async function withoutDoubles(
    ctx: RequestContext,
    rows: readonly AimedRow[],
    outcomes: RowOutcome[],
  ): Promise<readonly AimedRow[]> {
    if (foretold === undefined) return rows
    const doubles = new Set<AimedRow>()
    const moving = new Set<string>()
    for (const row of rows) {
      const owner = row.id ?? row.earlier?.made
      const field = foretold.taken(row.values, owner, moving)
      if (field !== undefined) {
        row.errors.push(doubled(field.name))
        doubles.add(row)
      } else if (owner !== undefined) for (const place of foretold.placesOf(row.values, owner)) moving.add(place)
    }
    if (doubles.size === 0) return rows
    outcomes.push(...(await findAllProblems(ctx, [...doubles])))
    return rows.filter((row) => !doubles.has(row))
  }

  /** What is tried or written of a row. */
  function recordOf(row: AimedRow): BulkItem {
    const data = foretold === undefined ? row.values : foretold.writable(row.values).values
    const whole =
      row.earlier?.values === undefined ? data : { ...foretold!.writable(row.earlier.values).values, ...data }
    return row.id === undefined ? { data: whole } : { id: row.id, data: whole }
  }

  /** The problems of a row that was tried, without what is missing only because it was left out. */
  function problemsOf(row: AimedRow, result: BulkResultItem): RowError[] {
    const errors = errorsOf(result)
    if (foretold === undefined) return errors
    const left = new Set(foretold.writable(row.values).left)
    const isPart = row.earlier !== undefined
    const isLeft = (field: string): boolean => left.has(field) || (isPart && !Object.hasOwn(row.values, field))
    return errors.filter(({ code, field = '' }) => code !== 'required' || !isLeft(field))
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
      newOptions: env.newOptions,
    })
    const isLeft = await leftValues(ctx, rows, results)
    return results.map((result) => {
      const row = rows[result.index]!
      const isOfValues = result.errors?.[0]?.details['fieldErrors'] !== undefined
      // A refusal of another kind, of a right for example, says nothing of the values.
      const isOwn = ({ field, code }: RowError): boolean =>
        row.errors.some((own) => own.field === field && own.code === code)
      const errors = isOfValues
        ? problemsOf(row, result).filter((error) => isOwn(error) || !isLeft(row, error))
        : row.errors
      return failure(row.row, errors)
    })
  }

  async function writeGroup(
    ctx: RequestContext,
    { operation, rows: given }: Group,
    outcomes: RowOutcome[],
    { observer, remember }: Listeners,
    isLast: (groupDone: boolean) => boolean,
  ): Promise<void> {
    const rows = await withoutDoubles(ctx, given, outcomes)
    if (rows.length === 0) return
    const records = rows.map(recordOf)
    const options = { atomic: false, returnRecords: false, continueOnError: true, validateOnly: input.dryRun }
    const before = outcomes.length
    let isLeft: Awaited<ReturnType<typeof leftValues>> = () => false
    const toOutcome = (result: BulkResultItem): RowOutcome => {
      const aimedRow = rows[result.index]!
      const { row } = aimedRow
      if (!result.success) {
        const errors = problemsOf(aimedRow, result).filter((error) => !isLeft(aimedRow, error))
        if (errors.length > 0) return failure(row, errors)
      }
      // Values that a row of the group has taken meanwhile, or has not left as it is refused.
      const taken = foretold?.taken(aimedRow.values, aimedRow.id ?? aimedRow.earlier?.made)
      if (taken !== undefined) return failure(row, [doubled(taken.name)])
      if (input.dryRun) remember(aimedRow)
      if (aimedRow.earlier !== undefined) return { row, operation: 'update' }
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
      newOptions: env.newOptions,
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
    if (input.dryRun) isLeft = await leftValues(ctx, rows, results)
    // Without an observer, and in a dry run, nothing was recorded inside the transactions.
    if (observer === undefined || input.dryRun) outcomes.push(...results.map(toOutcome))
  }
}

/** What the values of a new choice are stored as. */
function asOption(value: unknown, added: ReadonlyMap<string, string> | undefined): unknown {
  if (added === undefined) return value
  if (Array.isArray(value)) return value.map((item) => asOption(item, added))
  return typeof value === 'string' ? (added.get(value.trim().toLowerCase()) ?? value) : value
}

function aimed(row: Row, target: 'create' | { id: string } | MadeRecord): AimedRow {
  if (target === 'create') return row
  return 'made' in target ? { ...row, earlier: target, origin: row } : { ...row, ...target, origin: row }
}

function doubled(field: string): RowError {
  return { field, code: 'not_unique', message: 'An earlier row has this value.' }
}

function problemOf({ field = '', code, message }: RowError): FieldError {
  return { field, code: code as FieldErrorCode, message }
}

function aim(input: ImportOptions, match: Aim): 'create' | 'skip' | 'ambiguous' | { id: string } | MadeRecord {
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

function hasCellsBeyond(cells: SourceRow, columns: number): boolean {
  if (!Array.isArray(cells) || cells.length <= columns) return false
  return cells.slice(columns).some((cell) => cell !== null && cell !== undefined && String(cell).trim() !== '')
}
