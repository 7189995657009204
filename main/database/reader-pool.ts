// Runs read tasks in killable processes: a pool of two, started on first use, killed at the limit, started anew.
// Knows SQL only as text; what a task means is the caller's.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { platformError } from '#shared/errors.ts'
import type { HeavyLimits, HeavyReads, Statement } from '#main/kernel/database.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import type { ComparedTable, TableComparison } from './compare-files.ts'
import { tooManyRows } from './reader-protocol.ts'
import type { ClosedFile } from './state-file.ts'
import type { FileReport, ReaderReply, ReaderTask } from './reader-protocol.ts'

/** Heavy reads plus what the host needs to run them. */
export interface ReaderPool extends Pick<HeavyReads, 'query'> {
  /** Checks a closed database file: size, checksum, integrity. */
  checkFile(file: string, limits: Pick<HeavyLimits, 'timeoutMs' | 'signal'>): Promise<FileReport>
  /** Checks the database itself; the report has problems only. */
  inspect(closed: ClosedFile | null, limits: Pick<HeavyLimits, 'timeoutMs' | 'signal'>): Promise<FileReport>
  /** Compares tables of the database with those of a closed file. */
  compare(
    file: string,
    tables: readonly ComparedTable[],
    limits: Pick<HeavyLimits, 'timeoutMs' | 'signal'>,
  ): Promise<readonly TableComparison[]>
  /** Copies the database to `target`, which must not exist: one snapshot, on disk when the promise resolves. */
  copyTo(target: string, limits: Pick<HeavyLimits, 'timeoutMs' | 'signal'>): Promise<void>
  /** Number of living processes. */
  size(): number
  /** Kills every process; tasks under way fail with `service_unavailable`. */
  close(): void
}

/** What the pool works with. */
export interface ReaderPoolOptions {
  readonly file: string
  readonly spawn: ProcessSpawner
  readonly log: Logger
  readonly clock: Clock
  readonly size?: number
  /** An idle process is ended after this long. */
  readonly idleMs?: number
  /** A task waits at most this long for a free process. */
  readonly maxWaitMs?: number
  /** Maps an engine code to the error callers see. */
  readonly translate: (error: Error) => unknown
}

interface Task {
  readonly task: ReaderTask
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly tookMs: HeavyLimits['tookMs']
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly since: number
  columns: readonly string[]
  rows: unknown[]
  timer: NodeJS.Timeout | undefined
  onAbort: (() => void) | undefined
}

interface Reader {
  readonly child: KillableChild
  task: Task | undefined
  id: number
  idle: NodeJS.Timeout | undefined
  /** True once it was told to die; its exit is then no failure. */
  ended: boolean
}

/** A further process is started for a task that has waited this long: most are done sooner, and each takes 60 MiB. */
const spareAfterMs = 100

const firstBackOffMs = 100
const maxBackOffMs = 5000

/** Path of the reader's entry: the source when the host runs from sources, else the bundle beside the host's. */
export function readerEntry(): string {
  const places = ['../workers/reader.ts', './workers/reader.js', '../workers/reader.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const entry = paths.find((path) => existsSync(path))
  if (entry === undefined) throw new Error('The reader process is not part of this installation.')
  return entry
}

/** Makes the pool; no process is started before the first task. */
export function createReaderPool(options: ReaderPoolOptions): ReaderPool {
  const limit = options.size ?? 2
  const idleMs = options.idleMs ?? 10_000
  const maxWaitMs = options.maxWaitMs ?? 30_000
  const entry = readerEntry()
  const readers = new Set<Reader>()
  let waiting: Task[] = []
  let failures = 0
  let notBefore = 0
  let retry: NodeJS.Timeout | undefined
  let spare: NodeJS.Timeout | undefined
  let closed = false

  const unavailable = (cause?: unknown): Error => platformError('service_unavailable', { retryAfterSeconds: 1 }, cause)

  const finish = (task: Task, settle: () => void): void => {
    clearTimeout(task.timer)
    if (task.onAbort !== undefined) task.signal?.removeEventListener('abort', task.onAbort)
    settle()
  }

  const end = (reader: Reader): void => {
    reader.ended = true
    clearTimeout(reader.idle)
    readers.delete(reader)
    reader.child.kill()
  }

  /** Kills the process of a running task; the task fails with `error` and the next one gets a new process. */
  const stop = (reader: Reader, error: unknown): void => {
    const { task } = reader
    reader.task = undefined
    end(reader)
    if (task !== undefined) finish(task, () => task.reject(error))
    next()
  }

  const onReply = (reader: Reader, message: unknown): void => {
    const reply = message as ReaderReply
    const { task } = reader
    if (task === undefined || reply.id !== reader.id) return
    failures = 0
    if (reply.kind === 'columns') {
      task.columns = reply.columns
      return
    }
    if (reply.kind === 'rows') {
      for (const row of reply.rows) task.rows.push(toObject(task.columns, row))
      return
    }
    reader.task = undefined
    reader.idle = setTimeout(() => end(reader), idleMs).unref()
    finish(task, () => {
      if (reply.kind === 'end') {
        if (reply.tookMs !== undefined) task.tookMs?.(reply.tookMs)
        task.resolve(task.rows)
      } else if (reply.kind === 'report') task.resolve(reply.report)
      else if (reply.kind === 'comparison') task.resolve(reply.tables)
      else task.reject(toError(reply, options.translate))
    })
    next()
  }

  const onExit = (reader: Reader, code: number | null): void => {
    if (reader.ended) return
    reader.ended = true
    readers.delete(reader)
    clearTimeout(reader.idle)
    failures += 1
    notBefore = options.clock.now() + Math.min(maxBackOffMs, firstBackOffMs * 2 ** (failures - 1))
    options.log.warn({ exitCode: code, failures }, 'A reader process ended unexpectedly.')
    const { task } = reader
    reader.task = undefined
    if (task !== undefined) finish(task, () => task.reject(unavailable()))
    next()
  }

  const start = (): Reader => {
    const child = options.spawn(entry, { name: 'cairn-reader', args: [options.file] })
    const reader: Reader = { child, task: undefined, id: 0, idle: undefined, ended: false }
    child.onMessage((message) => onReply(reader, message))
    child.onExit((code) => onExit(reader, code))
    readers.add(reader)
    return reader
  }

  const run = (reader: Reader, task: Task): void => {
    clearTimeout(reader.idle)
    clearTimeout(task.timer)
    reader.task = task
    reader.id += 1
    task.timer = setTimeout(() => stop(reader, platformError('timeout', { timeoutMs: task.timeoutMs })), task.timeoutMs)
    reader.child.send({ ...task.task, id: reader.id })
  }

  const next = (): void => {
    while (waiting.length > 0 && !closed) {
      let reader = [...readers].find((candidate) => candidate.task === undefined)
      if (reader === undefined) {
        if (readers.size >= limit) return
        const waitedMs = performance.now() - waiting[0]!.since
        if (readers.size > 0 && waitedMs < spareAfterMs) {
          spare ??= setTimeout(() => {
            spare = undefined
            next()
          }, spareAfterMs - waitedMs).unref()
          return
        }
        const pauseMs = notBefore - options.clock.now()
        if (pauseMs > 0 && failures > 0) {
          retry ??= setTimeout(
            () => {
              retry = undefined
              notBefore = 0
              next()
            },
            Math.min(pauseMs, maxBackOffMs),
          ).unref()
          return
        }
        reader = start()
      }
      run(reader, waiting.shift()!)
    }
  }

  const submit = <T>(task: ReaderTask, limits: Pick<HeavyLimits, 'timeoutMs' | 'signal' | 'tookMs'>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const { signal } = limits
      if (closed) {
        reject(unavailable())
        return
      }
      if (signal?.aborted === true) {
        reject(signal.reason)
        return
      }
      const entry: Task = {
        task,
        timeoutMs: limits.timeoutMs,
        signal,
        tookMs: limits.tookMs,
        since: performance.now(),
        resolve: resolve as (value: unknown) => void,
        reject,
        columns: [],
        rows: [],
        timer: undefined,
        onAbort: undefined,
      }
      const leave = (error: unknown): void => {
        waiting = waiting.filter((other) => other !== entry)
        finish(entry, () => reject(error))
      }
      entry.timer = setTimeout(() => leave(unavailable()), maxWaitMs)
      if (signal !== undefined) {
        entry.onAbort = () => {
          const reader = [...readers].find((candidate) => candidate.task === entry)
          if (reader === undefined) leave(signal.reason)
          else stop(reader, signal.reason)
        }
        signal.addEventListener('abort', entry.onAbort, { once: true })
      }
      waiting.push(entry)
      next()
    })

  return {
    query: <Row>(statement: Statement<Row>, limits: HeavyLimits) =>
      submit<Row[]>(
        { kind: 'query', sql: statement.sql, parameters: statement.parameters, maxRows: limits.maxRows ?? null },
        limits,
      ),
    checkFile: (file, limits) => submit<FileReport>({ kind: 'check', file }, limits),
    inspect: (closed, limits) => submit<FileReport>({ kind: 'inspect', closed }, limits),
    compare: (file, tables, limits) => submit<readonly TableComparison[]>({ kind: 'compare', file, tables }, limits),
    async copyTo(target, limits) {
      await submit<unknown>({ kind: 'copy', target }, limits)
    },
    size: () => readers.size,
    close() {
      closed = true
      clearTimeout(retry)
      clearTimeout(spare)
      for (const reader of readers) stop(reader, unavailable())
      for (const task of waiting) finish(task, () => task.reject(unavailable()))
      waiting = []
    },
  }
}

/** A row of values as an object. */
export function toObject(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]
  return row
}

/** The error that callers see for a failure in the process. */
export function toError(reply: ReaderReply & { kind: 'error' }, translate: (error: Error) => unknown): unknown {
  if (reply.code === tooManyRows) return platformError('invalid_query', { reason: reply.message })
  const error = Object.assign(new Error(reply.message), reply.code === null ? {} : { code: reply.code })
  return translate(error)
}
