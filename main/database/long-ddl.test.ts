// Statements aside: in a process of their own, with the writers of this one waiting and its event loop free.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../test/support/open-test-database.ts'

let opened: Awaited<ReturnType<typeof openTestDatabase>>

beforeEach(async () => {
  opened = await openTestDatabase([])
  await opened.database.write('table', (tx) => tx.ddl('CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT'))
})
afterEach(() => opened.close())

const columns = () =>
  opened.database.read
    .all<{ name: string }>(statement(`SELECT name FROM pragma_table_info('t')`))
    .map(({ name }) => name)

describe('statements aside', () => {
  it('are there for readers and writers when they have run', async () => {
    const { database } = opened
    const epoch = database.schemaEpoch()
    await database.longDdl.run(['ALTER TABLE t ADD COLUMN more TEXT', 'CREATE INDEX i ON t (more)'])
    expect(columns()).toEqual(['id', 'v', 'more'])
    expect(database.schemaEpoch()).toBeGreaterThan(epoch)
    await database.write('insert', (tx) => tx.run(statement(`INSERT INTO t (v, more) VALUES ('a', 'b')`)))
    expect(database.read.get(statement('SELECT more FROM t'))).toEqual({ more: 'b' })
  })

  it('are known to the very next change of the table', async () => {
    const { database } = opened
    await database.longDdl.run(['ALTER TABLE t ADD COLUMN fresh TEXT'])
    // Nothing else runs in between that could tell the connection of the new column.
    await database.write('rename', (tx) => tx.ddl('ALTER TABLE t RENAME COLUMN fresh TO more'))
    expect(columns()).toEqual(['id', 'v', 'more'])
  })

  it('happen all or not at all', async () => {
    const { longDdl } = opened.database
    await expect(longDdl.run(['ALTER TABLE t ADD COLUMN more TEXT', 'DROP TABLE nothing'])).rejects.toThrow(/nothing/)
    expect(columns()).toEqual(['id', 'v'])
  })

  it('keep writers waiting, not the event loop, and end with their signal', async () => {
    const { database } = opened
    const endless = `CREATE TABLE x AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`
    // The process stands by afterwards, so that the statement begins at once.
    await database.longDdl.run(['CREATE TABLE warm (id INTEGER)'])
    const abort = new AbortController()
    const run = database.longDdl.run([endless], { signal: abort.signal })
    const ended = run.catch((error: Error) => error.message)
    await pause(600)
    let isWritten = false
    const write = database
      .write('insert', (tx) => tx.run(statement(`INSERT INTO t (v) VALUES ('a')`)))
      .then(() => (isWritten = true))
    await pause(100)
    expect(isWritten).toBe(false)
    expect(database.read.all(statement('SELECT * FROM t'))).toEqual([])
    abort.abort(new Error('enough'))
    expect(await ended).toBe('enough')
    await write
    expect(database.read.all(statement('SELECT v FROM t'))).toEqual([{ v: 'a' }])
    await database.longDdl.run(['ALTER TABLE t ADD COLUMN more TEXT'])
    expect(columns()).toContain('more')
  })

  it('get another process when the idle one was just ended', async () => {
    const { longDdl } = opened.database
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      await longDdl.run(['CREATE TABLE warm (id INTEGER)'])
      // Its end is told later, which on a busy machine takes a while.
      vi.advanceTimersByTime(5_000)
    } finally {
      vi.useRealTimers()
    }
    await longDdl.run(['ALTER TABLE t ADD COLUMN more TEXT'])
    expect(columns()).toContain('more')
  })

  it('fold the log in around work that writes much, and leave the usual way behind', async () => {
    const { database } = opened
    const answer = await database.longDdl.around(async () => {
      for (let i = 0; i < 20; i += 1) {
        await database.write('insert', (tx) => tx.run(statement('INSERT INTO t (v) VALUES (?)', ['x'.repeat(10_000)])))
      }
      await database.longDdl.run(['CREATE INDEX i ON t (v)'])
      return 'done'
    })
    expect(answer).toBe('done')
    await database.write('last', (tx) => tx.run(statement(`INSERT INTO t (v) VALUES ('z')`)))
    expect(database.read.get(statement('SELECT count(*) AS n FROM t'))).toEqual({ n: 21 })
  })
})
