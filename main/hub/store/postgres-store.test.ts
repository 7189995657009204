// The statements that decide who leads, against a real PostgreSQL.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openWriter } from '#main/database/open.ts'
import { createHubNode, initHub } from '#main/hub/node.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { hasPostgres, startPostgres } from '../../../test/support/postgres-cluster.ts'
import type { PostgresCluster } from '../../../test/support/postgres-cluster.ts'
import { doubtsAbout, settingsQuery } from './postgres-checks.ts'
import type { PostgresSettings } from './postgres-checks.ts'
import { createFollower } from '../follower.ts'
import { machineTime } from '../hub-time.ts'
import { createNodeFile } from '../node-file.ts'
import { encodePageRow, hashOfRow, noRow } from '../page-row.ts'
import { createSeal } from '../seal.ts'
import { createSnapshotKeeper } from '../snapshot-keeper.ts'
import { sized } from '../../../test/support/test-size.ts'
import { createPostgresStore } from './postgres-store.ts'
import type { PostgresStore } from './postgres-store.ts'

/** Longer than any test: a lease is over when a test says so. */
const leaseMs = 600_000
const key = randomBytes(32)
let cluster: PostgresCluster
let stores: PostgresStore[]
let workspace: string

const open = (query = '', withKey = key, statementMs = 10_000): PostgresStore => {
  const seal = createSeal(withKey, workspace)
  const store = createPostgresStore({ url: `${cluster.url}${query}`, workspace, seal, leaseMs, statementMs })
  stores.push(store)
  return store
}
const body = (text: string): Buffer => Buffer.from(text)
const leaseOver = (store: PostgresStore): Promise<unknown> =>
  store.ask(`UPDATE hub_head SET lease_until = clock_timestamp() - interval '1 s' WHERE ws = '${workspace}'`)

// reason: there is no PostgreSQL to test with on every machine
describe.skipIf(!hasPostgres)('the store in PostgreSQL', () => {
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster.remove())
  beforeEach(() => {
    workspace = randomBytes(8).toString('hex')
    stores = []
    return async () => void (await Promise.all(stores.map((store) => store.close())))
  })

  it('begins hubs of several workspaces at once where there is no table yet', async () => {
    for (const database of ['many_1', 'many_2', 'many_3']) {
      await open().ask(`CREATE DATABASE ${database}`)
      const url = cluster.url.replace(/[^/]*$/, database)
      const many = Array.from({ length: 6 }, (_, at) =>
        createPostgresStore({ url, workspace: `w${at}`, seal: createSeal(key, `w${at}`), leaseMs }),
      )
      stores.push(...many)
      expect(await Promise.all(many.map((store) => store.create()))).toEqual(many.map(() => true))
    }
  })

  it('takes no row for stored that the standbys of PostgreSQL were not waited for', async () => {
    const [store, admin] = [open(), open()]
    const set = async (sql: string): Promise<void> => {
      await admin.ask(`ALTER SYSTEM ${sql}`)
      await admin.ask('SELECT pg_reload_conf()')
    }
    await store.create()
    await store.take(0, 'one', 'a')
    await set("SET synchronous_standby_names = 'nobody'")
    const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
    const isWaiting = async (work: Promise<unknown>): Promise<boolean> => {
      let isDone = false
      void work.finally(() => (isDone = true)).catch(() => undefined)
      while (!isDone) if ((await admin.ask(`SELECT pid ${waiting}`)).length > 0) return true
      return false
    }
    try {
      // Not before PostgreSQL has read its settings.
      let row = { epoch: 1, seq: 1, body: body('a') }
      let stored = store.append(row)
      while (!(await isWaiting(stored))) stored = store.append((row = { ...row, seq: row.seq + 1 }))
      const told = stored.then(String, String)
      await admin.ask(`SELECT pg_cancel_backend(pid) ${waiting}`)
      expect(await told).toContain('waited for its standbys')
      // Sent again, as the chain does.
      const found = store.append(row)
      expect(await isWaiting(found)).toBe(true)
      await set('RESET synchronous_standby_names')
      expect(await found).toBe('found')
    } finally {
      await set('RESET synchronous_standby_names')
    }
  })

  it('gives an epoch to one of many who take it at once', async () => {
    const first = open()
    expect(await first.create()).toBe(true)
    expect(await first.create()).toBe(false)
    const others = Array.from({ length: 3 }, () => open())
    const taken = await Promise.all(
      [first, ...others].flatMap((store, at) => [0, 1, 2].map((i) => store.take(0, `n${at}-${i}`, 'a'))),
    )
    expect(taken.filter((one) => one !== null)).toEqual([{ epoch: 1, seq: 0 }])
    expect(await first.take(1, 'late', 'a')).toBeNull()
    expect((await first.head())!.leaseLeftMs).toBeGreaterThan(0)
  })

  it('stores rows of the epoch that counts alone, each once, in order', async () => {
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    expect(await store.append({ epoch: 1, seq: 1, body: body('a') })).toBe('stored')
    expect(await store.append({ epoch: 1, seq: 1, body: body('a') })).toBe('found')
    expect(await store.append({ epoch: 1, seq: 3, body: body('c') })).toBe('over')
    await leaseOver(store)
    expect(await store.take(1, 'two', 'b')).toEqual({ epoch: 2, seq: 1 })
    expect(await store.append({ epoch: 1, seq: 2, body: body('late') })).toBe('over')
    expect(await store.renew(1)).toBe(false)
    expect(await store.append({ epoch: 2, seq: 2, body: body('b') })).toBe('stored')
    expect(await store.append({ epoch: 1, seq: 2, body: body('late') })).toBe('over')
    expect((await store.rows(0)).map((row) => [row.epoch, row.seq, row.body.toString()])).toEqual([
      [1, 1, 'a'],
      [2, 2, 'b'],
    ])
  })

  it.each(['', '?options=-c%20default_transaction_isolation%3Dserializable'])(
    'lets an append and a take at once both win only where the take knows of the row %s',
    async (query) => {
      const leader = open(query)
      const other = open(query)
      await leader.create()
      await leader.take(0, 'n0', 'a')
      let epoch = 1
      let seq = 0
      for (let round = 0; round < 20; round += 1) {
        await leader.handOver({ epoch, seq }, 'anyone')
        const [stored, taken] = await Promise.all([
          leader.append({ epoch, seq: seq + 1, body: body(`${round}`) }),
          other.take(epoch, 'anyone', 'a'),
        ])
        // The append came first and renewed the lease, or the take came first and the append was refused.
        expect([stored, taken !== null]).toEqual(taken === null ? ['stored', false] : ['over', true])
        if (taken === null) seq += 1
        else {
          expect(taken).toEqual({ epoch: epoch + 1, seq })
          epoch += 1
        }
      }
      expect((await leader.head())!.seq).toBe(seq)
    },
  )

  it('hands over to the one that is named, without the lease', async () => {
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    await store.append({ epoch: 1, seq: 1, body: body('a') })
    expect(await store.handOver({ epoch: 1, seq: 0 }, 'two')).toBe(false)
    expect(await store.handOver({ epoch: 1, seq: 1 }, 'two')).toBe(true)
    expect(await store.take(1, 'three', 'c')).toBeNull()
    expect(await store.take(1, 'two', 'b')).toEqual({ epoch: 2, seq: 1 })
  })

  it('keeps no lease until a time that a clock said which was ahead', async () => {
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    for (const renew of [() => store.renew(1), () => store.append({ epoch: 1, seq: 1, body: body('a') })]) {
      await store.ask(`UPDATE hub_head SET lease_until = now() + interval '1 h' WHERE ws = '${workspace}'`)
      await renew()
      expect((await store.head())!.leaseLeftMs).toBeLessThanOrEqual(leaseMs)
    }
  })

  it('keeps rows of any size sealed, each in its place', async () => {
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    const large = randomBytes(sized(6, 60) * 1024 * 1024)
    await store.append({ epoch: 1, seq: 1, body: body('secret words') })
    await store.append({ epoch: 1, seq: 2, body: large })
    expect((await store.rows(0))[0]!.body.toString()).toBe('secret words')
    expect((await store.rows(1))[0]!.body.equals(large)).toBe(true)
    const kept = await store.ask<{ body: Buffer }>(`SELECT body FROM hub_log WHERE ws = '${workspace}' AND seq = 1`)
    expect(kept[0]!.body.includes('secret')).toBe(false)
    await expect(open('', randomBytes(32)).rows(0)).rejects.toThrow(/key file is another one/)
    await store.ask(`UPDATE hub_log SET seq = 3 WHERE ws = '${workspace}' AND seq = 1`)
    await expect(store.rowAt(3)).rejects.toThrow(/does not open/)
  })

  it('gives a large row the time that it takes', async () => {
    const store = open('', key, 300)
    await store.create()
    await store.take(0, 'one', 'a')
    const large = randomBytes(5 * 1024 * 1024)
    await store.ask(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END'`)
    await store.ask('CREATE TRIGGER slow BEFORE INSERT ON hub_log FOR EACH ROW EXECUTE FUNCTION slow()')
    const stored = store.append({ epoch: 1, seq: 1, body: large })
    await stored.catch(() => undefined)
    await open().ask('DROP FUNCTION slow CASCADE')
    expect(await stored).toBe('stored')
  })

  it('drops what a snapshot stands for once another node has verified it', async () => {
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    for (const seq of [1, 2, 3]) await store.append({ epoch: 1, seq, body: body(`${seq}`) })
    await store.addSnapshotPart(2, 0, body('file'))
    const snapshot = { seq: 2, epoch: 1, hash: randomBytes(32), digest: 'd', parts: 1, madeBy: 'one' }
    await store.addSnapshot(snapshot)
    await store.verifySnapshot(2, 'one')
    expect(await store.trim(0)).toBe(0)
    await store.verifySnapshot(2, 'two')
    expect(await store.trim(60_000)).toBe(0)
    expect(await store.trim(0)).toBe(1)
    expect((await store.rows(0)).map(({ seq }) => seq)).toEqual([2, 3])
    expect(await store.snapshots()).toMatchObject([{ ...snapshot, verifiedBy: 'two' }])
    expect((await store.snapshotPart(2, 0)).toString()).toBe('file')
  })

  it('is given a copy each day by its own clock, whatever that of the node says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = open()
    await store.create()
    await store.addSnapshot({ seq: 0, epoch: 0, hash: noRow, digest: 'd', parts: 0, madeBy: 'two' })
    const path = join(folder, 'cairn.db')
    const file = createNodeFile(path)
    file.beginCopy()
    file.writeCopy(Buffer.alloc(4096), 0)
    const lateTime = { ...machineTime, wall: () => Date.now() + 48 * 3_600_000 }
    const log = createLogger({ destination: { write: () => undefined } })
    const keep = createSnapshotKeeper({ store, file, path, node: 'two', time: lateTime, log, lookMs: 0 })
    for (let looks = 0; looks < 10; looks += 1) {
      keep({ epoch: 0, seq: 1, hash: noRow })
      await pause(20)
    }
    file.close()
    expect(await store.snapshots()).toHaveLength(1)
  })

  it('drops much of a log in statements that take long together', async () => {
    const store = open('?options=-c%20statement_timeout%3D400')
    await store.create()
    await store.take(0, 'one', 'a')
    await store.ask(
      `INSERT INTO hub_log SELECT '${workspace}', n, 0, 1, clock_timestamp(), true, '' FROM generate_series(1, 600) n`,
    )
    await store.addSnapshot({ seq: 601, epoch: 1, hash: randomBytes(32), digest: 'd', parts: 0, madeBy: 'one' })
    await store.verifySnapshot(601, 'two')
    // As a log is whose rows are many and large.
    await store.ask(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(0.001); RETURN OLD; END'`)
    await store.ask('CREATE TRIGGER slow BEFORE DELETE ON hub_log FOR EACH ROW EXECUTE FUNCTION slow()')
    const gone = store.trim(0)
    await gone.catch(() => undefined)
    await store.ask('DROP FUNCTION slow CASCADE')
    expect(await gone).toBe(600)
  })

  it('lets no node lead whose file has more than it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = open()
    await store.create()
    const path = join(folder, 'cairn.db')
    const left = createNodeFile(path)
    left.beginCopy()
    left.writeCopy(Buffer.alloc(4096), 0)
    left.settle({ epoch: 0, seq: 3, hash: randomBytes(32) })
    left.close()
    await leaseOver(store)
    const log = createLogger({ destination: { write: () => undefined } })
    const follow = (): Promise<unknown> => {
      const parts = { store, file: createNodeFile(path), node: 'two', address: 'b', leaseMs, time: machineTime, log }
      return createFollower(parts).follow()
    }
    await expect(follow()).rejects.toThrow('PostgreSQL has forgotten rows')
    expect(await store.head()).toMatchObject({ epoch: 0, node: null })
    // Nor where others have gone on since.
    await store.take(0, 'one', 'a')
    let before = noRow
    for (const seq of [1, 2, 3, 4]) {
      const body = encodePageRow({ pageSize: 4096, size: 1, pages: new Map() }, before)
      await store.append({ epoch: 1, seq, body })
      before = hashOfRow(body)
    }
    await expect(follow()).rejects.toThrow('PostgreSQL has forgotten rows')
  })

  it('ends a node with words where what follows is of a newer program', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = open()
    await store.create()
    await store.take(0, 'one', 'a')
    const body = encodePageRow({ pageSize: 4096, size: 1, pages: new Map() }, noRow)
    body.writeUInt32BE(3, 0)
    await store.append({ epoch: 1, seq: 1, body })
    const log = createLogger({ destination: { write: () => undefined } })
    const follow = async (name: string): Promise<unknown> => {
      const file = createNodeFile(join(folder, name))
      file.beginCopy()
      file.writeCopy(Buffer.alloc(4096), 0)
      file.settle({ epoch: 0, seq: 0, hash: noRow })
      const follower = createFollower({ store, file, node: name, address: 'b', leaseMs, time: machineTime, log })
      onTestFinished(() => follower.stop())
      return follower.follow()
    }
    await expect(follow('row')).rejects.toThrow('Upgrade this node')
    await store.ask(`UPDATE hub_log SET body = set_byte(body, 0, 2) WHERE ws = '${workspace}'`)
    await expect(follow('seal')).rejects.toThrow('Upgrade this node')
  })

  it('is led by a node that has followed rather than by one that led and was started again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const store = open()
    await store.create()
    await store.take(0, 'one.1', 'a')
    for (const [node, address] of [
      ['one.1', 'a'],
      ['two.1', 'b'],
    ] as const)
      await store.seen(node, address, 0)
    const log = createLogger({ destination: { write: () => undefined } })
    const followers: ReturnType<typeof createFollower>[] = []
    const follow = (node: string, address: string): Promise<unknown> => {
      const file = createNodeFile(join(folder, node))
      file.beginCopy()
      file.writeCopy(Buffer.alloc(4096), 0)
      file.settle({ epoch: 0, seq: 0, hash: noRow })
      const follower = createFollower({ store, file, node, address, leaseMs, time: machineTime, log })
      followers.push(follower)
      return follower.follow().then(() => node)
    }
    const stop = (): void => followers.splice(0).forEach((follower) => follower.stop())
    onTestFinished(stop)
    await store.setLease(1, 0)
    expect(await Promise.race([follow('one.2', 'a'), follow('two.1', 'b')])).toBe('two.1')
    expect(await store.head()).toMatchObject({ epoch: 2, node: 'two.1' })
    stop()
    // Where nobody else is left it waits for nobody.
    await store.forget('two.1')
    await store.setLease(2, 0)
    expect(await follow('two.2', 'b')).toBe('two.2')
  })

  it('is given back at once by a node that cannot begin to lead', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-hub-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'cairn.db')
    openWriter(file).exec('CREATE TABLE item (id INTEGER PRIMARY KEY)').close()
    const log = createLogger({ destination: { write: () => undefined } })
    const address = { url: cluster.url, workspace, key, leaseMs: 300 }
    await initHub(address, { file, name: 'one', log })
    // In place of the key that the hub has: nothing can be written there.
    rmSync(join(folder, 'secret.key'))
    mkdirSync(join(folder, 'secret.key'))
    const store = open()
    await store.seen('two.1', 'b', 0)
    const begun = { ...address, file, name: 'one', address: 'a', log, startMs: 60_000, onEnd: () => undefined }
    const fails = async (words: string): Promise<void> => {
      const node = createHubNode(begun)
      onTestFinished(() => node.close())
      await expect(node.lead()).rejects.toThrow(words)
      await node.close()
    }
    await fails('Not a regular file')
    const head = await store.head()
    expect(head).toMatchObject({ epoch: 1, heir: 'two.1' })
    expect(head!.leaseLeftMs).toBeLessThan(0)
  })

  it('says of PostgreSQL what would lose acknowledged rows', async () => {
    const ask = async (query: string): Promise<PostgresSettings> =>
      (await open(query).ask<PostgresSettings>(settingsQuery))[0]!
    const good = await ask('')
    expect(doubtsAbout(good)).toEqual([])
    expect(doubtsAbout(await ask('?options=-c%20synchronous_commit%3Doff'))).toEqual([
      { setting: 'synchronous_commit', words: expect.stringContaining('synchronous_commit is off') as unknown },
    ])
    expect(doubtsAbout({ ...good, fsync: 'off', pages: 'off', standbys: ['async'] })).toHaveLength(3)
    expect(doubtsAbout({ ...good, standbys: ['sync', 'async'], names: '*' })).toEqual([])
    expect(doubtsAbout({ ...good, version: 140_005, recovery: true, commit: 'local', names: 'a' })).toHaveLength(3)
  })
})
