// Schema changes of large tables: everybody else goes on as if nothing happened.
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { cairnEntry, childEntry, startChildServer } from '../child-server.ts'
import type { ChildServer } from '../child-server.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

/** Milliseconds between two requests of the others; each is measured from the moment it was due. */
const everyMs = 10
const records = 200
const quietMs = 3_000
/** One request in so many writes: people look far more often than they save. */
const writeEvery = 10

/** The fields of the large object at the start. */
const base = {
  code: { type: 'text' },
  amount: { type: 'text' },
  level: { type: 'number' },
  ready: { type: 'text' },
  due: { type: 'text' },
}

type Fields = Record<string, Record<string, unknown>>

/** The changes, one after the other, with the time each may take by the design for a million rows. */
const changes: readonly { readonly name: string; readonly wantedMs: number; readonly fields: Fields }[] = [
  { name: 'add column', wantedMs: 100, fields: { ...base, extra: { type: 'number', defaultValue: 1 } } },
  {
    name: 'index',
    wantedMs: 2_000,
    fields: { ...base, level: { type: 'number', index: true }, extra: { type: 'number' } },
  },
  { name: 'drop column', wantedMs: 3_000, fields: { ...base, level: { type: 'number', index: true } } },
  {
    name: 'rebuild',
    wantedMs: 10_000,
    fields: {
      ...base,
      amount: { type: 'number' },
      level: { type: 'text', index: true },
    },
  },
]

/** Milliseconds every request of somebody else took, by what it asked for. */
interface Others {
  readonly records: number[]
  readonly lists: number[]
  readonly 'lists of the large object': number[]
  readonly writes: number[]
  failed: number
}

/** Fills the large table behind the stopped server's back: through the door it would take minutes. */
function fillTable(dataDir: string, rows: number): void {
  const db = new Sqlite(join(dataDir, 'cairn.db'))
  try {
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO o_big (id, created_at, updated_at, code, amount, level, ready, due)
       SELECT printf('01900000-%04x-7000-8000-%012x', i / 65536, i), '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z',
         'code ' || i, iif(i % 10 = 0, 'none', i), (i * 7919) % 1000, iif(i % 2, 'yes', 'no'), '2026-02-' || (10 + i % 15)
       FROM n`,
    ).run(rows)
  } finally {
    db.close()
    // What was noted of the closed file holds no longer.
    rmSync(join(dataDir, 'cairn.state'))
  }
}

/** The longest time each kind of write held the event loop, from the server's own log: those over 50 ms. */
function slowWrites(dataDir: string): Map<string, number> {
  const slowest = new Map<string, number>()
  const folder = join(dataDir, 'logs')
  for (const file of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (!line.includes('held the event loop')) continue
      const { write, tookMs } = JSON.parse(line) as { write: string; tookMs: number }
      slowest.set(write, Math.max(tookMs, slowest.get(write) ?? 0))
    }
  }
  return slowest
}

/** What became of the amounts, seen from beside the stopped server. */
function countAmounts(dataDir: string): { numbers: number; kept: number } {
  const db = new Sqlite(join(dataDir, 'cairn.db'), { readonly: true })
  try {
    const numbers = db.prepare('SELECT count(amount) AS n FROM o_big').get() as { n: number }
    const kept = db.prepare('SELECT sum(records) AS n FROM data_schema_backup').get() as { n: number }
    return { numbers: numbers.n, kept: kept.n }
  } finally {
    db.close()
  }
}

async function call(server: ChildServer, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await server.call(method, `/api/v1${path}`, body)
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`)
  return answer.text
}

/** Reads and writes of others at a steady pace until told to stop: a late answer does not delay the next question. */
function startOthers(server: ChildServer, ids: readonly string[]): { stop(): Promise<Others> } {
  const others: Others = { records: [], lists: [], 'lists of the large object': [], writes: [], failed: 0 }
  const open = new Set<Promise<void>>()
  let running = true
  let asked = 0
  const one = async (due: number): Promise<void> => {
    const turn = asked % writeEvery === 0 ? 0 : 1 + (asked % 3)
    if (turn === 0) await call(server, 'POST', '/data/small', { title: `t${asked}` })
    else if (turn === 1) await call(server, 'GET', `/data/small/${ids[asked % ids.length]}`)
    else if (turn === 2) await call(server, 'GET', '/data/small?top=20&sort=title')
    else await call(server, 'GET', '/data/big?top=20')
    const kinds = ['writes', 'records', 'lists', 'lists of the large object'] as const
    others[kinds[turn]!].push(performance.now() - due)
  }
  const loop = (async () => {
    let due = performance.now()
    while (running) {
      asked += 1
      const work: Promise<void> = one(due).then(
        () => void open.delete(work),
        () => {
          others.failed += 1
          open.delete(work)
        },
      )
      open.add(work)
      due += everyMs
      await pause(Math.max(0, due - performance.now()))
    }
  })()
  return {
    async stop() {
      running = false
      await loop
      await Promise.all(open)
      return others
    },
  }
}

function percentile(list: readonly number[], part: number): number {
  const sorted = list.toSorted((a, b) => a - b)
  return Math.ceil(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN)
}

function p99({ records, lists, writes, ...more }: Others): number {
  return percentile([...records, ...lists, ...writes, ...more['lists of the large object']], 0.99)
}

/** Changes a large table in every way while others read and write; answers by how many milliseconds their 99th percentile grew. */
async function changeBesideOthers(context: CheckContext, entry: string): Promise<number> {
  // Few rows are changed so soon that a hundredth of what others ask is two requests: one wait would be the whole figure.
  const rows = { commit: 50_000, nightly: 200_000, release: 1_000_000 }[context.size]
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-schema-'))
  let server: ChildServer | undefined
  let others: ReturnType<typeof startOthers> | undefined
  try {
    server = await startChildServer({ dataDir, entry: cairnEntry })
    await call(server, 'PUT', '/meta/object/small', { name: 'small', fields: { title: { type: 'text' } } })
    await call(server, 'PUT', '/meta/object/big', { name: 'big', fields: base, enable: { searchable: false } })
    const made = { records: Array.from({ length: records }, (_, i) => ({ title: `t${i}` })) }
    const created = JSON.parse(await call(server, 'POST', '/data/small/createMany', made)) as {
      records: { id: string }[]
    }
    await server.end('SIGTERM')
    fillTable(dataDir, rows)
    server = await startChildServer({ dataDir, entry })
    const ids = created.records.map(({ id }) => id)
    // What the machine makes everybody wait anyway is not the change's doing.
    others = startOthers(server, ids)
    await pause(quietMs)
    const quiet = p99(await others.stop())
    others = startOthers(server, ids)
    for (const { name, wantedMs, fields } of changes) {
      const began = performance.now()
      const item = { name: 'big', fields, enable: { searchable: false } }
      await call(server, 'PUT', '/meta/object/big?confirm=true', item)
      const tookMs = Math.round(performance.now() - began)
      context.log(`${name}: ${tookMs} ms of ${wantedMs} ms for a million rows`)
    }
    const waited = await others.stop()
    for (const [kind, list] of Object.entries(waited).filter(([kind]) => kind !== 'failed')) {
      const figures = [0.5, 0.99, 1].map((part) => percentile(list as number[], part)).join(' / ')
      context.log(`${(list as number[]).length} ${kind}: p50 / p99 / most ${figures} ms`)
    }
    await server.end('SIGTERM')
    server = undefined
    for (const [write, ms] of slowWrites(dataDir)) context.log(`slowest ${write}: ${ms} ms on the main thread`)
    // Speed counts for nothing when values or requests are missing: nine of ten amounts are numbers.
    const { kept, numbers } = countAmounts(dataDir)
    context.log(`${rows} rows, ${kept} old values kept, ${waited.failed} requests of others failed`)
    if (numbers !== rows - rows / 10) throw new Error(`${numbers} of ${rows} amounts arrived.`)
    if (waited.failed > 0) return Number.NaN
    context.log(`p99 ${p99(waited)} ms with the changes, ${quiet} ms without`)
    return p99(waited)
  } finally {
    const stopped = others?.stop()
    await server?.end('SIGKILL')
    await stopped
    rmSync(dataDir, { recursive: true, force: true })
  }
}

defineCheck({
  id: 'R11',
  file: 'schema',
  unit: 'ms in the 99th percentile of what others wait while a large table is changed',
  target: { atMost: 250 },
  tier: 'n',
  run: (context) => changeBesideOthers(context, cairnEntry),
  twin: (context) => changeBesideOthers(context, childEntry('schema-at-once')),
})
