// Bulk writes: batch, createMany, updateMany, deleteMany with real rollback (D-63 to D-65). Decides what is one
// transaction and what each record's result says; how one record is written is the record writer's business.
import { errorObject, PlatformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type {
  BulkError,
  BulkInput,
  BulkItem,
  BulkOperation,
  BulkOptions,
  BulkResult,
  BulkResultItem,
  PlatformRecord,
} from '../api.ts'

/** One record's write inside a transaction; throws a PlatformError when it fails. */
export type ItemWrite = (tx: Tx) => { id: string; operation: 'create' | 'update' | 'delete'; record?: PlatformRecord }

/** Turns an item into its write. Called before the transaction; what it throws is the item's failure. */
export type PrepareItem = (item: BulkItem) => ItemWrite

/** What a bulk write needs to know. */
export interface BulkRun {
  readonly ctx: RequestContext
  readonly schema: ObjectSchema
  readonly operation: BulkOperation
  readonly records: readonly BulkItem[]
  readonly options: BulkOptions
  readonly prepare: PrepareItem
  readonly write: Write
  /** See {@link BulkInput}. */
  readonly alongside?: BulkInput['alongside'] | undefined
}

/** Records of a batch that is not atomic enter the write queue in slices of this many. */
const sliceSize = 200

/** Carries the results of a transaction that is rolled back on purpose. */
class RolledBack extends Error {
  readonly results: BulkResultItem[]
  constructor(results: BulkResultItem[]) {
    super('The transaction was rolled back on purpose.')
    this.results = results
  }
}

/**
 * Refuses an empty or too large request, and ids named twice.
 * @throws validation_error
 */
export function checkBulkSize(parameter: string, ids: readonly (string | undefined)[], limit: number): void {
  if (ids.length === 0) {
    throw validationError([
      { field: parameter, code: 'min_items', message: 'At least one record is needed.', constraint: 1 },
    ])
  }
  if (ids.length > limit) {
    throw validationError(
      [
        {
          field: parameter,
          code: 'max_items',
          message: `At most ${limit} records fit in one request.`,
          constraint: limit,
        },
      ],
      { limit, received: ids.length },
    )
  }
  const seen = new Set<string>()
  const doubles: FieldError[] = []
  ids.forEach((id, index) => {
    if (id === undefined) return
    const key = id.toLowerCase()
    if (seen.has(key)) {
      doubles.push({
        field: `${parameter}.${index}`,
        code: 'duplicate_value',
        message: 'The id is named twice in the request.',
        value: id,
      })
    }
    seen.add(key)
  })
  if (doubles.length > 0) throw validationError(doubles)
}

/** Runs a bulk write and answers one result per record; failures of records never throw. */
export async function runBulk(run: BulkRun): Promise<BulkResult> {
  const { options } = run
  const results = options.atomic || options.validateOnly ? await runAsOne(run) : await runInSlices(run)
  return summarise(run, results)
}

/** One job for everything; rolled back when a record failed (atomic) or nothing is to stay (validateOnly). */
async function runAsOne(run: BulkRun): Promise<BulkResultItem[]> {
  const { options } = run
  try {
    return await run.write(`data.${run.operation}`, (tx) => {
      const results = attempt(run, tx, run.records, 0)
      const failed = results.some((result) => !result.success)
      if (options.validateOnly || (failed && options.atomic)) throw new RolledBack(results)
      run.alongside?.(tx, results)
      return results
    })
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    const failed = error.results.some((result) => !result.success)
    if (options.validateOnly && !(failed && options.atomic)) return error.results.map(withoutNewId)
    return error.results.map((result) => (result.success ? undo(result) : result))
  }
}

async function runInSlices(run: BulkRun): Promise<BulkResultItem[]> {
  const results: BulkResultItem[] = []
  for (let start = 0; start < run.records.length; start += sliceSize) {
    const slice = run.records.slice(start, start + sliceSize)
    const stopped = !run.options.continueOnError && results.some((result) => !result.success)
    if (stopped) results.push(...slice.map((item, at) => skipped(item, start + at)))
    else results.push(...(await run.write(`data.${run.operation}`, (tx) => writeSlice(run, tx, slice, start))))
  }
  return results
}

function writeSlice(run: BulkRun, tx: Tx, slice: readonly BulkItem[], start: number): BulkResultItem[] {
  const results = attempt(run, tx, slice, start)
  run.alongside?.(tx, results)
  return results
}

/**
 * Writes the records of one job: all in one savepoint first, because a savepoint each makes the search index write its
 * pending words each time; only when one of them fails, again with a savepoint each, to say which.
 */
function attempt(run: BulkRun, tx: Tx, records: readonly BulkItem[], offset: number): BulkResultItem[] {
  try {
    return tx.savepoint(() => records.map((item, at) => succeeded(run, offset + at, run.prepare(item)(tx))))
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return attemptEach(run, tx, records, offset)
  }
}

/** Writes each record in a savepoint of its own; after a failure the rest is skipped unless continueOnError. */
function attemptEach(run: BulkRun, tx: Tx, records: readonly BulkItem[], offset: number): BulkResultItem[] {
  const results: BulkResultItem[] = []
  let failed = false
  records.forEach((item, at) => {
    const index = offset + at
    if (failed && !run.options.continueOnError) {
      results.push(skipped(item, index))
      return
    }
    try {
      const write = run.prepare(item)
      results.push(
        succeeded(
          run,
          index,
          tx.savepoint(() => write(tx)),
        ),
      )
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      failed = true
      results.push({ index, ...idOf(item), success: false, errors: [itemError(error)] })
    }
  })
  return results
}

function succeeded(run: BulkRun, index: number, done: ReturnType<ItemWrite>): BulkResultItem {
  const { id, operation, record } = done
  return {
    index,
    id,
    success: true,
    operation,
    ...(run.options.returnRecords && record !== undefined ? { record } : {}),
  }
}

function summarise(run: BulkRun, results: BulkResultItem[]): BulkResult {
  const succeeded = results.filter((result) => result.success).length
  const failed = results.length - succeeded
  const first = results.find((result) => result.errors !== undefined)
  const error = first?.errors?.[0]
  return {
    success: failed === 0,
    operation: run.operation,
    total: results.length,
    succeeded,
    failed,
    results,
    ...(error === undefined
      ? {}
      : { error: { ...error, details: { ...error.details, index: first!.index }, requestId: run.ctx.requestId } }),
    ...(run.options.validateOnly ? { meta: { validateOnly: true } } : {}),
  }
}

/**
 * Creates all records or none.
 * @throws the first failing record's error, details {index, fieldErrors, failures} (D-65)
 */
export async function createAll(
  run: Omit<BulkRun, 'operation' | 'options'>,
): Promise<{ id: string; record: PlatformRecord }[]> {
  const options: BulkOptions = { atomic: true, returnRecords: true, continueOnError: true, validateOnly: false }
  const result = await runBulk({ ...run, operation: 'create', options })
  if (result.success) return result.results.map((item) => ({ id: item.id!, record: item.record! }))
  const failures = result.results.flatMap((item) =>
    (item.errors ?? []).map((error) => ({
      index: item.index,
      code: error.code,
      fieldErrors: (error.details['fieldErrors'] as FieldError[] | undefined) ?? [],
    })),
  )
  const first = result.results.find((item) => item.errors !== undefined)!
  const error = first.errors![0]!
  throw new PlatformError(
    error.code,
    { httpStatus: error.httpStatus, category: error.category, retryable: error.retryable, message: error.message },
    { ...error.details, index: first.index, fieldErrors: failures[0]!.fieldErrors, failures: failures.slice(0, 100) },
  )
}

function itemError(error: PlatformError): BulkError {
  const { requestId: _, ...rest } = errorObject(error)
  return rest
}

function skipped(item: BulkItem, index: number): BulkResultItem {
  return { index, ...idOf(item), success: false, skipped: true }
}

function undo(result: BulkResultItem): BulkResultItem {
  const { record: _, ...rest } = withoutNewId(result)
  return { ...rest, success: false, rolledBack: true }
}

/** An id that was made for a record that does not exist is not told (D-63). */
function withoutNewId(result: BulkResultItem): BulkResultItem {
  if (result.operation !== 'create') return result
  const { id: _, ...rest } = result
  if (rest.record === undefined) return rest
  const { id: __, ...record } = rest.record
  return { ...rest, record }
}

function idOf(item: BulkItem): { id?: string } {
  return item.id === undefined ? {} : { id: item.id }
}

/** Refuses an item that lacks what its operation needs. @throws validation_error */
export function requireItemId(item: BulkItem): string {
  if (item.id === undefined) {
    throw validationError([{ field: 'id', code: 'required', message: 'The id of the record is needed.' }])
  }
  return item.id
}

/** The data of an item; a missing map is an error of the item. @throws validation_error */
export function requireItemData(item: BulkItem): Record<string, unknown> {
  if (item.data === undefined) {
    throw validationError([{ field: 'data', code: 'required', message: 'The values of the record are needed.' }])
  }
  return item.data
}
