// One job of the write queue, and the transaction as it sees it. Knows no groups and no disk.
import type { EventDraft, PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { RunResult, Statement, Steps, Tx } from '#main/kernel/database.ts'
import type { EventBus } from '#main/kernel/events.ts'
import { translateEngineError } from './engine-errors.ts'
import type { Connection } from './open.ts'
import { addColumns } from './schema/add-columns.ts'
import type { Statements } from './statements.ts'

/** A job from its call to its answer. */
export interface Job {
  readonly name: string
  readonly fn: (tx: Tx) => unknown
  /** Whether `fn` answers steps, between which the event loop may be free. */
  readonly isStepwise: boolean
  /** Whether it has turned out to be long: it has a transaction of its own, and its events are told slice by slice. */
  isLong: boolean
  readonly isRepeatable: boolean
  /** Makes room on a full disk, and was not tried again for that yet. */
  readonly mayTryAgain: boolean
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly gathered: Gathered[]
  readonly callbacks: (() => void)[]
  readonly effects: (() => void)[]
  readonly events: PlatformEvent[]
  value: unknown
  failure: { error: unknown } | undefined
}

/** Something gathered for the end of a job. */
export interface Gathered {
  readonly flush: (items: readonly unknown[]) => void | Steps<void>
  readonly item: unknown
}

/** What the jobs of the present group have done. */
export interface Marks {
  schema: boolean
  changed: boolean
}

/** The statements of savepoints inside a job. */
export interface Inner {
  readonly savepoint: { run(): unknown }
  readonly release: { run(): unknown }
  readonly rollbackTo: { run(): unknown }
  readonly connection: Connection
}

/** A job's view of the transaction; unusable as soon as the job has ended. */
export class JobTx implements Tx {
  readonly #job: Job
  readonly #statements: Statements
  readonly #bus: EventBus
  readonly #marks: Marks
  readonly #inner: Inner
  #open = true

  constructor(job: Job, statements: Statements, bus: EventBus, marks: Marks, inner: Inner) {
    this.#job = job
    this.#statements = statements
    this.#bus = bus
    this.#marks = marks
    this.#inner = inner
  }

  all<Row>(statement: Statement<Row>): Row[] {
    this.#check()
    return this.#statements.all(statement)
  }

  get<Row>(statement: Statement<Row>): Row | undefined {
    this.#check()
    return this.#statements.get(statement)
  }

  run(statement: Statement<unknown>): RunResult {
    this.#check()
    return this.#statements.run(statement)
  }

  savepoint<T>(fn: () => T): T {
    const undo = this.#beginInner()
    try {
      const value = fn()
      if (isThenable(value)) throw new Error(`A savepoint of the write "${this.#job.name}" returned a promise.`)
      this.#inner.release.run()
      return value
    } catch (error) {
      undo()
      throw translateEngineError(error)
    }
  }

  *savepointSteps<T>(fn: () => Steps<T>): Steps<T> {
    const undo = this.#beginInner()
    try {
      const value = yield* fn()
      this.#inner.release.run()
      return value
    } catch (error) {
      undo()
      throw translateEngineError(error)
    }
  }

  /** Begins a savepoint; answers what takes it back, with all that the job has gathered since. */
  #beginInner(): () => void {
    this.#check()
    const { events, gathered, callbacks, effects } = this.#job
    const lists = [events, gathered, callbacks, effects] as const
    const lengths = lists.map(({ length }) => length)
    this.#inner.savepoint.run()
    return () => {
      for (const [at, list] of lists.entries()) list.length = lengths[at]!
      if (!this.#inner.connection.inTransaction) return
      this.#inner.rollbackTo.run()
      this.#inner.release.run()
    }
  }

  ddl(sql: string): void {
    this.#check()
    this.#marks.schema = true
    this.#marks.changed = true
    this.#statements.clear()
    this.#statements.exec(sql)
  }

  addColumns(table: string, definitions: readonly string[]): void {
    this.#check()
    if (definitions.length === 0) return
    this.#marks.schema = true
    this.#marks.changed = true
    this.#statements.clear()
    addColumns(this.#inner.connection, table, definitions)
  }

  emit(ctx: RequestContext, draft: EventDraft): void {
    this.#check()
    const event = this.#bus.emit(this, ctx, draft)
    // A listener may have emitted too: its event has a higher id but was collected first.
    const { events } = this.#job
    let at = events.length
    while (at > 0 && events[at - 1]!.eventId > event.eventId) at -= 1
    events.splice(at, 0, event)
  }

  gather<T>(flush: (items: readonly T[]) => void | Steps<void>, item: T): void {
    this.#check()
    this.#job.gathered.push({ flush: flush as Gathered['flush'], item })
  }

  /** Hands over what was gathered, in the order in which each kind came first; what a flush gathers comes after it. */
  *flush(): Steps<void> {
    const { gathered } = this.#job
    while (gathered.length > 0) {
      const { flush } = gathered[0]!
      const items: unknown[] = []
      const rest: Gathered[] = []
      for (const one of gathered) {
        if (one.flush === flush) items.push(one.item)
        else rest.push(one)
      }
      gathered.length = 0
      for (const one of rest) gathered.push(one)
      const steps = flush(items)
      if (steps !== undefined) yield* steps
    }
  }

  afterCommit(fn: () => void): void {
    this.#check()
    this.#job.callbacks.push(fn)
  }

  whenOnDisk(fn: () => void): void {
    this.#check()
    this.#job.effects.push(fn)
  }

  end(): void {
    this.#open = false
  }

  #check(): void {
    if (!this.#open)
      throw new Error(`The write "${this.#job.name}" has ended; its transaction cannot be used any more.`)
  }
}

/** Does a job, its failure being kept as what came of it. Whoever gives it up midway leaves its rows to the savepoint. */
export function* runJob(job: Job, tx: JobTx, failed: (error: unknown) => void): Steps<void> {
  try {
    const made = job.fn(tx)
    job.value = job.isStepwise ? yield* made as Steps<unknown> : made
    if (isThenable(job.value))
      throw new Error(`The write "${job.name}" returned a promise; write closures are synchronous.`)
    yield* tx.flush()
  } catch (error) {
    failed(error)
    job.failure = { error: translateEngineError(error) }
  } finally {
    tx.end()
  }
}

/** Whether a closure that must be synchronous returned a promise. */
function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
