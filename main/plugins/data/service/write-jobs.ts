// The jobs of writes: a lone record has one of its own; many share one, or are written in slices (D-63 to D-66), with real
// rollback. Decides what is one transaction and what each record's result says; write-steps.ts knows how one is written.
import { errorObject, PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Steps, Tx } from '#main/kernel/database.ts'
import type {
  Answered,
  BulkError,
  BulkInput,
  BulkOperation,
  BulkOptions,
  BulkResult,
  BulkResultItem,
  DataService,
} from '../api.ts'
import { getRow } from '../store.ts'
import type { WriteParts } from './write-parts.ts'
import type { ItemDone, OpenStep, WriteRun } from './write-run.ts'
import { StaleItem } from './write-run.ts'
import type { WriteSteps } from './write-steps.ts'
import type { Written } from './writer.ts'

/** A write of many records. */
export interface ManyRun extends WriteRun {
  /** Undefined where every item has an operation of its own, across objects. */
  readonly operation: BulkOperation | undefined
  readonly options: BulkOptions
  /** See {@link BulkInput}. */
  readonly alongside?: BulkInput['alongside'] | undefined
  /** Called in the last transaction. */
  readonly answered?: Answered<BulkResult>
  /** See {@link DataService.write}. */
  readonly before?: Parameters<DataService['write']>[4]
}

/** The jobs of writes; one per host. */
export interface WriteJobs {
  /** Writes a lone record. @throws why it cannot be written */
  one(ctx: RequestContext, step: OpenStep, answered?: Answered<Written>): Promise<Written>
  /** Writes many records and answers one result each; failures of records never throw. */
  many(run: ManyRun): Promise<BulkResult>
}

/** Times a job is staged because a record changed while its hooks ran; in the last one such a record is refused. */
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

/** What became of the records of one job. */
interface Outcome {
  readonly done: readonly ItemDone[]
  readonly results: BulkResultItem[]
}

/** The records of one job, and how long it may take; it ends early, never before its first record. */
interface Job {
  readonly from: number
  readonly to: number
  readonly limitMs: number
}

/** What became of a record: written, refused, or left out after another one's refusal. */
type Fate = ItemDone | PlatformError | undefined

/** Makes the jobs. */
export function createWriteJobs(parts: WriteParts, steps: WriteSteps): WriteJobs {
  const { summaries, rules, access } = parts

  /** Stages and writes records in one job, again while they change under their hooks, and ends with the after-hooks. */
  const inJob = async (
    run: WriteRun,
    { from, to, limitMs }: Job,
    { name, whenFull }: { readonly name: string; readonly whenFull: boolean },
    body: (tx: Tx, job: Job) => Steps<Outcome>,
  ): Promise<Outcome> => {
    for (let attempt = 1; ; attempt += 1) {
      run.isLastTry = attempt === maxTries
      const staging = steps.stage(run, from, to)
      if (staging !== undefined) await staging
      // What hooks have seen is written whole: they are not asked twice.
      const job = { from, to, limitMs: staging === undefined ? limitMs : Infinity }
      let outcome: Outcome
      try {
        outcome = await parts.writeStepwise(`data.${name}`, (tx) => body(tx, job), { whenFull })
      } catch (error) {
        if (!(error instanceof StaleItem) || run.isLastTry) throw error
        continue
      }
      const hooks = steps.finish(run, outcome.done)
      if (hooks !== undefined) await hooks
      return outcome
    }
  }

  /** Reads a record again whose summaries settled after it was written. */
  const refresh = (tx: Tx, done: ItemDone, touched: ReadonlySet<string>): void => {
    const { schema, operation, written } = done
    if (touched.size === 0 || operation === 'delete' || !touched.has(`${schema.name}/${written.id}`)) return
    const row = getRow(tx, schema, written.id)
    if (row !== undefined) done.written = { ...written, record: rules.toRecord(schema, row) }
  }

  /**
   * Writes the records of one job: all in one savepoint first, because a savepoint each makes the search index write its
   * pending words each time; only when one of them fails, again with a savepoint each, to say which.
   */
  const attemptAll = function* (run: ManyRun, tx: Tx, job: Job): Steps<Outcome> {
    const { from, to, limitMs } = job
    const done: ItemDone[] = []
    const until = performance.now() + limitMs
    run.written = undefined
    const writeAll = function* (): Steps<void> {
      do {
        done.push(yield* steps.write(run, tx, from + done.length))
        if (limitMs === Infinity) yield
      } while (from + done.length < to && performance.now() < until)
    }
    try {
      const { touched } = yield* tx.savepointSteps(() => summaries.scopeSteps(tx, run.ctx, writeAll))
      return told(run, tx, job, done, touched)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      return yield* attemptEach(run, tx, job)
    }
  }

  /** Writes each record in a savepoint of its own; after a failure the rest is skipped unless continueOnError. */
  const attemptEach = function* (run: ManyRun, tx: Tx, job: Job): Steps<Outcome> {
    const { from, to, limitMs } = job
    const fates: Fate[] = []
    const until = performance.now() + limitMs
    const touched = new Set<string>()
    run.written = undefined
    let goesOn = true
    do {
      const index = from + fates.length
      try {
        const scoped = goesOn
          ? yield* tx.savepointSteps(() => summaries.scopeSteps(tx, run.ctx, () => steps.write(run, tx, index)))
          : undefined
        fates.push(scoped?.value)
        for (const key of scoped?.touched ?? []) touched.add(key)
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        fates.push(error)
        goesOn = run.options.continueOnError
      }
      if (limitMs === Infinity) yield
    } while (from + fates.length < to && performance.now() < until)
    return told(run, tx, job, fates, touched)
  }

  const told = (run: ManyRun, tx: Tx, { from }: Job, fates: readonly Fate[], touched: ReadonlySet<string>): Outcome => {
    const done: ItemDone[] = []
    for (const fate of fates) {
      if (fate === undefined || fate instanceof PlatformError) continue
      refresh(tx, fate, touched)
      done.push(fate)
    }
    return { done, results: fates.map((fate, at) => resultOf(run, from + at, fate)) }
  }

  const resultOf = (run: ManyRun, index: number, fate: Fate): BulkResultItem => {
    if (fate === undefined) return skipped(run, index)
    if (fate instanceof PlatformError) return { index, ...idOf(run, index), success: false, errors: [itemError(fate)] }
    const { schema, operation, written } = fate
    const { id, record, warnings } = written
    return {
      index,
      ...(run.operation === undefined ? { object: schema.name } : {}),
      id,
      success: true,
      operation: operation === 'restore' ? 'update' : operation,
      ...(run.options.returnRecords ? { record: access.shown(run.ctx, schema, record) } : {}),
      ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    }
  }

  /**
   * One job of many records; rolled back when a record failed (atomic) or nothing is to stay (validateOnly).
   * @param before results of the jobs before it
   */
  const writeMany = async (
    run: ManyRun,
    job: Job,
    before: readonly BulkResultItem[] = none,
  ): Promise<BulkResultItem[]> => {
    const { atomic, validateOnly } = run.options
    const options = { name: run.operation ?? 'batch', whenFull: run.operation === 'delete' }
    const { results } = await inJob(run, job, options, function* (tx, timed) {
      run.before?.(tx)
      const outcome = yield* attemptAll(run, tx, timed)
      if (validateOnly || (atomic && hasFailed(outcome.results))) throw new RolledBack(outcome.results)
      run.alongside?.(tx, outcome.results)
      if (run.answered !== undefined && job.from + outcome.results.length === run.steps.length)
        run.answered(tx, summaryOf(run, [...before, ...outcome.results]))
      return outcome
    })
    return results
  }

  const writeAsOne = async (run: ManyRun): Promise<BulkResultItem[]> => {
    const { atomic, validateOnly } = run.options
    try {
      return await writeMany(run, { from: 0, to: run.steps.length, limitMs: Infinity })
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error
      if (validateOnly && !(atomic && hasFailed(error.results))) return error.results.map(withoutNewId)
      return error.results.map((result) => (result.success ? undo(result) : result))
    }
  }

  const writeInSlices = async (run: ManyRun): Promise<BulkResultItem[]> => {
    const total = run.steps.length
    const results: BulkResultItem[] = []
    while (results.length < total && (run.options.continueOnError || !hasFailed(results))) {
      const from = results.length
      const limitMs = parts.isBusy() ? jobMs.busy : jobMs.quiet
      results.push(...(await writeMany(run, { from, to: Math.min(from + sliceSize, total), limitMs }, results)))
    }
    while (results.length < total) results.push(skipped(run, results.length))
    return results
  }

  return {
    async one(ctx, step, answered) {
      const run: WriteRun = { ctx, steps: [step], isLone: true, isLastTry: false, written: undefined }
      const name = step.action === 'purge' ? 'delete' : step.action
      const { done } = await inJob(run, loneJob, { name, whenFull: name === 'delete' }, function* (tx) {
        const { value, touched } = yield* summaries.scopeSteps(tx, ctx, () => steps.write(run, tx, 0))
        refresh(tx, value, touched)
        answered?.(tx, value.written)
        return { done: [value], results: none }
      })
      return done[0]!.written
    },
    async many(run) {
      const { atomic, validateOnly } = run.options
      const results = atomic || validateOnly ? await writeAsOne(run) : await writeInSlices(run)
      return summaryOf(run, results)
    },
  }
}

const loneJob: Job = { from: 0, to: 1, limitMs: Infinity }
const none: BulkResultItem[] = []

function hasFailed(results: BulkResultItem[]): boolean {
  return results.some(({ success }) => !success)
}

function summaryOf({ ctx, operation, options }: ManyRun, results: BulkResultItem[]): BulkResult {
  const succeeded = results.filter(({ success }) => success).length
  const failed = results.length - succeeded
  const first = results.find(({ errors }) => errors !== undefined)
  const error = first?.errors?.[0]
  return {
    success: failed === 0,
    ...(operation === undefined ? {} : { operation }),
    total: results.length,
    succeeded,
    failed,
    results,
    ...(error === undefined
      ? {}
      : { error: { ...error, details: { ...error.details, index: first!.index }, requestId: ctx.requestId } }),
    ...(options.validateOnly ? { meta: { validateOnly: true } } : {}),
  }
}

function itemError(error: PlatformError): BulkError {
  const { requestId: _, ...rest } = errorObject(error)
  return rest
}

function skipped(run: ManyRun, index: number): BulkResultItem {
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

function idOf(run: ManyRun, index: number): { id?: string } {
  const id: unknown = run.steps[index]!.asked.id
  return typeof id === 'string' ? { id } : {}
}
