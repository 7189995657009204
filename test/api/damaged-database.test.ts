// What a start finds when the database is not the one that was left: it says so, keeps it, and names the way back.
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import BetterSqlite3 from 'better-sqlite3'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { startHost } from '#main/index.ts'
import { runCommand } from '#main/commands.ts'
import { createTestHost } from '../support/create-test-host.ts'

/** Left as after a clean end, with one backup. */
let closed: string
/** Left as by kill -9: three records more, and those are in the log alone. */
let killed: string
let backup: string

beforeAll(async () => {
  const test = await createTestHost({ durable: true })
  await test.defineObject('note', { title: { type: 'text' } })
  await test.post('/data/note', { title: 'kept in the backup' })
  backup = (await test.post('/backups', {})).body.id
  await test.restart()
  for (const title of ['one', 'two', 'three']) await test.post('/data/note', { title })
  killed = copyOf(test.dataDir)
  await test.host.stop()
  closed = copyOf(test.dataDir)
  rmSync(test.dataDir, { recursive: true })
})

afterAll(() => {
  for (const dir of [closed, killed]) rmSync(dir, { recursive: true, force: true })
})

function copyOf(dataDir: string): string {
  const target = mkdtempSync(join(tmpdir(), 'cairn-damaged-'))
  cpSync(dataDir, target, {
    recursive: true,
    preserveTimestamps: true,
    filter: (name) => !name.endsWith('connection.json'),
  })
  return target
}

/** A copy of a folder that goes with the test, and the path of its database. */
function folder(of: string): { dir: string; file: string } {
  const dir = copyOf(of)
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { dir, file: join(dir, 'cairn.db') }
}

/** The words of a start that is refused; fails when it is not, or when it changes a byte. */
async function refusalOf(dir: string): Promise<string> {
  const files = ['cairn.db', 'cairn.db-wal'].map((name) => join(dir, name))
  const content = (file: string): Buffer => (existsSync(file) ? readFileSync(file) : Buffer.alloc(0))
  const before = files.map(content)
  const words = await startHost({ dataDir: dir, port: 0 }).then(
    async (host) => {
      await host.stop()
      return 'the host started'
    },
    (error: Error) => error.message,
  )
  expect(words).toContain('was not opened')
  expect(words).toContain(`npm run cairn -- restore ${backup}`)
  for (const [at, file] of files.entries()) {
    expect(content(file).equals(before[at]!), file).toBe(true)
  }
  return words
}

async function titlesOf(dir: string): Promise<string[]> {
  const test = await createTestHost({ dataDir: dir })
  const { body } = await test.get('/data/note?sort=title')
  await test.stop()
  return body.records.map((record: { title: string }) => record.title)
}

const all = ['kept in the backup', 'one', 'three', 'two']

describe('a start on a folder that was in use', () => {
  it('opens what was closed, what was killed, and a copy with other times', async () => {
    expect(await titlesOf(folder(closed).dir)).toEqual(all)
    expect(await titlesOf(folder(killed).dir)).toEqual(all)
    const copy = folder(closed)
    writeFileSync(copy.file, readFileSync(copy.file))
    expect(await titlesOf(copy.dir)).toEqual(all)
  })

  it('opens an earlier closed database that was put back by hand', async () => {
    const { dir, file } = folder(closed)
    const earlier = readFileSync(file)
    const host = await startHost({ dataDir: dir, port: 0 })
    await fetch(`${host.url}/api/v1/data/note`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'not in the earlier one' }),
    })
    await host.stop()
    writeFileSync(file, earlier)
    const again = await startHost({ dataDir: dir, port: 0 })
    const answer = await fetch(`${again.url}/api/v1/data/note?count=true`, {
      headers: { authorization: `Bearer ${again.token}` },
    })
    expect(((await answer.json()) as { total: number }).total).toBe(4)
    await again.stop()
  })

  it('opens a database whose log another SQLite program folded in after a kill', async () => {
    const { dir, file } = folder(killed)
    new BetterSqlite3(file).exec('SELECT count(*) FROM o_note').close()
    expect(existsSync(`${file}-wal`)).toBe(false)
    expect(await titlesOf(dir)).toEqual(all)
    // What was written after the last note of the log is folded in with it.
    const later = folder(killed)
    const other = new BetterSqlite3(later.file)
    other.exec('CREATE TABLE later (a); INSERT INTO later SELECT randomblob(2000) FROM o_note; DROP TABLE later')
    other.exec("UPDATE o_note SET title = 'four' WHERE title = 'three'; VACUUM").close()
    expect(await titlesOf(later.dir)).toEqual(['four', 'kept in the backup', 'one', 'two'])
  })

  it.each(['missing', 'empty'])('refuses a database that is %s', async (what) => {
    const { dir, file } = folder(closed)
    if (what === 'missing') rmSync(file)
    else truncateSync(file)
    expect(await refusalOf(dir)).toContain(what)
  })

  it.each([
    ['another header', (file: Buffer) => file.write('no database', 0)],
    ['one changed letter of a record', (file: Buffer) => file.write('Kept', file.lastIndexOf('kept in the backup'))],
    ['random bytes in a page', (file: Buffer) => file.fill(0xa5, 5 * 4096, 6 * 4096)],
  ])('refuses a closed database with %s', async (_what, damage) => {
    const { dir, file } = folder(closed)
    const bytes = readFileSync(file)
    damage(bytes)
    writeFileSync(file, bytes)
    expect(await refusalOf(dir)).toMatch(/changed after it was closed|damaged|cannot be read|not a database/)
  })

  it('refuses a truncated database, a foreign one and a foreign log', async () => {
    const cut = folder(closed)
    truncateSync(cut.file, 20_000)
    await refusalOf(cut.dir)
    const foreign = folder(killed)
    rmSync(foreign.file)
    new BetterSqlite3(foreign.file).exec('CREATE TABLE t (a)').close()
    await refusalOf(foreign.dir)
    const log = folder(closed)
    cpSync(join(killed, 'cairn.db-wal'), `${log.file}-wal`)
    expect(await refusalOf(log.dir)).toContain('not its own')
  })

  it('refuses a killed database whose log is gone, cut, damaged or of another database', async () => {
    const gone = folder(killed)
    rmSync(`${gone.file}-wal`)
    expect(await refusalOf(gone.dir)).toContain('gone')
    // A copy whose times are those of the copying.
    writeFileSync(gone.file, readFileSync(gone.file))
    expect(await refusalOf(gone.dir)).toContain('gone')
    const cut = folder(killed)
    truncateSync(`${cut.file}-wal`, readFileSync(`${cut.file}-wal`).length - 100)
    expect(await refusalOf(cut.dir)).toContain('cut or damaged')
    const other = folder(killed)
    const bytes = readFileSync(`${other.file}-wal`)
    bytes.writeUInt32BE(bytes.readUInt32BE(bytes.length - 4), 4096 + 32 + 24 - 4)
    writeFileSync(`${other.file}-wal`, bytes)
    expect(await refusalOf(other.dir)).toContain('cut or damaged')
    const made = new BetterSqlite3(join(other.dir, 'x.db'))
    made.pragma('journal_mode = WAL')
    made.exec('CREATE TABLE t (a)')
    cpSync(join(other.dir, 'x.db-wal'), `${other.file}-wal`)
    made.close()
    expect(await refusalOf(other.dir)).toContain('not its own')
  })

  it('goes on after the restore it names, and keeps what was there', async () => {
    const { dir, file } = folder(killed)
    rmSync(file)
    const words = await refusalOf(dir)
    const command = /npm run cairn -- restore (\S+) --data "(.+)"/.exec(words)!
    expect(await runCommand(['restore', command[1]!, '--data', command[2]!])).toBe(0)
    expect(await titlesOf(dir)).toEqual(['kept in the backup'])
  })

  it('keeps a damaged database and its log aside as they were when it is restored', async () => {
    const { dir, file } = folder(killed)
    const bytes = readFileSync(file).fill(0xa5, 5 * 4096, 8 * 4096)
    writeFileSync(file, bytes)
    const log = readFileSync(`${file}-wal`)
    await refusalOf(dir)
    expect(await runCommand(['restore', backup, '--data', dir])).toBe(0)
    const aside = readdirSync(dir)
      .filter((name) => name.includes('.replaced-'))
      .toSorted()
    expect(aside).toHaveLength(2)
    expect(readFileSync(join(dir, aside[0]!))).toEqual(bytes)
    expect(readFileSync(join(dir, aside[1]!))).toEqual(log)
    expect(await titlesOf(dir)).toEqual(['kept in the backup'])
  })

  it('goes on with the database as it is when what was noted is deleted', async () => {
    const { dir, file } = folder(killed)
    rmSync(`${file}-wal`)
    expect(await refusalOf(dir)).toContain(`delete ${join(dir, 'cairn.state')}`)
    rmSync(join(dir, 'cairn.state'))
    expect(await titlesOf(dir)).toEqual(['kept in the backup'])
  })
})

describe('a check beside the traffic', () => {
  it('finds bytes that changed without a trace, refuses writes with words, and the next start refuses', async () => {
    const { dir, file } = folder(closed)
    // A disk that forgets changes no time: the file is as it was noted but for its bytes.
    const { size, mtimeNs } = statSync(file, { bigint: true })
    const noted = { size: Number(size), modified: String(mtimeNs), crc: 1 }
    writeFileSync(join(dir, 'cairn.state'), JSON.stringify({ state: 'closed', ...noted }).padEnd(512))
    const test = await createTestHost({ dataDir: dir })
    expect(await test.host.database.inspect(noted)).toHaveLength(1)
    const refused = await test.post('/data/note', { title: 'late' })
    expect(refused.status).toBe(503)
    expect(refused.body.error).toMatchObject({ code: 'service_unavailable', details: { reason: 'database_damaged' } })
    expect(refused.body.error.message).toContain('Restore a backup')
    expect((await test.get('/data/note')).body.records).toHaveLength(4)
    expect((await test.get('/readyz')).status).toBe(503)
    await test.stop()
    await refusalOf(dir)
  })
})

describe('a secret.key that is missing', () => {
  it('stops the start with words, and new-key goes on without it', async () => {
    const { dir } = folder(closed)
    const key = join(dir, 'secret.key')
    const kept = readFileSync(key)
    rmSync(key)
    // Whoever sealed a key with it asks for it: the audit comes first where there is one.
    const withoutAudit = [...corePlugins, ...optionalPlugins].filter(({ id }) => id !== 'audit')
    for (const options of [{}, { plugins: withoutAudit }]) {
      await expect(startHost({ dataDir: dir, port: 0, ...options })).rejects.toThrow(
        /secret\.key is missing.*Put it back.*new-key/s,
      )
      expect(existsSync(key)).toBe(false)
    }
    writeFileSync(key, kept)
    expect(await titlesOf(dir)).toEqual(all)
    rmSync(key)
    expect(await runCommand(['new-key', '--data', dir])).toBe(0)
    expect(readFileSync(key)).not.toEqual(kept)
    expect(await titlesOf(dir)).toEqual(all)
  })
})
