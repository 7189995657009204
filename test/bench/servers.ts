// Starts and stops the two servers as separate processes, each on its own temporary data directory and a free port,
// and reads what they cost the machine. Knows their ready lines and nothing of their routes.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Which program: the host under test, the floor it is compared with, or the host with and without the plugin of sync. */
export type ServerKind = 'cairn' | 'floor' | 'plain' | 'unsynced'

/** A running server. */
export interface RunningServer {
  readonly kind: ServerKind
  readonly port: number
  readonly pid: number
  readonly dataDir: string
  /** Bearer token; empty for the floor. */
  readonly token: string
  /** When the process was started, by `performance.now()`. */
  readonly spawnedAt: number
  /** Ends the process and waits for it. @throws Error when it does not end within 15 s or ends with another code than 0 */
  stop(): Promise<void>
}

/** Makes an empty data directory below the system's temporary folder. */
export function makeDataDir(kind: ServerKind): string {
  return mkdtempSync(join(tmpdir(), `cairn-bench-${kind}-`))
}

/** Removes a data directory with everything in it. */
export function removeDataDir(dir: string): void {
  rmSync(dir, { recursive: true, force: true })
}

function argumentsFor(kind: ServerKind, dataDir: string): string[] {
  if (kind === 'cairn') return [join(root, 'dist/host/cli.js'), 'serve', '--data', dataDir, '--port', '0']
  if (kind === 'floor') return [join(root, 'test/bench/floor.ts'), '--data', dataDir]
  return [join(root, 'test/bench/plain.ts'), '--data', dataDir, ...(kind === 'plain' ? [] : ['--without', 'sync'])]
}

function waitForExit(child: ChildProcess, limitMs: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      resolve(child.exitCode)
      return
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not end within ${limitMs} ms`))
    }, limitMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      resolve(code)
    })
  })
}

/**
 * Starts a server and waits for its ready line.
 * @param profileDir where Node writes a CPU profile when the process ends
 * @throws Error with the end of its standard error when it ends first or is not ready within 60 s
 */
export async function startServer(kind: ServerKind, dataDir: string, profileDir?: string): Promise<RunningServer> {
  const nodeFlags = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  const spawnedAt = performance.now()
  const child = spawn(process.execPath, [...nodeFlags, ...argumentsFor(kind, dataDir)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  let output = ''
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-4_000)
  })
  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${kind} was not ready within 60 s: ${output}${errors}`))
    }, 60_000)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`${kind} ended with ${code} before it was ready: ${output}${errors}`))
    })
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      const ready = /is running at http:\/\/127\.0\.0\.1:(\d+)/.exec(output)
      if (!ready) return
      clearTimeout(timer)
      resolve(Number(ready[1]))
    })
  })
  child.removeAllListeners('exit')
  child.unref()
  return {
    kind,
    port,
    pid: child.pid!,
    dataDir,
    token: kind === 'floor' ? '' : readToken(dataDir),
    spawnedAt,
    stop: async () => {
      child.kill('SIGTERM')
      const code = await waitForExit(child, 15_000)
      if (code !== 0) throw new Error(`${kind} ended with ${code}: ${errors}`)
    },
  }
}

/** The connection token the host wrote at its start (D-29). */
function readToken(dataDir: string): string {
  const connection = JSON.parse(readFileSync(join(dataDir, 'connection.json'), 'utf8')) as { token: string }
  return connection.token
}

/** The unit of /proc/<pid>/stat on every Linux that Node runs on. */
const ticksPerSecond = 100

/** The process and all its descendants. */
function processTree(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8')
      parents.set(Number(entry), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      continue // ended while the list was read
    }
  }
  const tree = [pid]
  for (const member of tree) for (const [child, parent] of parents) if (parent === member) tree.push(child)
  return tree
}

/** The file of this name below /proc of a process and of each of its descendants that has not ended meanwhile. */
function treeTexts(pid: number, name: string): string[] {
  return processTree(pid).flatMap((member) => {
    try {
      return [readFileSync(`/proc/${member}/${name}`, 'utf8')]
    } catch (error) {
      if (member === pid) throw error
      return []
    }
  })
}

/** Processor time a server has taken so far, threads and living child processes included, in ms; NaN without /proc. */
export function processorMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  let ticks = 0
  for (const stat of treeTexts(pid, 'stat')) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return (ticks * 1_000) / ticksPerSecond
}

/** Resident memory of a server with its child processes in MiB; NaN where there is no /proc. */
export function residentMiB(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const kib = treeTexts(pid, 'status').map((status) => Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0))
  return kib.reduce((sum, one) => sum + one, 0) / 1_024
}
