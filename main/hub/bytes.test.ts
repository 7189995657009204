// Whatever is written: the file a hub began with and the rows of its log are the leader's file, byte for byte.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite3 from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { foldPages } from '#main/database/log-folding.ts'
import type { OpenLog } from '#main/database/log-sync.ts'
import { migrateDatabase } from '#main/database/migrator.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import type { Tx } from '#main/kernel/database.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import type { Migration } from '#main/kernel/plugin.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'
import { createTransport } from '#main/plugins/mail/service/transport.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'
import { createRandom } from '../../test/safety/random.ts'
import { makeFollowedFile, openFollowed } from '../../test/support/followed-database.ts'
import { startHookPeer } from '../../test/support/hook-peer.ts'
import { startSmtpPeer } from '../../test/support/smtp-peer.ts'
import { sized } from '../../test/support/test-size.ts'
import { isOfTheLog } from './follow-rules.ts'
import { createNodeFile } from './node-file.ts'

const tables = `
  CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, body TEXT, deleted_at TEXT) STRICT;
  CREATE INDEX by_name ON item (name);
  CREATE VIRTUAL TABLE words USING fts5(body);`

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
  file = join(folder, 'cairn.db')
  makeFollowedFile(file, tables)
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Inserts, updates, deletes, full text, tables that come and go: whatever the numbers say. */
function randomJob(random: () => number): (tx: Tx) => void {
  const text = (): string =>
    Math.floor(random() * 1e9)
      .toString(36)
      .repeat(1 + Math.floor(random() * 60))
  const kind = random()
  const steps = 1 + Math.floor(random() * 12)
  return (tx) => {
    if (kind < 0.03) return tx.ddl(`CREATE TABLE IF NOT EXISTS extra_${Math.floor(kind * 100)} (a TEXT, b TEXT) STRICT`)
    if (kind < 0.06) return tx.ddl(`DROP TABLE IF EXISTS extra_${Math.floor((kind - 0.03) * 100)}`)
    if (kind < 0.1) return void tx.run(statement('DELETE FROM item WHERE id % 3 = 0'))
    for (let i = 0; i < steps; i += 1) {
      if (kind < 0.7) tx.run({ sql: 'INSERT INTO item (name, body) VALUES (?, ?)', parameters: [text(), text()] })
      else if (kind < 0.85)
        tx.run({ sql: 'UPDATE item SET body = ? WHERE id = ?', parameters: [text(), Math.floor(random() * 500)] })
      else tx.run({ sql: 'INSERT INTO words VALUES (?)', parameters: [text()] })
    }
    if (kind > 0.97) throw new Error('rolled back')
  }
}

async function writeRandomly(
  write: (name: string, fn: (tx: Tx) => void, options?: object) => Promise<unknown>,
  jobs: number,
  seed: number,
) {
  const random = createRandom(seed)
  let running: Promise<unknown>[] = []
  for (let i = 0; i < jobs; i += 1) {
    const options = random() < 0.1 ? { repeatable: true } : {}
    running.push(write('random', randomJob(random), options).catch(() => undefined))
    if (random() < 0.3) {
      await Promise.all(running)
      running = []
    }
  }
  await Promise.all(running)
}

describe('the file and its rows', () => {
  it('are equal after an upgrade, of which the rows know before the database is opened', async () => {
    const upgraded = join(folder, 'upgraded.db')
    const first = { number: 1, name: 'first', sql: 'CREATE TABLE thing (id INTEGER PRIMARY KEY, body TEXT) STRICT' }
    const second = {
      number: 2,
      name: 'second',
      sql: "CREATE INDEX by_body ON thing (body); INSERT INTO thing VALUES (1, 'upgraded')",
    }
    const migrate = (migrations: readonly Migration[], openLog?: OpenLog) =>
      migrateDatabase({
        file: upgraded,
        plugins: [{ id: 'test', migrations }],
        backup: () => Promise.resolve('none'),
        clock: createManualClock(0),
        log: createLogger({ destination: { write: () => undefined } }),
        ...(openLog === undefined ? {} : { openLog }),
      })
    await migrate([first])
    makeFollowedFile(upgraded, '')
    const followed = await openFollowed(upgraded, undefined, undefined, (openLog) => migrate([first, second], openLog))
    expect(followed.stored().seq).toBe(1)
    await followed.database.write('insert', (tx) => tx.run(statement("INSERT INTO thing VALUES (2, 'later')")))
    const { leader, copy } = await followed.digests()
    expect(copy).toBe(leader)
    expect(followed.ended()).toBeUndefined()
  })

  it('are the file of the leader after any writes, over restarts', async () => {
    let from: Parameters<typeof openFollowed>[1]
    for (let restart = 0; restart < sized(3, 10, 30); restart += 1) {
      const followed = await openFollowed(file, from)
      await writeRandomly(followed.database.write, sized(150, 600), restart + 1)
      const { leader, copy } = await followed.digests()
      expect(followed.ended()).toBeUndefined()
      expect(followed.rows.length).toBeGreaterThan(10)
      expect(copy).toBe(leader)
      const position = new BetterSqlite3(`${file}.copy`, { readonly: true })
      expect(position.prepare('SELECT epoch, seq FROM hub_position').get()).toEqual(followed.stored())
      expect(position.pragma('integrity_check', { simple: true })).toBe('ok')
      position.close()
      from = { position: followed.stored(), before: followed.before() }
    }
  })

  it(
    'are the same after statements aside, an index built beside writers, and a log folded again and again',
    async () => {
      const followed = await openFollowed(file)
      const { database } = followed
      const rows = sized(8_000, 100_000, 1_000_000)
      const many = `INSERT INTO item (name, body) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      SELECT 'name ' || (i * 7919 % 10007), printf('%.*c', 200 + i % 300, 'x') FROM n`
      await database.longDdl.around(async () => {
        await database.longDdl.run([many])
        const index = database.longDdl.buildIndex({
          name: 'by_body',
          table: 'item',
          keys: [{ column: 'body', noCase: false }],
          rows: 'live',
        })
        const writes = writeRandomly(database.write, 100, 7)
        await Promise.all([index, writes])
      })
      await database.longDdl.run(['ALTER TABLE item ADD COLUMN more TEXT', 'CREATE INDEX by_more ON item (more)'])
      // Long enough for the thread to fold the log whole, with writers beside it, more than once.
      for (let pages = 0; pages < 3 * foldPages;) {
        await database.write('large', (tx) => {
          for (let i = 0; i < 100; i += 1)
            tx.run({
              sql: 'INSERT INTO item (name, body) VALUES (?, ?)',
              parameters: [`${pages}-${i}`, 'y'.repeat(4000)],
            })
        })
        pages += 120
        await pause(0)
      }
      const { leader, copy } = await followed.digests()
      expect(followed.ended()).toBeUndefined()
      expect(copy).toBe(leader)
    },
    sized(120_000, 600_000),
  )

  it('are not taken for equal where a leader ended before a row had what another process wrote', async () => {
    const left = join(folder, 'left.db')
    // The files as such a leader leaves them: each time the other process has committed.
    const spawn: ProcessSpawner = (entry, options) => {
      const child = forkSpawner(entry, options)
      const onMessage: typeof child.onMessage = (take) =>
        child.onMessage((message) => {
          if (message !== 'ready') for (const end of ['', '-wal']) copyFileSync(`${file}${end}`, `${left}${end}`)
          take(message)
        })
      return { ...child, onMessage }
    }
    const followed = await openFollowed(file, undefined, undefined, undefined, spawn)
    await followed.database.write('insert', (tx) => tx.run(statement(`INSERT INTO item (name) VALUES ('a')`)))
    await followed.database.longDdl.run(['CREATE TABLE aside (a TEXT) STRICT'])
    const place = createNodeFile(left).place()!
    const row = followed.rows.find(({ seq }) => seq === place.seq)
    expect(isOfTheLog(place, row === undefined ? null : { ...row, at: 0 })).toBe(false)
    const { leader, copy } = await followed.digests()
    expect(copy).toBe(leader)
    const found = new BetterSqlite3(`${file}.copy`, { readonly: true })
    expect(found.prepare('SELECT epoch, seq FROM hub_position').get()).toEqual(followed.stored())
    found.close()
  })

  it('hold what nobody waits for, soon', async () => {
    const followed = await openFollowed(file)
    await followed.database.write('later', (tx) => tx.run(statement(`INSERT INTO item (name) VALUES ('a')`)), {
      repeatable: true,
    })
    expect(followed.rows).toHaveLength(0)
    await expect.poll(() => followed.rows.length).toBe(1)
    const { leader, copy } = await followed.digests()
    expect(copy).toBe(leader)
  })
})

describe('nothing is answered', () => {
  it('before its row is stored', async () => {
    let store: (() => void) | undefined
    const followed = await openFollowed(file, undefined, () => new Promise((resolve) => (store = () => resolve(true))))
    let isAnswered = false
    const write = followed.database
      .write('insert', (tx) => tx.run(statement(`INSERT INTO item (name) VALUES ('a')`)))
      .then(() => (isAnswered = true))
    await pause(50)
    expect(isAnswered).toBe(false)
    store!()
    await write
    await followed.digests()
  })

  it('and nothing leaves before it: no mail, no request', async () => {
    let store: (() => void) | undefined
    const followed = await openFollowed(file, undefined, () => new Promise((resolve) => (store = () => resolve(true))))
    const [mails, hooks] = await Promise.all([startSmtpPeer(), startHookPeer()])
    onTestFinished(async () => void (await Promise.all([mails.stop(), hooks.stop()])))
    const { onDisk, write } = followed.database
    expect(onDisk()).toBeNull()
    const written = write('insert', (tx) => tx.run(statement(`INSERT INTO item (name) VALUES ('a')`)))
    await expect.poll(() => store).toBeDefined()
    const mail = { id: 'a', to: 'a@example.org', subject: 'a', text: 'a', html: null }
    const server = { host: '127.0.0.1', port: mails.port, secure: false, from: 'cairn@example.org' }
    const transport = createTransport(server, onDisk)
    const leaving = [
      transport.send(mail),
      createOutbound({ allowedHosts: () => ['127.0.0.1'], onDisk }).send({
        url: hooks.url,
        method: 'POST',
        body: '{}',
      }),
    ]
    await pause(100)
    expect([mails.heard, hooks.hooks]).toEqual([[], []])
    store!()
    await Promise.all([written, ...leaving])
    expect([mails.mails.length, hooks.hooks.length]).toEqual([1, 1])
    transport.close()
    await followed.digests()
  })

  it('once another node leads', async () => {
    const followed = await openFollowed(file, undefined, () => Promise.resolve(false))
    const insert = (): Promise<unknown> =>
      followed.database.write('insert', (tx) => tx.run(statement(`INSERT INTO item (name) VALUES ('a')`)))
    await expect(insert()).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(followed.ended()?.message).toContain('Another node leads')
    await expect(insert()).rejects.toMatchObject({ code: 'service_unavailable' })
    await followed.digests()
  })

  it('twice when the word of the store is lost on its way', async () => {
    let tries = 0
    const followed = await openFollowed(file, undefined, () => {
      tries += 1
      return tries % 3 === 0 ? Promise.resolve(true) : Promise.reject(new Error('connection lost'))
    })
    await writeRandomly(followed.database.write, 20, 3)
    const { leader, copy } = await followed.digests()
    expect(copy).toBe(leader)
  })

  it('when the log began anew before its frames were taken', async () => {
    const followed = await openFollowed(file)
    const insert = (name: string): Promise<unknown> =>
      followed.database.write('insert', (tx) =>
        tx.run({ sql: 'INSERT INTO item (name) VALUES (?)', parameters: [name] }),
      )
    await insert('kept')
    // What no part of the program does: it writes beside the queue and lets the log begin anew twice.
    const other = new BetterSqlite3(file)
    for (let i = 0; i < 2; i += 1) {
      other.pragma('wal_checkpoint(RESTART)')
      other.exec(`INSERT INTO item (name) VALUES ('beside')`)
    }
    other.close()
    await expect(insert('lost')).rejects.toMatchObject({ code: 'service_unavailable' })
    expect(followed.ended()?.message).toContain('does not go on where it was left')
    await followed.database.close()
  })
})
