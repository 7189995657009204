// Folding the log: beside the traffic once it is long, with no thread left behind.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../test/support/open-test-database.ts'
import { foldPages } from './log-folding.ts'
import { openReader } from './open.ts'
import type { Connection } from './open.ts'

let opened: Awaited<ReturnType<typeof openTestDatabase>>
let observer: Connection

beforeEach(async () => {
  opened = await openTestDatabase([])
  observer = openReader(opened.database.file)
  await opened.database.write('table', (tx) => tx.ddl('CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT) STRICT'))
})
afterEach(async () => {
  observer.close()
  await opened.close()
})

/** Writes about so many pages. */
const writePages = (pages: number) =>
  opened.database.write('fill', (tx) => {
    for (let i = 0; i < pages; i += 1) {
      tx.run(statement('INSERT INTO t (v) VALUES (?)', ['x'.repeat(3_500)]))
    }
  })

const logState = () => {
  const [state] = observer.pragma('wal_checkpoint(NOOP)') as { log: number; checkpointed: number }[]
  return state!
}

/** Writes a little until the log has begun anew, which it does when all of it is in the file. */
const untilFolded = async (): Promise<void> => {
  for (let tries = 0; tries < 100; tries += 1) {
    await writePages(1)
    if (logState().log < 1_000) return
    await pause(30)
  }
  expect.unreachable('The log was not folded in.')
}

describe('folding the log', () => {
  it('happens after the commit that makes it long, and the log begins anew', async () => {
    await writePages(foldPages + 100)
    expect(logState().log).toBeGreaterThan(foldPages)
    await untilFolded()
    const { n } = opened.database.read.get<{ n: number }>(statement('SELECT count(*) AS n FROM t'))!
    expect(n).toBeGreaterThanOrEqual(foldPages + 101)
    expect(observer.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  it('leaves a short log alone', async () => {
    await writePages(100)
    await pause(200)
    expect(logState().checkpointed).toBe(0)
  })

  it('is not tried at every commit while somebody reads an older state, and goes on afterwards', async () => {
    const held = openReader(opened.database.file)
    try {
      held.exec('BEGIN')
      held.prepare('SELECT count(*) FROM t').get()
      await writePages(foldPages + 100)
      for (let i = 0; i < 20; i += 1) {
        await writePages(1)
        await pause(20)
      }
      expect(logState().checkpointed).toBeLessThan(logState().log)
      expect(logState().log).toBeGreaterThan(foldPages)
      held.exec('COMMIT')
      await writePages(foldPages)
      await untilFolded()
    } finally {
      held.close()
    }
  })

  it('lets a process that stops wait for the fold under way', async () => {
    const program = `
      const { openTestDatabase } = await import('./test/support/open-test-database.ts')
      const opened = await openTestDatabase([])
      const fill = (tx) => {
        tx.ddl('CREATE TABLE IF NOT EXISTS t (v BLOB)')
        for (let i = 0; i < 5000; i += 1) tx.run({ sql: 'INSERT INTO t VALUES (zeroblob(3500))', parameters: [] })
      }
      await opened.database.write('fill', fill)
      await new Promise((resolve) => setTimeout(resolve, 1500))
      await opened.database.write('fill', fill)
      await opened.close()
      console.log('closed')
    `
    const run = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program])
    expect(run.stdout).toBe('closed\n')
  })

  it('is over when the database closes', async () => {
    await writePages(foldPages + 100)
    observer.close()
    await opened.database.close()
    observer = openReader(opened.database.file)
    expect(logState()).toMatchObject({ log: 0 })
  })
})
