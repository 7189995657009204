// Databases that are not as they were left: damaged, cut, emptied, exchanged, without their log. No start opens one of them,
// and each refusal names a backup that can be put back.
import { cpSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import BetterSqlite3 from 'better-sqlite3'
import { startHost } from '#main/index.ts'
import { copyFolder, makeLeftFolders } from '../left-folders.ts'
import type { LeftFolders } from '../left-folders.ts'
import { createRandom } from '../random.ts'
import { defineCheck } from '../registry.ts'
import type { CheckContext } from '../registry.ts'

const pageBytes = 4096

/** One way to damage a folder. */
interface Damage {
  readonly of: 'closed' | 'killed'
  readonly name: string
  readonly apply: (dir: string, random: () => number, folders: LeftFolders) => void
}

const change = (file: string, apply: (bytes: Buffer) => void): void => {
  const bytes = readFileSync(file)
  apply(bytes)
  writeFileSync(file, bytes)
}
const noise = (bytes: Buffer, from: number, to: number, random: () => number): void => {
  for (let at = from; at < to; at += 1) bytes[at] = Math.floor(random() * 256)
}
const db = (dir: string): string => join(dir, 'cairn.db')
const log = (dir: string): string => join(dir, 'cairn.db-wal')

/** A page that holds a tree: what lies inside of cells SQLite takes as it is, and after a kill nobody else knows better. */
function somePage(bytes: Buffer, random: () => number): number {
  for (;;) {
    const page = 1 + Math.floor(random() * (bytes.length / pageBytes - 1))
    if ([2, 5, 10, 13].includes(bytes[page * pageBytes]!)) return page * pageBytes
  }
}

function foreignDatabase(file: string): void {
  rmSync(file, { force: true })
  const other = new BetterSqlite3(file)
  other.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
  other.close()
}

function foreignLog(dir: string): void {
  const other = new BetterSqlite3(join(dir, 'other.db'))
  other.pragma('journal_mode = WAL')
  other.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
  cpSync(join(dir, 'other.db-wal'), log(dir))
  other.close()
}

const ofBoth: readonly Omit<Damage, 'of'>[] = [
  { name: 'header', apply: (dir, random) => change(db(dir), (bytes) => noise(bytes, 0, 100, random)) },
  {
    name: 'random page',
    apply: (dir, random) =>
      change(db(dir), (bytes) => {
        const at = somePage(bytes, random)
        noise(bytes, at, at + pageBytes, random)
      }),
  },
  {
    name: 'truncated',
    apply: (dir, random) => truncateSync(db(dir), Math.floor((0.1 + random() * 0.8) * readFileSync(db(dir)).length)),
  },
  { name: 'empty', apply: (dir) => truncateSync(db(dir)) },
  { name: 'missing', apply: (dir) => rmSync(db(dir)) },
  { name: 'wrong file', apply: (dir, random) => change(db(dir), (bytes) => noise(bytes, 0, bytes.length, random)) },
  { name: 'foreign database', apply: (dir) => foreignDatabase(db(dir)) },
  { name: 'foreign log', apply: (dir) => foreignLog(dir) },
]

const damages: readonly Damage[] = [
  ...ofBoth.map((damage) => ({ ...damage, of: 'closed' as const })),
  ...ofBoth.map((damage) => ({ ...damage, of: 'killed' as const })),
  {
    of: 'closed',
    name: 'random bytes',
    apply: (dir, random) =>
      change(db(dir), (bytes) => {
        const at = Math.floor(random() * (bytes.length - 16))
        noise(bytes, at, at + 16, random)
      }),
  },
  { of: 'killed', name: 'missing log', apply: (dir) => rmSync(log(dir)) },
  {
    of: 'killed',
    name: 'cut log',
    apply: (dir, random) => truncateSync(log(dir), Math.floor(random() * (readFileSync(log(dir)).length - 1))),
  },
  {
    of: 'killed',
    name: 'random bytes in the log',
    apply: (dir, random) =>
      change(log(dir), (bytes) => {
        const at = Math.floor(random() * (bytes.length / 2))
        noise(bytes, at, at + 16, random)
      }),
  },
]

/** Damages folders and starts hosts on them; counts what was opened, changed, or refused without the way back. */
async function unsafeStarts(context: CheckContext, careless: boolean): Promise<number> {
  const random = createRandom(context.seed)
  const list = careless ? damages.filter(({ name }) => name.includes('log')) : damages
  const cases = careless || context.size === 'commit' ? list.length : 200
  const folders = await makeLeftFolders(25)
  const expected = contentOf(db(folders.closed))
  let unsafe = 0
  try {
    for (let turn = 0; turn < cases; turn += 1) {
      const damage = list[turn % list.length]!
      const dir = copyFolder(folders[damage.of])
      try {
        damage.apply(dir, random, folders)
        if (careless) rmSync(join(dir, 'cairn.state'))
        const problem = await judge(dir, folders.backup, expected)
        if (problem !== null) context.log(`${damage.of}, ${damage.name}: ${problem}`)
        unsafe += problem === null ? 0 : 1
      } finally {
        rmSync(dir, { recursive: true, force: true })
      }
    }
    return unsafe
  } finally {
    folders.remove()
  }
}

/** All records; the database must be closed and sound. */
function contentOf(file: string): string {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  try {
    if (connection.pragma('integrity_check', { simple: true }) !== 'ok') return 'damaged'
    return JSON.stringify(connection.prepare('SELECT id, title, body FROM o_note ORDER BY id').all())
  } catch (error) {
    return String(error)
  } finally {
    connection.close()
  }
}

/** What was unsafe about a start; null when it was refused as it should be. */
async function judge(dir: string, backup: string, expected: string): Promise<string | null> {
  const files = [db(dir), log(dir)]
  const content = (file: string): Buffer => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0))
  const before = files.map(content)
  let words: string
  try {
    const host = await startHost({ dataDir: dir, port: 0 })
    await host.stop()
    // A page that is in the log as well comes back from there.
    return contentOf(db(dir)) === expected ? null : 'it was opened'
  } catch (error) {
    words = (error as Error).message
  }
  if (!words.includes(`npm run cairn -- restore ${backup}`)) return `no backup is named: ${words}`
  return files.every((file, at) => content(file).equals(before[at]!)) ? null : 'its files were changed'
}

defineCheck({
  id: 'R6',
  file: 'corrupt',
  unit: 'damaged, exchanged or missing databases and logs that were opened, changed or refused without a backup, of 20',
  target: 0,
  run: (context) => unsafeStarts(context, false),
  // Nothing tells how the database was left; what SQLite itself notices is all.
  twin: (context) => unsafeStarts(context, true),
})
