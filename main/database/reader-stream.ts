// Walks large results in processes of their own, one per walk: rows come in slices, and the process waits until a slice
// was taken, so that neither side holds more than a few. Knows SQL only as text.
import { platformError } from '#shared/errors.ts'
import type { Statement } from '#main/kernel/database.ts'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import { readerEntry, toError, toObject } from './reader-pool.ts'
import type { ReaderReply } from './reader-protocol.ts'

/** Walks under way at most; each holds a process and a snapshot of the database. */
const maxWalks = 4

/** How long a walk waits for another one to end before it is refused. */
const usualPatienceMs = 10_000

/** Slices that may be under way between the process and the host. */
const slicesAhead = 3

/** A walk whose reader takes nothing for this long ends: its snapshot keeps the log from being written back. */
const idleMs = 120_000

/** Streams of rows of one host. */
export interface ReaderStreams {
  /**
   * Yields the rows of one statement in slices, all of one snapshot; ending the iteration kills the process.
   * @throws service_unavailable when too many walks are under way for ten seconds
   */
  stream<Row>(statement: Statement<Row>, options: { signal?: AbortSignal }): AsyncIterable<Row[]>
  /** Kills every process. */
  close(): void
}

/** What the streams work with. */
export interface ReaderStreamOptions {
  readonly file: string
  readonly spawn: ProcessSpawner
  /** Maps an engine code to the error callers see. */
  readonly translate: (error: Error) => unknown
  /** How long a walk waits for another one to end before it is refused. Default: ten seconds. */
  readonly patienceMs?: number
}

/** Makes the streams; no process is started before the first walk. */
export function createReaderStreams(options: ReaderStreamOptions): ReaderStreams {
  const entry = readerEntry()
  const children = new Set<KillableChild>()
  const patienceMs = options.patienceMs ?? usualPatienceMs
  const waiting = new Set<() => void>()
  let taken = 0
  let closed = false

  /** Walks that come at the same time wait for each other, for a while. @throws service_unavailable */
  const takePlace = async (signal: AbortSignal | undefined): Promise<void> => {
    const until = performance.now() + patienceMs
    while (!closed && taken >= maxWalks && performance.now() < until) {
      signal?.throwIfAborted()
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, until - performance.now())
        waiting.add(wake)
      })
    }
    signal?.throwIfAborted()
    if (closed || taken >= maxWalks)
      throw platformError('service_unavailable', { reason: 'too_many_streams', retryAfterSeconds: 5 })
    taken += 1
  }

  const spawn = (): KillableChild => {
    try {
      const child = options.spawn(entry, { name: 'cairn-reader', args: [options.file] })
      children.add(child)
      return child
    } catch (error) {
      leavePlace()
      throw error
    }
  }

  const leavePlace = (): void => {
    taken -= 1
    const [first] = waiting
    first?.()
  }

  async function* walk<Row>(statement: Statement<Row>, signal: AbortSignal | undefined): AsyncGenerator<Row[]> {
    await takePlace(signal)
    const child = spawn()
    const slices: Row[][] = []
    let columns: readonly string[] = []
    let done = false
    let failure: { error: unknown } | undefined
    let wake: (() => void) | undefined
    let idle: NodeJS.Timeout | undefined
    const end = (error?: unknown): void => {
      if (error !== undefined) failure ??= { error }
      done = true
      wake?.()
    }
    const onAbort = (): void => end(signal?.reason ?? new Error('The walk was given up.'))
    signal?.addEventListener('abort', onAbort, { once: true })
    child.onMessage((message) => {
      const reply = message as ReaderReply
      if (reply.kind === 'columns') columns = reply.columns
      else if (reply.kind === 'rows') slices.push(reply.rows.map((row) => toObject(columns, row) as Row))
      else if (reply.kind === 'error') end(toError(reply, options.translate))
      else end()
      wake?.()
    })
    child.onExit(() => {
      if (!done) end(platformError('service_unavailable', { retryAfterSeconds: 1 }))
    })
    child.send({
      id: 1,
      kind: 'stream',
      sql: statement.sql,
      parameters: statement.parameters,
      slicesAhead,
    })
    try {
      for (;;) {
        const slice = slices.shift()
        if (slice !== undefined) {
          idle = setTimeout(() => {
            end(platformError('timeout', { reason: 'stream_idle', timeoutMs: idleMs }))
            child.kill()
          }, idleMs).unref()
          yield slice
          clearTimeout(idle)
          child.send({ id: 1, kind: 'more' })
        } else if (failure !== undefined) throw failure.error
        else if (done) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      clearTimeout(idle)
      signal?.removeEventListener('abort', onAbort)
      done = true
      children.delete(child)
      child.kill()
      leavePlace()
    }
  }

  return {
    stream: (statement, { signal }) => walk(statement, signal),
    close() {
      closed = true
      for (const child of children) child.kill()
      for (const wake of waiting) wake()
    },
  }
}
