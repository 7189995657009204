// Processes: one owner per database, a lock that dies with it, and queries that are stopped at their limit.
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { openTestDatabase } from '../../support/open-test-database.ts'
import { statement } from '#main/kernel/database.ts'
import { childEntry } from '../child-server.ts'
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
  const tries = careless ? 5 : 50
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
