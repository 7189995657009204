// Groups, syncs and loans follow one another, whatever the callbacks of a group begin.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import type { Tx } from '#main/kernel/database.ts'
import { createEventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import { createLogSync } from './log-sync.ts'
import { leaveSyncToWriter, openWriter } from './open.ts'
import type { Connection } from './open.ts'
import { createStatements } from './statements.ts'
import { createWriteQueue } from './write-queue.ts'
import type { WriteQueue } from './write-queue.ts'

let dir: string
let connection: Connection
let queue: WriteQueue
let close: () => Promise<void>
/** What was under way when something began, in the order of the beginnings. */
let began: { what: string; during: string[] }[]
let underWay: string[]

const begin = (what: string): (() => void) => {
  began.push({ what, during: [...underWay] })
  underWay.push(what)
  return () => void underWay.splice(underWay.indexOf(what), 1)
}

const insert = (tx: Tx): void => {
  began.push({ what: 'job', during: [...underWay] })
  tx.run(statement('INSERT INTO item (body) VALUES (1)'))
}

const loan = (): Promise<void> =>
  queue.lend(async () => {
    const end = begin('loan')
    await pause(5)
    end()
  })

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-turns-'))
  const file = join(dir, 'cairn.db')
  connection = openWriter(file)
  connection.exec('CREATE TABLE item (id INTEGER PRIMARY KEY, body)')
  leaveSyncToWriter(connection)
  began = []
  underWay = []
  const log = createLogger({ destination: { write: () => undefined } })
  const disk = createLogSync(file)
  queue = createWriteQueue({
    connection,
    statements: createStatements(connection),
    bus: createEventBus({ clock: createManualClock(0), log }),
    log,
    // The real sync, on a slow disk.
    logSync: {
      async sync() {
        const end = begin('sync')
        await pause(5)
        await disk.sync()
        end()
      },
      close: disk.close,
    },
    onSchemaChange: () => undefined,
  })
  close = async () => {
    await queue.close()
    await disk.close()
    connection.close()
    rmSync(dir, { recursive: true })
  }
})

afterEach(() => close())

describe('one thing after the other', () => {
  it('forces the log to disk once at a time when a callback of a commit writes', async () => {
    let inner: Promise<unknown> | undefined
    await queue.write('outer', (tx) => {
      insert(tx)
      tx.afterCommit(() => void (inner = queue.write('inner', insert)))
    })
    await inner
    expect(began.map(({ what }) => what)).toEqual(['job', 'sync', 'job', 'sync'])
    expect(began.filter(({ during }) => during.length > 0)).toEqual([])
  })

  it('lends the file behind the sync of the commit whose callback asked for it', async () => {
    let lent: Promise<void> | undefined
    await queue.write('outer', (tx) => {
      insert(tx)
      tx.afterCommit(() => void (lent = loan()))
    })
    await lent
    expect(began).toEqual(['job', 'sync', 'loan'].map((what) => ({ what, during: [] })))
  })

  it('runs no job during a loan when one is written as a group is answered', async () => {
    const writes: Promise<unknown>[] = []
    const outer = queue.write('outer', (tx) => {
      insert(tx)
      tx.afterCommit(() => writes.push(loan()))
      tx.whenOnDisk(() => writes.push(queue.write('inner', insert)))
    })
    await outer
    await Promise.all(writes)
    expect(began.map(({ what }) => what).toSorted()).toEqual(['job', 'job', 'loan', 'sync', 'sync'])
    expect(began.filter(({ during }) => during.length > 0)).toEqual([])
  })

  it('ends behind the sync of the group whose callback closes it', async () => {
    let ended: Promise<string[]> | undefined
    await queue.write('outer', (tx) => {
      insert(tx)
      tx.afterCommit(() => {
        ended = queue.close().then(() => began.map(({ what }) => what).concat(underWay))
      })
    })
    expect(await ended).toEqual(['job', 'sync'])
  })
})
