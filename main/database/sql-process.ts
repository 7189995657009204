// Runs a foreign SQL statement in a process of its own and kills it at its limit. The process serves one statement.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { invalidQuery, platformError } from '#shared/errors.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'
import type { RestrictedQuery, RestrictedRows } from './restricted-sql.ts'

/** Limits of one statement. */
export interface SqlLimits {
  /** After this many milliseconds the process is killed. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

type SqlReply = ({ kind: 'rows' } & RestrictedRows) | { kind: 'refused' | 'failed'; message: string }

/** Statements run at once; more are refused until one ends. */
const maxRunning = 2

/** Makes the runner. */
export function createSqlProcess(options: {
  readonly file: string
  readonly spawn: ProcessSpawner
}): (query: RestrictedQuery, limits: SqlLimits) => Promise<RestrictedRows> {
  const entry = sqlRunnerEntry()
  let running = 0

  /** @throws invalid_query with the engine's words, timeout, service_unavailable */
  return async (query, { timeoutMs, signal }) => {
    if (running >= maxRunning) throw platformError('service_unavailable', { retryAfterSeconds: 1 })
    running += 1
    const child = options.spawn(entry, { name: 'sql-runner', args: [options.file] })
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<RestrictedRows>((resolve, reject) => {
        const stop = (): void => reject(platformError('timeout', { limitMs: timeoutMs }))
        timer = setTimeout(stop, timeoutMs)
        signal.addEventListener('abort', stop, { once: true })
        child.onMessage((message) => {
          const reply = message as SqlReply
          if (reply.kind === 'rows') resolve(reply)
          else if (reply.kind === 'refused') reject(invalidQuery('sql', reply.message, { path: '' }))
          else reject(new Error(reply.message))
        })
        child.onExit(() =>
          reject(invalidQuery('sql', 'The statement needs more memory than it may have.', { path: '' })),
        )
        child.send(query)
      })
    } finally {
      clearTimeout(timer)
      child.kill()
      running -= 1
    }
  }
}

/** Path of the entry: the source when the host runs from sources, else the bundle beside the host's. */
function sqlRunnerEntry(): string {
  const places = ['../workers/sql-runner.ts', './workers/sql-runner.js', '../workers/sql-runner.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const entry = paths.find((path) => existsSync(path))
  if (entry === undefined) throw new Error('The SQL process is not part of this installation.')
  return entry
}
