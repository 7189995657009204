// The interfaces of the database layer: what the rest of the host may do with SQLite. No implementation here.
import type { EventDraft } from '#shared/events.ts'
import type { RequestContext } from './context.ts'

/** A statement ready to run: text and bound values. */
export interface Statement<Row = unknown> {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Carries the row type; never read at run time. */
  readonly row?: Row
}

/**
 * Synchronous reads on the read-only connection; each sees every acknowledged write and no uncommitted one. What it sees
 * is on disk by the time any later write is acknowledged that is not `repeatable`.
 */
export interface Reads {
  all<Row>(statement: Statement<Row>): Row[]
  get<Row>(statement: Statement<Row>): Row | undefined
  /**
   * Walks a large result in slices of rows between which the event loop breathes; no read lasts over 30 s.
   * `next` receives the last row of the slice before and builds the statement of the following slice; null ends it.
   */
  slices<Row>(next: (last: Row | null) => Statement<Row> | null): AsyncIterable<Row[]>
}

/** What a statement that writes did. */
export interface RunResult {
  readonly changes: number
  /** Row number of the last row this connection inserted; meaningful right after an INSERT. */
  readonly lastInsertRowid: number | bigint
}

/**
 * Work in steps: a generator that yields wherever it may rest for a turn of the event loop. Nothing is awaited in it, and what
 * it needs of memory must not change while it rests.
 */
export type Steps<T> = Generator<void, T, void>

/** A savepoint of the group transaction. Everything is synchronous: nothing can be awaited inside a write. */
export interface Tx extends Pick<Reads, 'all' | 'get'> {
  run(statement: Statement<unknown>): RunResult
  /**
   * Runs `fn` in a savepoint of its own: when it throws, its rows, events and after-commit callbacks are undone and the
   * error is thrown on; the rest of the job stays.
   */
  savepoint<T>(fn: () => T): T
  /** The same around steps. */
  savepointSteps<T>(fn: () => Steps<T>): Steps<T>
  /** Runs DDL; prepared statements of all connections are dropped after COMMIT. */
  ddl(sql: string): void
  /**
   * Adds columns to a table without looking at its rows, however many they are.
   * @param definitions of each column as in CREATE TABLE: name, type, a literal default that fits the type
   */
  addColumns(table: string, definitions: readonly string[]): void
  /**
   * Runs the in-transaction listeners of the event now, in plugin order; a listener that throws rolls the job back.
   * After COMMIT the event gets its id and goes to after-commit listeners in order.
   */
  emit(ctx: RequestContext, draft: EventDraft): void
  /**
   * Gathers an item for the end of the job: `flush` is then called once with all items gathered for it, still inside the
   * transaction. Items of a savepoint that was rolled back are not among them. It may work in steps, for those of many items.
   */
  gather<T>(flush: (items: readonly T[]) => void | Steps<void>, item: T): void
  /** Runs right after COMMIT, when readers see the rows; for what memory keeps of them. Never after a rollback. */
  afterCommit(fn: () => void): void
  /** Runs when the rows are on disk, before the job's promise resolves; for what leaves the process. */
  whenOnDisk(fn: () => void): void
}

/** How a job enters the write queue. */
export interface WriteOptions {
  /**
   * True for a job that is done again by itself when the power takes it: it resolves with the COMMIT, and a later job
   * takes it to the disk. Nothing that leaves the process may rest on it but what says so with {@link Tx.whenOnDisk},
   * which makes it wait like any other. Default false.
   */
  readonly repeatable?: boolean
  /** True for what goes on while the disk is full: it makes room, or is small and people cannot make room without it. */
  readonly whenFull?: boolean
}

/** Enters the write queue; resolves when the group the job was part of is committed and on disk. */
export type Write = <T>(
  name: string,
  fn: (tx: Tx) => T extends PromiseLike<unknown> ? never : T,
  options?: WriteOptions,
) => Promise<T>

/**
 * The same for work that may be long: it is one transaction, and once it has taken some milliseconds the event loop is free
 * between its steps. Reads see the state before it until its COMMIT; other jobs wait for its end. Work that turns out to be
 * long behind others of its group is undone and begun anew without them, so `fn` may be called twice.
 */
export type WriteStepwise = <T>(name: string, fn: (tx: Tx) => Steps<T>, options?: WriteOptions) => Promise<T>

/** Limits of one heavy task. */
export interface HeavyLimits {
  /** After this many milliseconds the process is killed and `timeout` thrown. */
  timeoutMs: number
  /** Rows beyond this end the task with an error rather than filling memory. */
  maxRows?: number
  signal?: AbortSignal
  /** Hears how many milliseconds the statement took in the process. */
  tookMs?: (ms: number) => void
}

/** Runs a read in the killable reader process. */
export interface HeavyReads {
  /**
   * Answers all rows of one statement.
   * @throws timeout when the limit was reached; the process is killed within milliseconds.
   */
  query<Row>(statement: Statement<Row>, limits: HeavyLimits): Promise<Row[]>
  /**
   * Walks a result of any size in a process of its own, without a time limit: slices of rows of one snapshot, never
   * more than a few in memory. Ending the iteration kills the process.
   * @throws service_unavailable when too many walks are under way, timeout when nothing is taken for two minutes
   */
  stream<Row>(statement: Statement<Row>, options: { signal?: AbortSignal }): AsyncIterable<Row[]>
}

/** An index as its building needs it. */
export interface IndexShape {
  readonly name: string
  readonly table: string
  /** Columns in order; a folded one is keyed by its ASCII fold. */
  readonly keys: readonly { readonly column: string; readonly noCase: boolean }[]
  /** Which rows it has: live records or deleted ones. */
  readonly rows: 'live' | 'deleted'
}

/** Statements that look at every row of a large table: they run in a process of their own while the event loop is free. */
export interface LongDdl {
  /**
   * Runs statements in one transaction. Writers wait for it, readers do not; when the process ends early nothing happened.
   * @param signal ends the process
   */
  run(statements: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Builds an index slice by slice: writers never wait for more than one slice, whatever the size of the table, and what
   * they change meanwhile is in the index when it appears. Nothing sees it before it is complete.
   */
  buildIndex(index: IndexShape): Promise<void>
  /** Runs work that writes much, while the process folds the log into the file in place of commits of the main thread. */
  around<T>(work: () => Promise<T>): Promise<T>
}

/** Whether the database takes writes; with `disk_full` only those that say so ({@link WriteOptions}). */
export type DatabaseHealth = 'ok' | 'degraded' | 'disk_full'

/** The database of one host. */
export interface Database {
  readonly file: string
  readonly read: Reads
  readonly write: Write
  readonly writeStepwise: WriteStepwise
  readonly heavy: HeavyReads
  readonly longDdl: LongDdl
  /** Rises with every DDL; caches of compiled SQL are keyed by it. */
  schemaEpoch(): number
  /** Rises with every write that changed something and every change of tables, once readers see it. */
  version(): number
  /**
   * `disk_full` while the disk has no room; `degraded` after another failed COMMIT until a probe write succeeds.
   */
  health(): DatabaseHealth
  /**
   * For what leaves the process: null when all that readers see is on disk (on a hub: stored), repeatable jobs aside; else
   * resolves when it is.
   * @throws service_unavailable while nobody knows
   */
  onDisk(): Promise<void> | null
  /** Number of SQL statements run on the main thread's connections so far (for the one-statement test). */
  statementCount(): number
  /** Copies the live database to `target` page by page while writing goes on. */
  backupTo(target: string): Promise<void>
  /** Waits for queued writes, checkpoints and closes; later writes are refused with `service_unavailable`. */
  close(): Promise<void>
}

/** Makes a {@link Statement} from SQL text and values. */
export function statement<Row = unknown>(sql: string, parameters: readonly unknown[] = []): Statement<Row> {
  return { sql, parameters }
}

/** Does all steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}

/** What two statements share exactly when they ask for the same with the same values. */
export function statementKey({ sql, parameters }: Statement): string {
  return `${sql}\n${JSON.stringify(parameters)}`
}
