// Processes that run scripts: started on use, kept warm, killed when a run takes too long. Knows nothing of records.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import { scriptLimits } from '#main/kernel/script-messages.ts'
import type { ScriptFailure, ScriptMethod, ScriptReply, ScriptRequest } from '#main/kernel/script-messages.ts'

/** One run. */
export interface PoolRun {
  readonly source: string
  /** JSON text. */
  readonly input: string
  /** At most {@link scriptLimits}`.wallMs`. */
  readonly timeoutMs: number
  /** True when the run was started by a script that waits for it: it never queues, so that chains cannot lock up. */
  readonly nested: boolean
  /** Answers a call of the script with JSON text; what it throws the script sees as an error of that message. */
  readonly answer: (method: ScriptMethod, args: string) => Promise<string>
}

/** How a run ended. */
export interface PoolResult {
  readonly outcome:
    { readonly value: string } | (Omit<ScriptFailure, 'reason'> & { readonly reason: ScriptFailure['reason'] | 'wall' })
  readonly logs: readonly string[]
}

/** The pool. */
export interface ScriptPool {
  run(run: PoolRun): Promise<PoolResult>
  /** Number of living processes. */
  size(): number
  close(): void
}

/** Runs at once that no script waits for; the others queue. */
const maxFirstRuns = 2
/** An idle process ends after this long. */
const idleMs = 60_000

interface Runner {
  readonly child: KillableChild
  end: ((result: PoolResult) => void) | undefined
  answer: PoolRun['answer'] | undefined
  id: number
  idle: NodeJS.Timeout | undefined
}

/** Makes the pool; no process is started before the first run. */
export function createScriptPool(spawn: ProcessSpawner): ScriptPool {
  const entry = scriptRunnerEntry()
  const free: Runner[] = []
  const all = new Set<Runner>()
  const queue: (() => void)[] = []
  let firstRuns = 0
  let ids = 0

  const start = (): Runner => {
    const runner: Runner = {
      child: spawn(entry, { name: 'script-runner' }),
      end: undefined,
      answer: undefined,
      id: 0,
      idle: undefined,
    }
    all.add(runner)
    runner.child.onMessage((message) => onReply(runner, message as ScriptReply))
    runner.child.onExit(() => {
      all.delete(runner)
      const at = free.indexOf(runner)
      if (at >= 0) free.splice(at, 1)
      runner.end?.({ outcome: { reason: 'memory', message: 'The script ended its process.' }, logs: [] })
    })
    return runner
  }

  const onReply = (runner: Runner, reply: ScriptReply): void => {
    if (reply.id !== runner.id) return
    if (reply.kind === 'end') {
      runner.end?.({ outcome: reply.outcome, logs: reply.logs })
      return
    }
    const { id, call, method, args } = reply
    const send = (ok: boolean, text: string): void => {
      if (runner.id === id) runner.child.send({ kind: 'answer', id, call, ok, text } satisfies ScriptRequest)
    }
    void runner.answer?.(method, args).then(
      (text) => send(true, text),
      (error: unknown) => send(false, error instanceof Error ? error.message : String(error)),
    )
  }

  const kill = (runner: Runner): void => {
    all.delete(runner)
    clearTimeout(runner.idle)
    runner.child.kill()
  }

  const runIn = (runner: Runner, run: PoolRun): Promise<PoolResult> =>
    new Promise((resolve) => {
      clearTimeout(runner.idle)
      const id = ++ids
      const timer = setTimeout(
        () => {
          runner.end = undefined
          runner.id = 0
          kill(runner)
          resolve({ outcome: { reason: 'wall', message: 'The script took too long.' }, logs: [] })
        },
        Math.min(run.timeoutMs, scriptLimits.wallMs),
      )
      runner.id = id
      runner.answer = run.answer
      runner.end = (result) => {
        clearTimeout(timer)
        runner.end = undefined
        runner.answer = undefined
        runner.id = 0
        if (all.has(runner)) {
          free.push(runner)
          runner.idle = setTimeout(() => {
            free.splice(free.indexOf(runner), 1)
            kill(runner)
          }, idleMs)
          runner.idle.unref()
        }
        resolve(result)
      }
      runner.child.send({ kind: 'run', id, source: run.source, input: run.input } satisfies ScriptRequest)
    })

  return {
    async run(run) {
      if (!run.nested) {
        if (firstRuns >= maxFirstRuns) await new Promise<void>((resolve) => queue.push(resolve))
        else firstRuns += 1
      }
      try {
        return await runIn(free.pop() ?? start(), run)
      } finally {
        if (!run.nested) {
          // The place goes to the next in the queue, so the count stays.
          const next = queue.shift()
          if (next === undefined) firstRuns -= 1
          else next()
        }
      }
    },
    size: () => all.size,
    close() {
      for (const runner of all) kill(runner)
      free.length = 0
    },
  }
}

/** Path of the entry: the source when the host runs from sources, else the bundle beside the host's. */
function scriptRunnerEntry(): string {
  const places = ['../../../workers/script-runner.ts', './workers/script-runner.js', '../workers/script-runner.js']
  const paths = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  const entry = paths.find((path) => existsSync(path))
  if (entry === undefined) throw new Error('The script process is not part of this installation.')
  return entry
}
