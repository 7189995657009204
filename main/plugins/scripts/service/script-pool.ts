// Processes that run scripts: started on use, kept warm, killed when a run takes too long. Knows nothing of records.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { KillableChild, ProcessSpawner } from '#main/kernel/ports.ts'
import { scriptLimits } from '#main/kernel/script-messages.ts'
import type { ScriptFailure, ScriptMethod, ScriptReply, ScriptRequest } from '#main/kernel/script-messages.ts'
import { createTurns } from '#main/kernel/turns.ts'
import { createPlaces } from './script-places.ts'

/** One run. */
export interface PoolRun {
  readonly source: string
  /** JSON text. */
  readonly input: string
  /** At most {@link scriptLimits}`.wallMs`. */
  readonly timeoutMs: number
  /** How many scripts in a row wait for this one; each depth has places of its own, so that chains cannot lock up. */
  readonly depth: number
  /** Of the script that waits for this one: it ends with it, also while it waits for a place. */
  readonly signal: AbortSignal | undefined
  /**
   * Answers a call of the script with JSON text; what it throws the script sees as an error of that message.
   * @param signal aborted when the run is over its time
   */
  readonly answer: (method: ScriptMethod, args: string, signal: AbortSignal) => Promise<string>
}

/** How a run ended. */
export interface PoolResult {
  readonly outcome:
    | { readonly value: string }
    | (Omit<ScriptFailure, 'reason'> & { readonly reason: ScriptFailure['reason'] | 'wall' })
  readonly logs: readonly string[]
}

/** The pool. */
export interface ScriptPool {
  run(run: PoolRun): Promise<PoolResult>
  /** Number of living processes. */
  size(): number
  close(): void
}

/** Runs at once of one depth; the others queue. */
const runsAtOnce = 2
/** An idle process ends after this long. */
const idleMs = 60_000
/** A process that cannot run anything by then is given up. */
const startMs = 10_000

/** A run in its process. */
interface Going {
  readonly id: number
  /** In milliseconds of the monotonic clock: what the host does for a script counts as the script's time. */
  deadline: number
  /** Gives the script to its process, which can run it now: its time begins. */
  begin(): void
  answer(method: ScriptMethod, args: string): Promise<string>
  end(result: PoolResult): void
  /** Ends it, and what the host still does for it. */
  expire(): void
  /** Calls the host works on. */
  open: number
  whenDone: (() => void) | undefined
}

interface Runner {
  readonly child: KillableChild
  isReady: boolean
  going: Going | undefined
  idle: NodeJS.Timeout | undefined
}

/** Makes the pool; no process is started before the first run. */
export function createScriptPool(spawn: ProcessSpawner): ScriptPool {
  const entry = scriptRunnerEntry()
  const free: Runner[] = []
  const all = new Set<Runner>()
  const places = createPlaces(runsAtOnce)
  const inTurn = createTurns()
  let ids = 0

  const start = (): Runner => {
    const child = spawn(entry, { name: 'script-runner' })
    const runner: Runner = { child, isReady: false, going: undefined, idle: undefined }
    all.add(runner)
    runner.child.onMessage((message) => onReply(runner, message as ScriptReply))
    runner.child.onExit(() => {
      all.delete(runner)
      const at = free.indexOf(runner)
      if (at >= 0) free.splice(at, 1)
      runner.going?.end({ outcome: { reason: 'memory', message: 'The script ended its process.' }, logs: [] })
    })
    return runner
  }

  const onReply = (runner: Runner, reply: ScriptReply): void => {
    const { going } = runner
    if (reply.kind === 'ready') {
      runner.isReady = true
      going?.begin()
      return
    }
    if (going === undefined || reply.id !== going.id) return
    if (reply.kind === 'end') going.end({ outcome: reply.outcome, logs: reply.logs })
    // The process keeps the bound itself; one that does not is no process of ours any more.
    else if (going.open >= scriptLimits.callsAtOnce) going.expire()
    else {
      going.open += 1
      inTurn(() => void answer(runner, going, reply))
    }
  }

  const answer = async (runner: Runner, going: Going, reply: ScriptReply & { kind: 'call' }): Promise<void> => {
    const send = (ok: boolean, text: string): void => {
      if (runner.going !== going) return
      runner.child.send({ kind: 'answer', id: going.id, call: reply.call, ok, text } satisfies ScriptRequest)
    }
    // A host that was busy may be late with its timers.
    if (runner.going === going && performance.now() > going.deadline) going.expire()
    try {
      if (runner.going === going) send(true, await going.answer(reply.method, reply.args))
    } catch (error) {
      send(false, error instanceof Error ? error.message : String(error))
    } finally {
      going.open -= 1
      if (going.open === 0) going.whenDone?.()
    }
  }

  const kill = (runner: Runner): void => {
    all.delete(runner)
    clearTimeout(runner.idle)
    runner.child.kill()
  }

  /** Resolves with the result; `release` is called once the host does nothing for the run any more. */
  const runIn = (runner: Runner, run: PoolRun, release: () => void): Promise<PoolResult> =>
    new Promise((resolve) => {
      clearTimeout(runner.idle)
      const wallMs = Math.min(run.timeoutMs, scriptLimits.wallMs)
      const work = new AbortController()
      const end = (result: PoolResult): void => {
        runner.going = undefined
        run.signal?.removeEventListener('abort', going.expire)
        going.whenDone = () => {
          clearTimeout(timer)
          release()
        }
        if (going.open === 0) going.whenDone()
        if (all.has(runner)) rest(runner)
        resolve(result)
      }
      const going: Going = {
        id: ++ids,
        deadline: performance.now() + startMs,
        begin() {
          clearTimeout(timer)
          timer = setTimeout(going.expire, wallMs)
          going.deadline = performance.now() + wallMs
          const { source, input } = run
          runner.child.send({ kind: 'run', id: going.id, source, input } satisfies ScriptRequest)
        },
        answer: (method, args) => run.answer(method, args, work.signal),
        end,
        expire: () => {
          const message = runner.isReady
            ? 'The script took too long.'
            : 'The script could not begin: its process did not start in time. Try again when the machine is less busy.'
          work.abort(new Error(message))
          if (runner.going !== going) return
          kill(runner)
          end({ outcome: { reason: 'wall', message }, logs: [] })
        },
        open: 0,
        whenDone: undefined,
      }
      let timer = setTimeout(going.expire, startMs)
      run.signal?.addEventListener('abort', going.expire, { once: true })
      runner.going = going
      if (runner.isReady) going.begin()
    })

  const rest = (runner: Runner): void => {
    free.push(runner)
    runner.idle = setTimeout(() => {
      free.splice(free.indexOf(runner), 1)
      kill(runner)
    }, idleMs).unref()
  }

  return {
    async run(run) {
      const release = await places.take(run.depth, run.signal)
      if (release === undefined || run.signal?.aborted === true) {
        release?.()
        return { outcome: { reason: 'wall', message: 'The script that waits for this one has ended.' }, logs: [] }
      }
      return runIn(free.pop() ?? start(), run, release)
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
