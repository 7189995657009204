// Runs statements that look at every row of a large table in a process of their own. SQLite cannot cut them in slices, and
// on the main thread they would hold the event loop; a process can be killed, and its transaction is then undone.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { platformError } from '#shared/errors.ts'
import type { IndexShape, LongDdl } from '#main/kernel/database.ts'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { translateEngineError } from './engine-errors.ts'
import { autoCheckpointPages } from './open.ts'
import { dropUnfinishedBuildSql } from './schema/index-build.ts'
import type { IndexBuild } from './schema/index-build.ts'
import type { WriteQueue } from './write-queue.ts'

/** What it works with. */
export interface LongDdlOptions {
  readonly file: string
  readonly durable: boolean
  readonly spawn: ProcessSpawner
  readonly lend: WriteQueue['lend']
  /** Says after how many pages of the log a commit of the main thread folds it in; 0 for never. */
  readonly setAutoCheckpoint: (pages: number) => void
}

/** What the process is sent: statements for one transaction, a step of an index's build, or to fold in the log. */
export type DdlRequest =
  | { readonly statements: readonly string[] }
  | { readonly index: IndexShape }
  | Exclude<keyof IndexBuild, 'begin'>
  | 'checkpoint'

/** What the process answers: that it is open, then how the statements ended. */
export type DdlReply =
  | 'ready'
  | { readonly ok: true; /** Whether slices of a build are left. */ readonly isMore?: boolean }
  | { readonly ok: false; readonly code: string | null; readonly message: string }

const checkpoint: DdlRequest = 'checkpoint'

/** An idle process is ended after this long: a change of schema has several steps. */
const idleMs = 5_000
/** How often the log is folded in while a long change writes. */
const foldEveryMs = 500

/** Path of the process's entry: the source when the host runs from sources, else the bundle beside the host's. */
function entryFile(): string {
  const places = ['../workers/ddl-runner.ts', './workers/ddl-runner.js', '../workers/ddl-runner.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const entry = paths.find((path) => existsSync(path))
  if (entry === undefined) throw new Error('The process for large tables is not part of this installation.')
  return entry
}

interface Runner {
  readonly child: KillableChild
  readonly ready: Promise<void>
  take: ((reply: DdlReply | undefined) => void) | undefined
  ended: boolean
}

/** Makes the runner; no process is started before the first statements. */
export function createLongDdl(options: LongDdlOptions): LongDdl & { close(): void } {
  const { file, durable, spawn, lend } = options
  const serial = createSerial()
  let working = 0
  let runner: Runner | undefined
  let idle: NodeJS.Timeout | undefined
  let closed = false

  const start = (): Runner => {
    const child = spawn(entryFile(), { name: 'cairn-ddl', args: [file, durable ? 'durable' : 'fast'] })
    let isReady: () => void = () => undefined
    const fresh: Runner = { child, ready: new Promise((resolve) => (isReady = resolve)), take: undefined, ended: false }
    child.onMessage((message) => {
      if (message === 'ready') isReady()
      else fresh.take?.(message as DdlReply)
    })
    child.onExit(() => {
      fresh.ended = true
      if (runner === fresh) runner = undefined
      isReady()
      fresh.take?.(undefined)
    })
    return fresh
  }

  const end = (one: Runner): void => {
    // Its exit is told later: nobody may be given it until then.
    if (runner === one) runner = undefined
    if (!one.ended) one.child.kill()
  }

  const ask = (one: Runner, request: DdlRequest, signal: AbortSignal | undefined): Promise<DdlReply | undefined> =>
    new Promise((resolve) => {
      const stop = (): void => end(one)
      one.take = (reply) => {
        one.take = undefined
        signal?.removeEventListener('abort', stop)
        resolve(reply)
      }
      if (one.ended) one.take(undefined)
      else {
        signal?.addEventListener('abort', stop, { once: true })
        one.child.send(request)
      }
    })

  /** A process that is ready; the same one while a change goes on. */
  const hire = async (): Promise<Runner> => {
    if (closed) throw platformError('service_unavailable')
    clearTimeout(idle)
    const mine = (runner ??= start())
    await mine.ready
    return mine
  }

  const release = (one: Runner): void => {
    clearTimeout(idle)
    if (!one.ended && working === 0) idle = setTimeout(() => end(one), idleMs).unref()
  }

  /**
   * Folds the log in while nobody writes: a commit at the same time would wait for the disk on the main thread, where
   * everybody waits with it; here only writers do, and without holding anything.
   */
  const fold = (): Promise<void> =>
    serial(async () => {
      const mine = await hire()
      // What is not folded in now is folded in later: a reader or a full disk is no failure of the change.
      await lend(() => ask(mine, checkpoint, undefined), { keepsSchema: true, onlyFolds: true })
      release(mine)
    })

  /** Folds the log in again and again while writers go on, so that no commit of theirs has to and it stays short. */
  const keepFolding = (): { stop(): Promise<void> } => {
    const state = { on: true }
    const loop = (async () => {
      while (state.on) {
        await pause(foldEveryMs)
        if (state.on) await fold()
      }
    })().catch(() => undefined)
    return {
      async stop() {
        state.on = false
        await loop
      },
    }
  }

  return {
    run: (statements, { signal } = {}) =>
      serial(async () => {
        if (statements.length === 0) return
        signal?.throwIfAborted()
        const mine = await hire()
        // The queue is lent only once the process can begin. After its death nothing of it is left in the file: the lock
        // ends with the process.
        const reply = await lend(async () => {
          const done = await ask(mine, { statements }, signal)
          if (working > 0 && !mine.ended) await ask(mine, checkpoint, undefined)
          return done
        })
        release(mine)
        signal?.throwIfAborted()
        requireOk(reply)
      }),
    buildIndex: (index) =>
      serial(async () => {
        const mine = await hire()
        let foldedAt = performance.now()
        try {
          requireOk(await lend(() => ask(mine, { index }, undefined)))
          requireOk(await ask(mine, 'sort', undefined))
          for (let isMore = true; isMore;) {
            isMore = await lend(async () => requireOk(await ask(mine, 'slice', undefined)), { keepsSchema: true })
            if (working === 0 || performance.now() - foldedAt < foldEveryMs) continue
            await lend(() => ask(mine, checkpoint, undefined), { keepsSchema: true, onlyFolds: true })
            foldedAt = performance.now()
          }
          requireOk(await lend(() => ask(mine, 'finish', undefined)))
        } catch (error) {
          // What stays behind after this fails too is dropped by the next build or start.
          const other = closed ? undefined : await hire()
          if (other !== undefined) await lend(() => ask(other, { statements: dropUnfinishedBuildSql }, undefined))
          throw error
        } finally {
          if (runner !== undefined) release(runner)
        }
      }),
    async around(work) {
      working += 1
      clearTimeout(idle)
      options.setAutoCheckpoint(0)
      // It is ready by the time it is asked for something.
      if (!closed) runner ??= start()
      const folding = keepFolding()
      try {
        return await work()
      } finally {
        await folding.stop()
        if (!closed && runner !== undefined) await fold().catch(() => undefined)
        working -= 1
        if (working === 0 && !closed) options.setAutoCheckpoint(autoCheckpointPages)
        if (runner !== undefined) release(runner)
      }
    },
    close() {
      closed = true
      clearTimeout(idle)
      if (runner !== undefined) end(runner)
    },
  }
}

/** @returns whether slices are left @throws what the process failed with; service_unavailable when it died */
function requireOk(reply: DdlReply | undefined): boolean {
  if (reply === undefined) throw platformError('service_unavailable', { retryAfterSeconds: 1 })
  if (reply === 'ready') return false
  if (reply.ok) return reply.isMore === true
  throw translateEngineError(Object.assign(new Error(reply.message), reply.code === null ? {} : { code: reply.code }))
}

/** Runs asynchronous work one piece after the other. */
function createSerial(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work, work)
    last = result
    return result
  }
}
