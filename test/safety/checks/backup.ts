// Backups: changed bytes are found, copies made while writing goes on are whole, restored copies are equal, and no
// upgrade leaves a database between two states.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { createBackupFolder } from '#main/database/backup-folder.ts'
import { copyDatabase } from '#main/database/backup.ts'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import { createFileCheck, integrityProblems } from '#main/database/file-check.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { openWriter } from '#main/database/open.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { createIds } from '#main/kernel/ids.ts'
import { statement } from '#main/kernel/database.ts'
import { createEventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { childEntry, startChildServer } from '../child-server.ts'
import type { ChildServer } from '../child-server.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'
import { upgradeStates, upgradeSteps } from '../upgrade-steps.ts'

async function inFolder<T>(work: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'cairn-backup-check-'))
  try {
    return await work(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

const folderOf = (dataDir: string) =>
  createBackupFolder({
    dataDir,
    clock: systemClock,
    ids: createIds(systemClock),
    appVersion: 'test',
    check: (file) => Promise.resolve(createFileCheck(file)),
  })

/** Flips one bit at a time somewhere in a backup and asks `finds` whether it is noticed. */
async function missedFlips(
  context: CheckContext,
  finds: (folder: ReturnType<typeof folderOf>, id: string) => Promise<boolean>,
): Promise<number> {
  const random = createRandom(context.seed)
  return inFolder(async (dir) => {
    const writer = openWriter(join(dir, 'cairn.db'))
    writer.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX i ON t (name);
      WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 5000)
      INSERT INTO t SELECT i, hex(randomblob(20)) FROM r`)
    writeFileSync(join(dir, 'config.json'), JSON.stringify({ host: { port: 7420 }, note: 'x'.repeat(300) }))
    const folder = folderOf(dir)
    const { id } = await folder.create({ kind: 'manual', copy: (target) => copyDatabase(writer, target) })
    writer.close()
    const root = join(dir, 'backups', id)
    const files = readdirSync(root).toSorted()
    const flips = { commit: 200, nightly: 300, release: 2_000 }[context.size]
    let missed = 0
    for (let turn = 0; turn < flips; turn += 1) {
      // Most bytes are the database's; every fourth flip goes to one of the small files.
      const name = turn % 4 === 0 ? files[turn % files.length]! : 'cairn.db'
      const path = join(root, name)
      const whole = readFileSync(path)
      const changed = Buffer.from(whole)
      const at = Math.floor(random() * changed.length)
      changed[at]! ^= 1 << Math.floor(random() * 8)
      const manifest = readFileSync(join(root, 'manifest.json'))
      writeFileSync(path, changed)
      if (!(await finds(folder, id))) missed += 1
      writeFileSync(join(root, 'manifest.json'), manifest)
      writeFileSync(path, whole)
    }
    context.log(`${flips} flips, ${missed} missed`)
    return missed
  })
}

defineCheck({
  id: 'R7',
  file: 'backup',
  unit: 'flipped bits of a backup that its check does not find, of 200',
  target: 0,
  run: (context) => missedFlips(context, async (folder, id) => !(await folder.verify(id)).verified),
  twin: (context) =>
    missedFlips(context, (folder, id) => Promise.resolve(integrityProblems(folder.databaseFile(id)).length > 0)),
})

const noteObject = { name: 'note', fields: { title: { type: 'text', required: true }, request: { type: 'number' } } }

/** Every row of the object in order, as one hash, and how many there are. */
function dump(file: string): { hash: string; numbers: number[] } {
  const connection = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
  try {
    const table = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'o_note'").get()
    if (table === undefined) return { hash: 'no such table', numbers: [] }
    const rows = connection.prepare('SELECT * FROM o_note ORDER BY request, id').all() as { request: number }[]
    const hash = createHash('sha256').update(JSON.stringify(rows)).digest('hex')
    return { hash, numbers: rows.map((row) => Number(row.request)) }
  } finally {
    connection.close()
  }
}

/** Writes one row after the other; the numbers of acknowledged and of issued rows bound any moment in between. */
function startWriter(
  server: ChildServer,
  from: number,
): { acknowledged(): number; issued(): number; stop(): Promise<void> } {
  let acknowledged = from
  let issued = from
  let running = true
  const work = (async () => {
    while (running) {
      issued += 1
      await expectStatus(server, 201, 'POST', '/api/v1/data/note', { title: `row ${issued}`, request: issued })
      acknowledged = issued
    }
  })()
  // A refusal is thrown by stop(); until then nobody waits for the work.
  work.catch(() => undefined)
  return {
    acknowledged: () => acknowledged,
    issued: () => issued,
    stop: async () => {
      running = false
      await work
    },
  }
}

/** Whether a copy is the state of one moment between the two bounds: rows 1 to n, none missing. */
function isOneMoment(numbers: readonly number[], atLeast: number, atMost: number): boolean {
  const whole = numbers.every((number, index) => number === index + 1)
  return whole && numbers.length >= atLeast && numbers.length <= atMost
}

async function restoreFailures(
  context: CheckContext,
  copy: (server: ChildServer, dataDir: string) => Promise<string>,
  restore: boolean,
): Promise<number> {
  const rounds = { commit: 5, nightly: 8, release: 50 }[context.size]
  return inFolder(async (dataDir) => {
    let server = await startChildServer({ dataDir })
    try {
      await expectStatus(server, 200, 'PUT', '/api/v1/meta/object/note', noteObject)
      await expectStatus(server, 201, 'POST', '/api/v1/data/note/createMany', {
        records: Array.from({ length: 1000 }, (_, index) => ({ title: 'x'.repeat(200), request: index + 1 })),
      })
      let written = 1000
      let failures = 0
      for (let round = 0; round < rounds; round += 1) {
        const writer = startWriter(server, written)
        await pause(100)
        const atLeast = writer.acknowledged()
        const id = await copy(server, dataDir)
        const atMost = writer.issued()
        await writer.stop()
        written = writer.acknowledged()
        const taken = dump(join(dataDir, 'backups', id, 'cairn.db'))
        const moment = isOneMoment(taken.numbers, atLeast, atMost)
        context.log(
          `copy ${round + 1}: ${taken.numbers.length} rows, between ${atLeast} and ${atMost}: ${moment ? 'one moment' : 'torn'}`,
        )
        if (!moment) failures += 1
        if (!restore) continue
        server = await restoreOver(server, dataDir, id)
        const restored = dump(join(dataDir, 'cairn.db'))
        if (restored.hash !== taken.hash) failures += 1
        const list = await server.call('GET', '/api/v1/data/note?top=1&count=true')
        const { total } = JSON.parse(list.text) as { total?: number }
        if (list.status !== 200 || total !== taken.numbers.length) failures += 1
        written = taken.numbers.length
      }
      return failures
    } finally {
      await server.end('SIGKILL')
    }
  })
}

/** Restores by the API and waits for the host to come back with another token. */
async function restoreOver(server: ChildServer, dataDir: string, id: string): Promise<ChildServer> {
  await expectStatus(server, 202, 'POST', `/api/v1/backups/${id}/restore`, { confirm: id })
  return server.reconnect()
}

async function backUp(server: ChildServer): Promise<string> {
  return ((await expectStatus(server, 201, 'POST', '/api/v1/backups', {})) as { id: string }).id
}

async function expectStatus(
  server: ChildServer,
  status: number,
  method: string,
  path: string,
  body: unknown,
): Promise<unknown> {
  const answer = await server.call(method, path, body)
  if (answer.status === status) return JSON.parse(answer.text)
  throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${answer.text}`)
}

/** What a person does who copies the file by hand while the program runs. */
async function copyByHand(_server: ChildServer, dataDir: string): Promise<string> {
  const target = join(dataDir, 'backups', `by-hand-${Date.now()}`)
  mkdirSync(target, { recursive: true })
  copyFileSync(join(dataDir, 'cairn.db'), join(target, 'cairn.db'))
  await pause(50)
  return target.split('/').at(-1)!
}

defineCheck({
  id: 'R8',
  file: 'backup',
  unit: 'online backups that are not the state of one moment, or differ after a restore, of 5',
  target: 0,
  run: (context) => restoreFailures(context, backUp, true),
  twin: (context) => restoreFailures(context, copyByHand, false),
})

/** Writes until the log of the filling is folded into the file: doing it is no part of a copy. */
async function foldLog(database: HostDatabase): Promise<void> {
  const connection = new BetterSqlite3(database.file, { fileMustExist: true, readonly: true })
  const state = connection.prepare('PRAGMA wal_checkpoint(NOOP)').raw()
  const shortPages = 1_000
  const until = performance.now() + 30_000
  for (let pages = Infinity; pages > shortPages;) {
    if (performance.now() > until) throw new Error('The log of the filling is not folded.')
    await database.write('fold', (tx) => tx.run(statement('INSERT INTO t (body) VALUES (zeroblob(100))')))
    await pause(5)
    pages = (state.get() as [busy: number, pages: number, folded: number])[1]
  }
  connection.close()
}

/**
 * Copies a database of 100 MB while rows are written, and measures the longest step of the event loop in processor time
 * of its thread. Time on the clock says little on a shared machine: with nothing copied, the same loop was seen to stand
 * still for 50 to 270 ms under the load of other programs.
 */
async function longestStall(
  context: CheckContext,
  copy: (database: HostDatabase, target: string) => Promise<void>,
): Promise<number> {
  return inFolder(async (dir) => {
    const log = createLogger()
    const file = join(dir, 'cairn.db')
    const database = await createDatabase({
      file,
      bus: createEventBus({ clock: systemClock, log }),
      clock: systemClock,
      log,
      ports: { spawn: forkSpawner },
    })
    await database.write('fill', (tx) =>
      tx.ddl(`CREATE TABLE t (id INTEGER PRIMARY KEY, body BLOB);
        WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 25000) INSERT INTO t SELECT i, randomblob(4000) FROM r`),
    )
    await foldLog(database)
    // The process that copies is there: to start one costs by the size of the starter, and a runner of tests is no host.
    await copy(database, join(dir, 'first.db'))
    const stalls: number[] = []
    let watching = true
    const spentMs = (): number => {
      const { user, system } = process.threadCpuUsage()
      return (user + system) / 1000
    }
    let last = spentMs()
    const watch = (): void => {
      const now = spentMs()
      stalls.push(now - last)
      last = now
      if (watching) setImmediate(watch)
    }
    setImmediate(watch)
    let written = 0
    const writing = (async () => {
      while (watching) {
        await database.write('beside', (tx) => tx.run(statement('INSERT INTO t (body) VALUES (zeroblob(100))')))
        written += 1
        await pause(2)
      }
    })()
    const began = performance.now()
    await copy(database, join(dir, 'copy.db'))
    const tookMs = performance.now() - began
    watching = false
    await writing
    await database.close()
    const sizeMb = Math.round(statSync(join(dir, 'copy.db')).size / 1e6)
    const longest = stalls.toSorted((a, b) => b - a).slice(0, 5)
    context.log(
      `${sizeMb} MB in ${Math.round(tookMs)} ms beside ${written} writes, longest stalls ${longest.map((ms) => ms.toFixed(1)).join(', ')} ms`,
    )
    return Math.round(longest[0]!)
  })
}

defineCheck({
  id: 'R8b',
  file: 'backup',
  unit: 'ms of processor time the event loop is held by its longest step while a database of 100 MB is copied',
  target: { atMost: 50 },
  run: (context) => longestStall(context, (database, target) => database.backupTo(target)),
  // The copy in the host itself, as it would be without a process of its own.
  twin: (context) =>
    longestStall(context, (database, target) => {
      const connection = openWriter(database.file)
      connection.exec(`VACUUM INTO '${target}'`)
      connection.close()
      return Promise.resolve()
    }),
})

function describeState(file: string): string {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  try {
    if (connection.pragma('integrity_check', { simple: true }) !== 'ok') return 'damaged'
    const one = (sql: string): unknown => connection.prepare(sql).pluck().get()
    const tables = connection
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('t', 'u') ORDER BY name")
      .pluck()
      .all()
    const columns = (connection.pragma('table_info(t)') as unknown[]).length
    const parts = [
      `steps ${String(one('SELECT count(*) FROM _migration'))}`,
      `tables ${tables.join()}`,
      `columns ${columns}`,
      `rows ${String(one('SELECT count(*) FROM t'))}`,
    ]
    if (tables.includes('u')) {
      parts.push(`other ${String(one('SELECT count(*) FROM u'))}`)
      parts.push(`indexes ${String(one("SELECT count(*) FROM sqlite_schema WHERE name LIKE 'i\\_c%' ESCAPE '\\'"))}`)
    }
    return parts.join('; ')
  } finally {
    connection.close()
  }
}

/** Kills an upgrade at a random moment; the file must be whole in its old or its new state, with a backup of the old. */
async function killedUpgrades(context: CheckContext, careless: boolean): Promise<number> {
  const random = createRandom(context.seed)
  const kills = { commit: 20, nightly: 25, release: 200 }[context.size]
  const states: Record<string, number> = {}
  let violations = 0
  let spanMs = 400
  for (let turn = 0; turn < kills; turn += 1) {
    violations += await inFolder(async (dir) => {
      const file = join(dir, 'cairn.db')
      await migrateDatabase({
        file,
        plugins: [{ id: 'p', migrations: upgradeSteps.slice(0, 1) }],
        backup: () => Promise.reject(new Error('a new database needs no backup')),
        clock: systemClock,
        log: createLogger(),
      })
      const spentMs = await killUpgrade(dir, careless, turn === 0 ? Number.POSITIVE_INFINITY : random() * spanMs)
      if (turn === 0) spanMs = spentMs
      const state = describeState(file)
      states[state] = (states[state] ?? 0) + 1
      if (state !== upgradeStates.old && state !== upgradeStates.new) return 1
      if (careless || state === upgradeStates.old) return 0
      const [backup] = folderOf(dir).list()
      if (backup === undefined || !(await folderOf(dir).verify(backup.id)).verified) return 1
      return describeState(join(dir, 'backups', backup.id, 'cairn.db')) === upgradeStates.old ? 0 : 1
    })
  }
  for (const [state, count] of Object.entries(states)) context.log(`${count} x ${state}`)
  return violations
}

/** Starts the upgrade in a process and kills it; answers how long it ran after it had begun. */
async function killUpgrade(dir: string, careless: boolean, afterMs: number): Promise<number> {
  const child = spawn(
    process.execPath,
    [childEntry('migrate'), dir, String(upgradeSteps.length), ...(careless ? ['--careless'] : [])],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise((resolve) => child.stdout.once('data', resolve))
  const began = performance.now()
  if (Number.isFinite(afterMs)) {
    await Promise.race([pause(afterMs), gone])
    child.kill('SIGKILL')
  }
  await gone
  return performance.now() - began
}

defineCheck({
  id: 'R9a',
  file: 'backup',
  unit: 'upgrades killed at a random moment that left neither the old nor the new state, or no verified backup, of 20',
  target: 0,
  run: (context) => killedUpgrades(context, false),
  twin: (context) => killedUpgrades(context, true),
})
