// Starts a server as a process of its own, waits until it answers, and ends it kindly or not. Knows how a server says
// that it is ready, nothing of what it serves.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { bundledChildren, bundledEntry, cairnEntry } from '../support/host-bundle.ts'

export { cairnEntry } from '../support/host-bundle.ts'

/** Path of a program in children/; one with a guard taken out of its sources (CAIRN_TWIN) is never the bundle. */
export function childEntry(name: string): string {
  if (Object.hasOwn(bundledChildren, name)) return bundledEntry(name)
  return fileURLToPath(new URL(`children/${name}.ts`, import.meta.url))
}

/** A whole answer of the server. */
export interface ChildAnswer {
  readonly status: number
  readonly text: string
}

/** A server in a process of its own. */
export interface ChildServer {
  readonly process: ChildProcess
  /** Milliseconds from the start of the process until it said that it is ready. */
  readonly startMs: number
  readonly url: string
  readonly token: string
  /** @throws Error when the connection breaks before the whole answer is there */
  call(method: string, path: string, body?: unknown): Promise<ChildAnswer>
  /** Waits until a server that starts itself anew answers under its new address and token. */
  reconnect(): Promise<ChildServer>
  /** Sends a signal and resolves with the exit code, or null when a signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** How a server is started. */
export interface ChildServerOptions {
  readonly dataDir: string
  /** Default: the program itself. */
  readonly entry?: string
  /** Programs to put before node, for example a tracer. */
  readonly wrap?: readonly string[]
}

const startTimeoutMs = 120_000

/** Starts `entry serve --data DIR --port 0` and waits for the line `... is running at <url>`. */
export async function startChildServer(options: ChildServerOptions): Promise<ChildServer> {
  const began = performance.now()
  const command = [
    ...(options.wrap ?? []),
    process.execPath,
    options.entry ?? cairnEntry,
    'serve',
    '--data',
    options.dataDir,
    '--port',
    '0',
  ]
  const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  await ready(child, exited)
  const complaints = keepLast(child.stderr!)
  return connect({ child, exited, complaints }, options.dataDir, performance.now() - began)
}

interface Connection {
  readonly url: string
  readonly token: string
  readonly pid?: number
}

/** A process with what it said last on its error output. */
interface Watched {
  readonly child: ChildProcess
  readonly exited: Promise<number | null>
  readonly complaints: () => string
}

/** The last few thousand characters of a stream. */
function keepLast(stream: Readable): () => string {
  let text = ''
  stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-4_000)))
  return () => text
}

function connect(watched: Watched, dataDir: string, startMs: number): ChildServer {
  const { child, exited, complaints } = watched
  const { url, token, pid } = readConnection(dataDir)!
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  return {
    process: child,
    startMs,
    url,
    token,
    call: (method, path, body) => call(agent, new URL(path, url), method, token, body),
    async reconnect() {
      const began = performance.now()
      while (performance.now() - began < startTimeoutMs) {
        const fresh = readConnection(dataDir)
        if (fresh !== undefined && fresh.token !== token) {
          agent.destroy()
          return connect(watched, dataDir, performance.now() - began)
        }
        await pause(20)
      }
      throw new Error('the server did not come back')
    },
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`the server had ended by itself (${child.exitCode ?? child.signalCode}): ${complaints()}`)
      // Under a tracer the server is not our own child: its number is in the file.
      process.kill(pid ?? child.pid!, signal)
      const code = await exited
      agent.destroy()
      return code
    },
  }
}

function readConnection(dataDir: string): Connection | undefined {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as Connection
  } catch {
    // Not there yet: the server is between its end and its start.
    return undefined
  }
}

async function ready(child: ChildProcess, exited: Promise<number | null>): Promise<void> {
  let output = ''
  let errors = ''
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const line = new Promise<'ready'>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('is running at')) resolve('ready')
    })
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => (timer = setTimeout(() => resolve('late'), startTimeoutMs)))
  const outcome = await Promise.race([line, exited, late])
  clearTimeout(timer)
  if (outcome === 'ready') return
  child.kill('SIGKILL')
  throw new Error(`the server did not start (${String(outcome)}): ${output}${errors}`)
}

function call(agent: Agent, url: URL, method: string, token: string, body: unknown): Promise<ChildAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        agent,
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
        },
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        incoming.on('error', reject)
      },
    )
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
