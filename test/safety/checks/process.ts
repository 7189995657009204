// Processes: one owner per database, a lock that dies with it, and queries that are stopped at their limit.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { openTestDatabase } from '../../support/open-test-database.ts'
import { statement } from '#main/kernel/database.ts'
import { cairnEntry, childEntry } from '../child-server.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

interface Holder {
  readonly child: ChildProcess
  readonly said: string
}

/** Starts a process that wants the folder and waits for what it says: `held` or `in use`. */
function startHolder(dir: string, careless: boolean): Promise<Holder> {
  const child = spawn(process.execPath, [childEntry('hold'), dir, ...(careless ? ['--careless'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return new Promise((resolve) => {
    let said = ''
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (said.includes('\n')) resolve({ child, said: said.trim() })
    })
    child.once('exit', () => resolve({ child, said: said.trim() }))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await gone
}

/** Two processes want one folder at once; the winner is killed; a third must get it at once. */
async function fightForFolder(context: CheckContext, careless: boolean): Promise<number> {
  const random = createRandom(context.seed)
  const dir = mkdtempSync(join(tmpdir(), 'cairn-lock-'))
  const tries = careless ? 5 : { commit: 3, nightly: 8, release: 50 }[context.size]
  let violations = 0
  try {
    for (let turn = 0; turn < tries; turn += 1) {
      const first = startHolder(dir, careless)
      if (random() < 0.5) await pause(random() * 120)
      const pair = await Promise.all([first, startHolder(dir, careless)])
      const holders = pair.filter((holder) => holder.said === 'held')
      if (holders.length !== 1) violations += 1
      const wrong = pair.filter((holder) => holder.said !== 'held' && holder.said !== 'in use')
      if (wrong.length > 0) context.log(`unexpected: ${wrong.map((holder) => holder.said).join()}`)
      violations += wrong.length
      for (const holder of holders) await end(holder.child)
      const next = await startHolder(dir, careless)
      if (next.said !== 'held') violations += 1
      await Promise.all([...pair, next].map((holder) => end(holder.child)))
    }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  context.log(`${tries} tries, ${violations} violations`)
  return violations
}

defineCheck({
  id: 'R14',
  file: 'process',
  unit: 'double opens of one database and locks left by a killed owner',
  target: 0,
  run: (context) => fightForFolder(context, false),
  twin: (context) => fightForFolder(context, true),
})

const limitMs = 5000
const runaway = 'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) AS n FROM r'
const crossJoin = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
  SELECT count(*) AS n FROM n a, n b, n c WHERE (a.i * b.i + c.i) % 7 = 8`

/** Runs two runaway queries beside ordinary reads and writes; answers when the later one was stopped. */
async function stopRunaway(context: CheckContext): Promise<number> {
  const { database, close } = await openTestDatabase([])
  try {
    await database.write('schema', (tx) => tx.ddl('CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)'))
    await database.heavy.query(statement('SELECT 1'), { timeoutMs: limitMs })
    const began = performance.now()
    let running = true
    const others: number[] = []
    const work = (async () => {
      for (let id = 1; running; id += 1) {
        const asked = performance.now()
        await database.write('beside', (tx) => tx.run(statement('INSERT INTO t VALUES (?, ?)', [id, 'x'])))
        database.read.get(statement('SELECT * FROM t WHERE id = ?', [id]))
        others.push(performance.now() - asked)
        await pause(5)
      }
    })()
    const outcomes = await Promise.all(
      [runaway, crossJoin].map((sql) =>
        database.heavy.query(statement(sql), { timeoutMs: limitMs }).then(
          () => 'finished',
          (error: { code?: string }) => error.code ?? String(error),
        ),
      ),
    )
    const tookMs = Math.round(performance.now() - began)
    running = false
    await work
    const p99 = others.toSorted((a, b) => a - b)[Math.floor(others.length * 0.99)] ?? Number.NaN
    const integrity = database.read.get<{ integrity_check: string }>(statement('PRAGMA integrity_check'))
    context.log(
      `stopped after ${tookMs} ms (${outcomes.join()}), ${others.length} others with p99 ${p99.toFixed(1)} ms`,
    )
    const undisturbed =
      outcomes.every((outcome) => outcome === 'timeout') && p99 < 250 && integrity?.integrity_check === 'ok'
    return undisturbed ? tookMs : Number.NaN
  } finally {
    await close()
  }
}

/** The same with a thread in place of a process: it ends when the query does, not when it is told to. */
async function stopThread(context: CheckContext): Promise<number> {
  const limited = (rows: number): string =>
    `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT ${rows}) SELECT count(*) FROM r`
  const program = (rows: number): string =>
    `const Database = require('better-sqlite3'); new Database(':memory:').prepare(${JSON.stringify(limited(rows))}).get()`
  const runThread = async (rows: number, stopAfterMs: number): Promise<number> => {
    const began = performance.now()
    const worker = new Worker(program(rows), { eval: true })
    const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const timer = setTimeout(() => void worker.terminate(), stopAfterMs)
    await gone
    clearTimeout(timer)
    return performance.now() - began
  }
  const probe = 10_000_000
  const perRow = (await runThread(probe, 60_000)) / probe
  const tookMs = Math.round(await runThread(Math.round((limitMs * 3) / perRow), limitMs))
  context.log(`a thread told to stop after ${limitMs} ms ended after ${tookMs} ms`)
  return tookMs
}

defineCheck({
  id: 'R21',
  file: 'process',
  unit: 'ms until a runaway query with a limit of 5,000 ms is stopped; others stay below 250 ms (99th percentile)',
  target: { atMost: 5200 },
  run: stopRunaway,
  twin: stopThread,
})

/** The limit of a start; on a machine so busy that an undisturbed start takes long, three times that start. */
const startLimitMs = 3000
const startPatience = 3
const startGivenUpMs = 20_000

/** How a start of the program ended: what it said, and whether it ended or still ran when it had said it. */
interface Start {
  readonly child: ChildProcess
  readonly output: string
  readonly code: number | null | undefined
  readonly tookMs: number
}

/** Starts the program and waits until it runs, has ended, or is out of time. */
async function startProgram(entry: string, args: readonly string[]): Promise<Start> {
  const began = performance.now()
  const child = spawn(process.execPath, [entry, 'serve', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const said = new Promise<undefined>((resolve) => {
    const listen = (chunk: Buffer): void => {
      output += chunk.toString()
      if (output.includes('Cairn is running at')) resolve(undefined)
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const late = pause(startGivenUpMs, undefined, { ref: false })
  const code = await Promise.race([said, ended, late])
  return { child, output, code, tookMs: performance.now() - began }
}

/** A program of somebody else that takes a port, accepts, never answers, and keeps what it is sent. */
async function squat(): Promise<{ port: number; heard(): number; close(): void }> {
  let bytes = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('data', (chunk) => (bytes += chunk.length))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    heard: () => bytes,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Starts against a taken port, a running host, and a file of a host that was killed; answers how many went wrong. */
async function badStarts(context: CheckContext, entry: string, starts: number): Promise<number> {
  const plain = mkdtempSync(join(tmpdir(), 'cairn-plain-'))
  const undisturbed = await startProgram(cairnEntry, ['--data', plain, '--port', '0'])
  await end(undisturbed.child)
  rmSync(plain, { recursive: true, force: true })
  const limitOfRunMs = Math.max(startLimitMs, undisturbed.tookMs * startPatience)
  context.log(`an undisturbed start took ${Math.round(undisturbed.tookMs)} ms`)
  let bad = 0
  const judge = (what: string, start: Start, good: boolean): void => {
    if (good && start.tookMs < limitOfRunMs) return
    bad += 1
    context.log(`${what}: ${Math.round(start.tookMs)} ms, exit ${String(start.code)}: ${start.output.trim()}`)
  }
  for (let turn = 0; turn < starts; turn += 1) {
    const dir = mkdtempSync(join(tmpdir(), 'cairn-start-'))
    const squatter = await squat()
    const running: ChildProcess[] = []
    const run = async (...args: string[]): Promise<Start> => {
      const start = await startProgram(entry, ['--data', dir, ...args])
      running.push(start.child)
      return start
    }
    try {
      if (turn % 3 === 0) {
        const start = await run('--port', String(squatter.port))
        judge('explicit port', start, start.code === 2 && start.output.includes(String(squatter.port)))
      } else if (turn % 3 === 1) {
        writeFileSync(join(dir, 'config.json'), JSON.stringify({ host: { port: squatter.port } }))
        const stale = { url: `http://127.0.0.1:${squatter.port}`, token: 'stale', pid: 1, version: '0', startedAt: '' }
        writeFileSync(join(dir, 'connection.json'), JSON.stringify(stale))
        const start = await run()
        const elsewhere = start.output.includes('running at') && !start.output.includes(`:${squatter.port}/`)
        judge('default port', start, elsewhere && squatter.heard() === 0)
      } else {
        const first = await run('--port', '0')
        const second = await run('--port', '0')
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(first.output)?.[0] ?? 'no address'
        judge('second start', second, second.code === 0 && second.output.includes(url))
      }
    } finally {
      await Promise.all(running.map(end))
      squatter.close()
      rmSync(dir, { recursive: true, force: true })
    }
  }
  context.log(`${starts} starts, ${bad} bad`)
  return bad
}

defineCheck({
  id: 'R13',
  file: 'process',
  unit: 'starts that hang, are slow, fail without a word or talk to a stranger when the port or the folder is taken',
  target: 0,
  run: (context) => badStarts(context, cairnEntry, { commit: 3, nightly: 5, release: 20 }[context.size]),
  twin: (context) => badStarts(context, childEntry('hanging-start'), 1),
})
