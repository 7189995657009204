// A machine of a hub as a person runs it: `cairn serve --hub` on a data folder of its own, started again when it ends. Knows
// the command line and what it prints, nothing inside.
import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ApiCall } from './api-call.ts'
import { connectToDataDir } from './api-call.ts'
import { cairnEntry } from './host-bundle.ts'

const run = promisify(execFile)

/** How a command ended. */
export interface CommandEnd {
  readonly code: number
  readonly output: string
  readonly error: string
}

/** Runs a command of the program to its end. */
export async function runCairn(args: readonly string[]): Promise<CommandEnd> {
  try {
    const { stdout, stderr } = await run(process.execPath, [cairnEntry, ...args])
    return { code: 0, output: stdout, error: stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, output: stdout, error: stderr }
  }
}

const followsWords = 'This node follows'

/** One machine. */
export class HubMachine {
  readonly name: string
  readonly dataDir: string
  readonly port: number
  /** Calls the host while this machine leads. */
  call: ApiCall | null = null
  /** Everything it printed since it was started last. */
  output = ''
  errors = ''
  #child!: ChildProcess
  #exit!: Promise<number | null>
  #isStopped = false
  readonly #args: readonly string[]

  constructor(options: { folder: string; name: string; port: number; args: readonly string[] }) {
    this.name = options.name
    this.dataDir = join(options.folder, options.name)
    this.port = options.port
    this.#args = options.args
  }

  start(): void {
    this.output = ''
    const words = ['serve', '--data', this.dataDir, '--port', String(this.port), ...this.#args]
    const child = spawn(process.execPath, [cairnEntry, ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
      const leads = this.output.lastIndexOf('Cairn is running at') > this.output.lastIndexOf(followsWords)
      this.call = leads ? (this.call ?? connectToDataDir(this.dataDir)) : null
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors = (this.errors + text).slice(-8_000)))
    this.#exit = new Promise((resolve) => {
      child.on('exit', (code) => {
        this.call = null
        resolve(code)
        // As whatever starts programs on a machine does it.
        if (!this.#isStopped) this.start()
      })
    })
    this.#child = child
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The connection token while it leads. */
  token(): string {
    return (JSON.parse(readFileSync(join(this.dataDir, 'connection.json'), 'utf8')) as { token: string }).token
  }

  /** Waits until it is a process that follows, or has followed. */
  async follows(): Promise<void> {
    while (!this.output.includes(followsWords)) await pause(20)
  }

  /** Lets it stand still; it is not taken for the leader any more. */
  pause(): void {
    this.#child.kill('SIGSTOP')
    this.call = null
  }

  resume(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    const exit = this.#exit
    this.#child.kill('SIGKILL')
    await exit
  }

  /** Waits until it ends by itself; it is not started again. @returns the exit code */
  async ended(): Promise<number | null> {
    this.#isStopped = true
    return this.#exit
  }

  /** Ends it for good. @returns the exit code */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#isStopped = true
    this.#child.kill(signal)
    return this.#exit
  }
}

/** The machine that leads, as soon as one does. */
export async function leaderOf(machines: readonly HubMachine[]): Promise<HubMachine & { call: ApiCall }> {
  for (;;) {
    const leader = machines.find((one) => one.call !== null)
    if (leader !== undefined) return leader as HubMachine & { call: ApiCall }
    await pause(20)
  }
}
