// Walks large results in processes, one for each walk at a time: rows come in slices, and the process waits until a
// slice was taken, so that neither side holds more than a few. A process that has ended its walk waits for another one,
// because starting one holds the host up and takes longer than most walks. Knows SQL only as text.
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

/** A process that waits for a walk ends after this long, as those of the reader pool do. */
const usualSpareMs = 10_000

/** A process and the walk it is in. */
interface Walker {
  readonly child: KillableChild
  /** Number of its present or last walk: what comes of an earlier one is passed over. */
  walk: number
  onReply: (reply: ReaderReply) => void
  onExit: () => void
  spare: NodeJS.Timeout | undefined
}

/** Streams of rows of one host. */
export interface ReaderStreams {
  /**
   * Yields the rows of one statement in slices, all of one snapshot; ending the iteration early kills the process.
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
  /** How long a process waits for a walk before it ends. Default: ten seconds. */
  readonly spareMs?: number
}

/** Makes the streams; no process is started before the first walk. */
export function createReaderStreams(options: ReaderStreamOptions): ReaderStreams {
  const entry = readerEntry()
  const walkers = new Set<Walker>()
  /** The one that waits for a walk. */
  let spare: Walker | undefined
  const { patienceMs = usualPatienceMs, spareMs = usualSpareMs } = options
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

  const end = (walker: Walker): void => {
    clearTimeout(walker.spare)
    if (spare === walker) spare = undefined
    walkers.delete(walker)
    walker.child.kill()
  }

  const start = (): Walker => {
    if (spare !== undefined) {
      const walker = spare
      clearTimeout(walker.spare)
      spare = undefined
      return walker
    }
    try {
      const child = options.spawn(entry, { name: 'cairn-reader', args: [options.file] })
      const walker: Walker = { child, walk: 0, onReply: () => undefined, onExit: () => undefined, spare: undefined }
      child.onMessage((message) => {
        const reply = message as ReaderReply
        if (reply.id === walker.walk) walker.onReply(reply)
      })
      child.onExit(() => {
        walkers.delete(walker)
        if (spare === walker) spare = undefined
        walker.onExit()
      })
      walkers.add(walker)
      return walker
    } catch (error) {
      leavePlace()
      throw error
    }
  }

  /** Keeps a process for the next walk, one at most. */
  const keep = (walker: Walker): void => {
    walker.onReply = () => undefined
    walker.onExit = () => undefined
    if (closed || spare !== undefined || !walkers.has(walker)) {
      end(walker)
      return
    }
    spare = walker
    walker.spare = setTimeout(() => end(walker), spareMs).unref()
  }

  const leavePlace = (): void => {
    taken -= 1
    const [first] = waiting
    first?.()
  }

  async function* walk<Row>(statement: Statement<Row>, signal: AbortSignal | undefined): AsyncGenerator<Row[]> {
    await takePlace(signal)
    const walker = start()
    const { child } = walker
    const id = (walker.walk += 1)
    const slices: Row[][] = []
    let columns: readonly string[] = []
    let done = false
    /** Whether the statement has run to its end, so that the process is free. */
    let isFree = false
    let failure: { error: unknown } | undefined
    let wake: (() => void) | undefined
    let idle: NodeJS.Timeout | undefined
    const stop = (error?: unknown): void => {
      if (error !== undefined) failure ??= { error }
      done = true
      wake?.()
    }
    const onAbort = (): void => stop(signal?.reason ?? new Error('The walk was given up.'))
    signal?.addEventListener('abort', onAbort, { once: true })
    walker.onReply = (reply) => {
      if (reply.kind === 'columns') columns = reply.columns
      else if (reply.kind === 'rows') slices.push(reply.rows.map((row) => toObject(columns, row) as Row))
      else if (reply.kind === 'error') stop(toError(reply, options.translate))
      else {
        isFree = true
        stop()
      }
      wake?.()
    }
    walker.onExit = () => {
      if (!done) stop(platformError('service_unavailable', { retryAfterSeconds: 1 }))
    }
    child.send({
      id,
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
            stop(platformError('timeout', { reason: 'stream_idle', timeoutMs: idleMs }))
            child.kill()
          }, idleMs).unref()
          yield slice
          clearTimeout(idle)
          child.send({ id, kind: 'more' })
        } else if (failure !== undefined) throw failure.error
        else if (done) return
        else await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      clearTimeout(idle)
      signal?.removeEventListener('abort', onAbort)
      done = true
      if (isFree) keep(walker)
      else end(walker)
      leavePlace()
    }
  }

  return {
    stream: (statement, { signal }) => walk(statement, signal),
    close() {
      closed = true
      for (const walker of walkers) end(walker)
      for (const wake of waiting) wake()
    },
  }
}
