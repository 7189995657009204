// Runs one script in an engine instance of its own: nothing of Node is reachable, only the functions given here.
// The only file that imports the script engine.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { newQuickJSWASMModule, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten'
import { scriptLimits, scriptMethods } from '#main/kernel/script-messages.ts'
import type { ScriptFailure, ScriptMethod } from '#main/kernel/script-messages.ts'

/** What a run gave back. */
export interface ScriptRun {
  readonly outcome: { readonly value: string } | ScriptFailure
  readonly logs: readonly string[]
}

/** Asks the host; resolves to the value as JSON, rejects with the message the script sees. */
export type HostCall = (method: ScriptMethod, args: string) => Promise<string>

const outOfMemory: ScriptFailure = { reason: 'memory', message: 'The script needs more than 32 MB of memory.' }

/** Jobs of the engine run between two looks at the clock. */
const jobsPerTurn = 500

/** Pages of the engine's memory (64 kB): what it begins with, and at most so many more as a script may take. */
const enginePages = 256
const maxPages = enginePages + scriptLimits.memoryBytes / 65_536

/** The types of Node describe no WebAssembly, which it has. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    compile(bytes: Uint8Array): Promise<object>
    Memory: new (pages: { initial: number; maximum: number }) => object
  }
}

let compiled: Promise<object> | undefined

/** Compiles the engine, once; every run makes an instance of it. */
export function engineModule(): Promise<object> {
  compiled ??= (async () => {
    const require = createRequire(import.meta.resolve('quickjs-emscripten'))
    return WebAssembly.compile(readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')))
  })()
  return compiled
}

/**
 * Runs the body of an async function with `input`, `records`, `log` and `fail` in reach.
 * @param input JSON text
 * @source D-99
 */
export async function runScript(source: string, input: string, call: HostCall): Promise<ScriptRun> {
  // The engine's own limit of memory sees single allocations only, not their sum: the memory itself has an end.
  const wasmMemory = new WebAssembly.Memory({ initial: enginePages, maximum: maxPages })
  const engine = await newQuickJSWASMModule(newVariant(RELEASE_SYNC, { wasmModule: await engineModule(), wasmMemory }))
  const runtime = engine.newRuntime()
  runtime.setMemoryLimit(scriptLimits.memoryBytes)
  runtime.setMaxStackSize(scriptLimits.stackBytes)
  const clock = createCpuClock()
  // The instance is dropped as a whole, handles and all: it serves this run only.
  return new Run(runtime, clock, call).run(source, input)
}

class Run {
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  readonly #clock: CpuClock
  readonly #call: HostCall
  readonly #logs: string[] = []
  #outputBytes = 0
  #result: string | undefined
  #overOutput = false
  /** Why the script may call the host no more; undefined while it may. */
  #overCalls: string | undefined
  #calls = 0
  #open = 0
  #openBytes = 0

  constructor(runtime: QuickJSRuntime, clock: CpuClock, call: HostCall) {
    this.#runtime = runtime
    this.#context = runtime.newContext()
    this.#clock = clock
    this.#call = call
    runtime.setInterruptHandler(() => clock.isSpent() || this.#isOver())
  }

  async run(source: string, input: string): Promise<ScriptRun> {
    const context = this.#context
    let wake = (): void => undefined
    const answers: { call: number; ok: boolean; text: string }[] = []
    const ask = context.newFunction('ask', (method, args) => {
      const number = ++this.#calls
      const text = context.getString(args)
      const bytes = Buffer.byteLength(text)
      if (!this.#admit(bytes)) return context.newNumber(0)
      void this.#call(context.getString(method) as ScriptMethod, text)
        .then((text) => answers.push({ call: number, ok: true, text }))
        .catch((error: unknown) => {
          answers.push({ call: number, ok: false, text: error instanceof Error ? error.message : String(error) })
        })
        .finally(() => {
          this.#openBytes -= bytes
          wake()
        })
      return context.newNumber(number)
    })
    const log = context.newFunction('log', (text) => {
      const line = context.getString(text)
      if (this.#spend(line)) this.#logs.push(line)
    })
    const done = context.newFunction('done', (text) => {
      const result = context.getString(text)
      if (this.#spend(result)) this.#result = result
    })

    const prelude = this.#timed(() => context.evalCode(preludeSource, 'cairn.js'))
    if (prelude === null || prelude.error) return this.#ended(this.#failureOf(prelude?.error))
    const start = prelude.value
    const texts = [source, input, scriptMethods.join(' ')].map((text) => context.newString(text))
    const begun = this.#timed(() => context.callFunction(start, context.undefined, ask, log, done, ...texts))
    if (begun === null || begun.error) return this.#ended(this.#failureOf(begun?.error))
    const settle = begun.value

    for (;;) {
      const failure = this.#runJobs()
      if (failure !== null) return this.#ended(failure)
      if (this.#isOver()) return this.#ended(this.#failureOf(undefined))
      if (this.#result !== undefined) return this.#ended(readResult(this.#result))
      if (answers.length === 0) {
        if (this.#open === 0) return this.#ended({ reason: 'unfinished', message: 'The script waits for nothing.' })
        await new Promise<void>((resolve) => (wake = resolve))
      }
      for (const answer of answers.splice(0)) {
        this.#open -= 1
        const parts = [
          context.newNumber(answer.call),
          answer.ok ? context.true : context.false,
          context.newString(answer.text),
        ]
        const settled = this.#timed(() => context.callFunction(settle, context.undefined, ...parts))
        if (settled === null || settled.error) return this.#ended(this.#failureOf(settled?.error))
      }
    }
  }

  #runJobs(): ScriptFailure | null {
    while (this.#result === undefined && this.#runtime.hasPendingJob()) {
      const ran = this.#timed(() => this.#runtime.executePendingJobs(jobsPerTurn))
      if (ran === null || ran.error) return this.#failureOf(ran?.error)
      if (this.#clock.isSpent()) return this.#failureOf(undefined)
    }
    return null
  }

  /** Runs the engine under the clock; null when it broke beyond an error of its own. */
  #timed<T>(fn: () => T): T | null {
    this.#clock.start()
    try {
      return fn()
    } catch {
      // The engine's own stack or memory gave way: the run is over, the instance is dropped.
      return null
    } finally {
      this.#clock.stop()
    }
  }

  #failureOf(error: QuickJSHandle | undefined): ScriptFailure {
    if (this.#overCalls !== undefined) return { reason: 'calls', message: this.#overCalls }
    if (this.#overOutput) return { reason: 'output', message: 'The script gave back too much.' }
    // What filled the memory is told as that, however long a busy machine took to fill it.
    const ended = this.#result === undefined ? undefined : readResult(this.#result)
    if (ended !== undefined && 'reason' in ended && ended.reason === 'memory') return ended
    const message = error === undefined ? undefined : this.#messageOf(error)
    if (message !== undefined && isOutOfMemory(message)) return outOfMemory
    if (this.#clock.isSpent()) return { reason: 'cpu', message: 'The script took more than 1 s of computing time.' }
    return message === undefined ? outOfMemory : { reason: 'error', message }
  }

  #messageOf(error: QuickJSHandle): string {
    const dumped: unknown = this.#timed(() => this.#context.dump(error))
    if (typeof dumped === 'object' && dumped !== null && 'message' in dumped) return String(dumped.message)
    return String(dumped)
  }

  /** Counts output; false when there is too much of it. */
  #spend(text: string): boolean {
    this.#outputBytes += Buffer.byteLength(text)
    if (this.#outputBytes > scriptLimits.outputBytes) this.#overOutput = true
    return !this.#overOutput
  }

  /** Counts a call; false when there are too many of them, which ends the run. */
  #admit(bytes: number): boolean {
    const { calls, waitingCalls, waitingBytes } = scriptLimits
    if (this.#calls > calls)
      this.#overCalls ??= `The script makes more than ${calls} calls; read and write less in one run.`
    else if (this.#open >= waitingCalls || this.#openBytes + bytes > waitingBytes)
      this.#overCalls ??= `More than ${waitingCalls} calls or 16 MB of them wait at once; await some before the next ones.`
    if (this.#overCalls !== undefined) return false
    this.#open += 1
    this.#openBytes += bytes
    return true
  }

  #isOver(): boolean {
    return this.#overOutput || this.#overCalls !== undefined
  }

  #ended(outcome: ScriptRun['outcome']): ScriptRun {
    return { outcome, logs: this.#logs }
  }
}

function readResult(text: string): ScriptRun['outcome'] {
  const result = JSON.parse(text) as { ok: boolean; value?: string; message?: string; field?: string; failed?: boolean }
  if (result.ok) return { value: result.value ?? 'null' }
  const message = result.message ?? 'The script failed.'
  if (result.failed === true) {
    return { reason: 'fail', message, ...(result.field === undefined ? {} : { field: result.field }) }
  }
  return isOutOfMemory(message) ? outOfMemory : { reason: 'error', message }
}

/** In the words of the engine. */
function isOutOfMemory(message: string): boolean {
  return /out of memory/i.test(message)
}

interface CpuClock {
  start(): void
  stop(): void
  /** True once the engine has computed longer than it may. */
  isSpent(): boolean
}

/** Counts the time the engine computes, not the time it waits for the host. */
function createCpuClock(): CpuClock {
  let spent = 0
  let since: number | null = null
  return {
    start: () => {
      since = performance.now()
    },
    stop: () => {
      if (since !== null) spent += performance.now() - since
      since = null
    },
    isSpent: () => spent + (since === null ? 0 : performance.now() - since) > scriptLimits.cpuMs,
  }
}

/**
 * Runs inside of the engine, before the script: builds the four names a script may use out of the three functions of
 * the host, and keeps what it needs of the language so that a script cannot change it.
 */
const preludeSource = `
((ask, log, done, source, input, methods) => {
  'use strict'
  const { parse, stringify } = JSON
  const { freeze, getPrototypeOf, values, fromEntries } = Object
  const waiting = new Map()
  const failures = new WeakMap()
  const take = Map.prototype.get.bind(waiting), put = Map.prototype.set.bind(waiting), drop = Map.prototype.delete.bind(waiting)
  const remember = WeakMap.prototype.set.bind(failures), failureOf = WeakMap.prototype.get.bind(failures)
  const NewPromise = Promise, NewError = Error, text = String
  const deepFreeze = (value) => {
    if (typeof value === 'object' && value !== null) values(freeze(value)).forEach(deepFreeze)
    return value
  }
  const request = (method) => (...args) => {
    let call
    const answer = new NewPromise((resolve, reject) => put(call = ask(method, stringify(args)), { resolve, reject }))
    // The engine looks only now and then whether it is to stop: a loop of refused calls ends here.
    if (call === 0) throw new NewError('The script makes too many calls.')
    return answer
  }
  const records = freeze(fromEntries(methods.split(' ').map((method) => [method, request(method)])))
  const show = (value) => (typeof value === 'string' ? value : stringify(value) ?? text(value))
  const say = (...args) => log(args.map(show).join(' '))
  const fail = (message, field) => {
    const error = new NewError(text(message))
    remember(error, { message: text(message), field: field === undefined || field === null ? undefined : text(field) })
    throw error
  }
  const AsyncFunction = getPrototypeOf(async () => undefined).constructor
  const main = new AsyncFunction('input', 'records', 'log', 'fail', '"use strict";\\n' + source)
  // Without a prototype there is no toJSON of the script's own that would say something else than this.
  const finish = (result) => done(stringify({ __proto__: null, ...result }))
  main(deepFreeze(parse(input)), records, say, fail).then(
    (value) => finish({ ok: true, value: stringify(value) ?? 'null' }),
  ).catch((error) => {
    const failed = typeof error === 'object' && error !== null ? failureOf(error) : undefined
    if (failed !== undefined) return finish({ ok: false, failed: true, ...failed })
    let message = 'The script failed.'
    try { message = text(error && error.message || error) } catch { /* a value that cannot be shown has no words */ }
    finish({ ok: false, message })
  })
  return (call, ok, answer) => {
    const found = take(call)
    if (found === undefined) return
    drop(call)
    if (ok) found.resolve(parse(answer))
    else found.reject(new NewError(answer))
  }
})
`
