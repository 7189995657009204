// Bulk writes with real rollback (D-63 to D-66): decides what is one transaction and what each record's result says.
// How one record is written, and what has to happen before its transaction, is the business of bulk-items.ts.
import { errorObject, PlatformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type {
  BulkError,
  BulkInput,
  BulkOperation,
  BulkOptions,
  BulkResult,
  BulkResultItem,
  PlatformRecord,
  RecordWarning,
} from '../api.ts'
import { getRow } from '../store.ts'
import type { Row } from './codec.ts'
import type { RecordAccess } from './record-access.ts'
import type { RecordRules, RuleWarning } from './record-rules.ts'
import type { Summaries } from './summaries.ts'

/** What writing one record came to. */
export interface ItemDone {
  readonly schema: ObjectSchema
  readonly id: string
  readonly operation: 'create' | 'update' | 'delete'
  /** The record after the write; as it was, for a delete. */
  record: PlatformRecord
  readonly before: Row | null
  readonly changed: boolean
  readonly warnings: readonly RuleWarning[]
}

/** One record's write inside a transaction; throws a PlatformError when it fails. */
export type ItemWrite = (tx: Tx) => ItemDone

/** The records of one bulk write. */
export interface BulkItems {
  readonly total: number
  /** The id the request gives a record. */
  idOf(index: number): string | undefined
  /**
   * Does what takes time before the job of these records. Undefined when there is nothing to do.
   * @param lastTry whether a record that changes meanwhile is refused rather than looked at again
   */
  stage(from: number, to: number, lastTry: boolean): Promise<void> | undefined
  /** Called when a job, or a new try of it, begins to write records. */
  begin(): void
  /** The write of a record; throws its failure. */
  write(index: number): ItemWrite
  /** After COMMIT, with what was written. */
  finish(done: readonly ItemDone[]): Promise<void> | undefined
}

/** What a bulk write needs to know. */
export interface BulkRun {
  readonly ctx: RequestContext
  /** Undefined for a batch across objects, whose items have operations of their own. */
  readonly operation: BulkOperation | undefined
  readonly options: BulkOptions
  readonly items: BulkItems
  readonly write: Write
  /** Whether somebody else asked for something a moment ago: jobs then end early. */
  isBusy(): boolean
  readonly rules: Pick<RecordRules, 'toRecord'>
  readonly access: Pick<RecordAccess, 'shown'>
  readonly summaries: Summaries
  /** See {@link BulkInput}. */
  readonly alongside?: BulkInput['alongside'] | undefined
}

/** Says that a record changed after its hooks had seen it: the job is undone and staged again. */
export class StaleItem extends Error {
  constructor() {
    super('A record changed while its hooks ran.')
  }
}

/** Times a job is staged; in the last one a record that changed is refused. */
const maxTries = 3

/** Records of a batch that is not atomic enter the write queue in slices of this many. */
const sliceSize = 200

/** Milliseconds of one job of such a batch: while nobody else asks for anything, and while somebody does. */
const jobMs = { quiet: 40, busy: 0.5 }

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

interface Outcome {
  readonly results: BulkResultItem[]
  readonly done: Map<number, ItemDone>
  /** Index after the last record of the job. */
  readonly to: number
}

/** Stages and writes the records of one job, again while records change under their hooks. */
async function runJob(
  run: BulkRun,
  from: number,
  to: number,
  settle: (tx: Tx, outcome: Outcome) => Outcome,
  limitMs = Infinity,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    const staging = run.items.stage(from, to, attempt === maxTries)
    // What hooks have seen is written whole: they are not asked twice.
    const job = { from, to, limitMs: staging === undefined ? limitMs : Infinity }
    if (staging !== undefined) await staging
    try {
      return await run.write(`data.${run.operation ?? 'batch'}`, (tx) => settle(tx, attemptAll(run, tx, job)), {
        whenFull: run.operation === 'delete',
      })
    } catch (error) {
      if (!(error instanceof StaleItem) || attempt === maxTries) throw error
    }
  }
}

/** One job for everything; rolled back when a record failed (atomic) or nothing is to stay (validateOnly). */
async function runAsOne(run: BulkRun): Promise<BulkResultItem[]> {
  const { options, items } = run
  try {
    const { results, done } = await runJob(run, 0, items.total, (tx, outcome) => {
      const failed = outcome.results.some((result) => !result.success)
      if (options.validateOnly || (failed && options.atomic)) throw new RolledBack(outcome.results)
      run.alongside?.(tx, outcome.results)
      return outcome
    })
    await items.finish([...done.values()])
    return results
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error
    const failed = error.results.some((result) => !result.success)
    if (options.validateOnly && !(failed && options.atomic)) return error.results.map(withoutNewId)
    return error.results.map((result) => (result.success ? undo(result) : result))
  }
}

async function runInSlices(run: BulkRun): Promise<BulkResultItem[]> {
  const { items } = run
  const results: BulkResultItem[] = []
  for (let from = 0; from < items.total;) {
    const to = Math.min(from + sliceSize, items.total)
    if (!run.options.continueOnError && results.some((result) => !result.success)) {
      for (let index = from; index < to; index += 1) results.push(skipped(run, index))
      from = to
      continue
    }
    const settle = (tx: Tx, written: Outcome): Outcome => {
      run.alongside?.(tx, written.results)
      return written
    }
    const outcome = await runJob(run, from, to, settle, run.isBusy() ? jobMs.busy : jobMs.quiet)
    await items.finish([...outcome.done.values()])
    results.push(...outcome.results)
    from = outcome.to
  }
  return results
}

/**
 * Writes the records of one job: all in one savepoint first, because a savepoint each makes the search index write its
 * pending words each time; only when one of them fails, again with a savepoint each, to say which.
 */
function attemptAll(run: BulkRun, tx: Tx, job: Job): Outcome {
  const done = new Map<number, ItemDone>()
  const until = performance.now() + job.limitMs
  let to = job.from
  run.items.begin()
  try {
    const touched = tx.savepoint(
      () =>
        run.summaries.scope(tx, run.ctx, () => {
          do {
            done.set(to, run.items.write(to)(tx))
            to += 1
          } while (to < job.to && performance.now() < until)
        }).touched,
    )
    return finished(run, tx, { from: job.from, to }, done, new Map(), touched)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return attemptEach(run, tx, job)
  }
}

/** The records of one job, and how long it may take; it ends early, never before its first record. */
interface Job {
  readonly from: number
  readonly to: number
  readonly limitMs: number
}

/** Writes each record in a savepoint of its own; after a failure the rest is skipped unless continueOnError. */
function attemptEach(run: BulkRun, tx: Tx, job: Job): Outcome {
  const until = performance.now() + job.limitMs
  const done = new Map<number, ItemDone>()
  const failures = new Map<number, PlatformError>()
  const touched = new Set<string>()
  run.items.begin()
  let to = job.from
  for (; to < job.to && (to === job.from || performance.now() < until); to += 1) {
    const index = to
    if (failures.size > 0 && !run.options.continueOnError) {
      // The rest of the job is skipped.
      to = job.to
      break
    }
    try {
      const write = run.items.write(index)
      const written = tx.savepoint(() => run.summaries.scope(tx, run.ctx, () => write(tx)))
      done.set(index, written.value)
      for (const key of written.touched) touched.add(key)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      failures.set(index, error)
    }
  }
  return finished(run, tx, { from: job.from, to }, done, failures, touched)
}

/** The results of a job; records whose summaries settled after they were written are read again. */
function finished(
  run: BulkRun,
  tx: Tx,
  { from, to }: Pick<Job, 'from' | 'to'>,
  done: Map<number, ItemDone>,
  failures: ReadonlyMap<number, PlatformError>,
  touched: ReadonlySet<string>,
): Outcome {
  const results: BulkResultItem[] = []
  for (let index = from; index < to; index += 1) {
    const written = done.get(index)
    const failure = failures.get(index)
    if (failure !== undefined)
      results.push({ index, ...idOf(run, index), success: false, errors: [itemError(failure)] })
    else if (written === undefined) results.push(skipped(run, index))
    else {
      const { schema, id, operation, warnings } = written
      const isTouched = operation !== 'delete' && touched.has(`${schema.name}/${id}`)
      const row = isTouched ? getRow(tx, schema, id) : undefined
      if (row !== undefined) written.record = run.rules.toRecord(schema, row)
      results.push({
        index,
        ...(run.operation === undefined ? { object: schema.name } : {}),
        id,
        success: true,
        operation,
        ...(run.options.returnRecords && operation !== 'delete'
          ? { record: run.access.shown(run.ctx, schema, written.record) }
          : {}),
        ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
      })
    }
  }
  return { results, done, to }
}

function summarise(run: BulkRun, results: BulkResultItem[]): BulkResult {
  const succeeded = results.filter((result) => result.success).length
  const failed = results.length - succeeded
  const first = results.find((result) => result.errors !== undefined)
  const error = first?.errors?.[0]
  return {
    success: failed === 0,
    ...(run.operation === undefined ? {} : { operation: run.operation }),
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
): Promise<{ id: string; record: PlatformRecord; warnings: readonly RecordWarning[] }[]> {
  const options: BulkOptions = { atomic: true, returnRecords: true, continueOnError: true, validateOnly: false }
  const result = await runBulk({ ...run, operation: 'create', options })
  if (result.success)
    return result.results.map(({ id, record, warnings = [] }) => ({ id: id!, record: record!, warnings }))
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

function skipped(run: BulkRun, index: number): BulkResultItem {
  return { index, ...idOf(run, index), success: false, skipped: true }
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

function idOf(run: BulkRun, index: number): { id?: string } {
  const id = run.items.idOf(index)
  return id === undefined ? {} : { id }
}
