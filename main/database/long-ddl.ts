// Runs statements that look at every row of a large table in a process of their own. SQLite cannot cut them in slices, and
// on the main thread they would hold the event loop; a process can be killed, and its transaction is then undone.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { platformError } from '#shared/errors.ts'
import type { LongDdl } from '#main/kernel/database.ts'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import { translateEngineError } from './engine-errors.ts'
import type { WriteQueue } from './write-queue.ts'

/** What it works with. */
export interface LongDdlOptions {
  readonly file: string
  readonly durable: boolean
  readonly spawn: ProcessSpawner
  readonly lend: WriteQueue['lend']
}

/** What the process is sent. */
export interface DdlRequest {
  readonly statements: readonly string[]
}

/** What the process answers: that it is open, then how the statements ended. */
export type DdlReply =
  'ready' | { readonly ok: true } | { readonly ok: false; readonly code: string | null; readonly message: string }

/** An idle process is ended after this long: a change of schema has several steps. */
const idleMs = 5_000

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
export function createLongDdl({ file, durable, spawn, lend }: LongDdlOptions): LongDdl & { close(): void } {
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

  return {
    async run(statements, { signal } = {}) {
      if (statements.length === 0) return
      signal?.throwIfAborted()
      if (closed) throw platformError('service_unavailable')
      clearTimeout(idle)
      runner ??= start()
      const mine = runner
      // The queue is lent only once the process can begin.
      await mine.ready
      // After its death nothing of it is left in the file: the lock ends with the process.
      const reply = await lend(() => ask(mine, { statements }, signal))
      if (!mine.ended) {
        clearTimeout(idle)
        idle = setTimeout(() => end(mine), idleMs).unref()
      }
      signal?.throwIfAborted()
      if (reply === undefined) throw platformError('service_unavailable', { retryAfterSeconds: 1 })
      if (reply === 'ready' || reply.ok) return
      throw translateEngineError(
        Object.assign(new Error(reply.message), reply.code === null ? {} : { code: reply.code }),
      )
    },
    close() {
      closed = true
      clearTimeout(idle)
      if (runner !== undefined) end(runner)
    },
  }
}
