// Many stale documents leave an index by being struck: over a real one, whose file is read afterwards.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { searchMigrations } from '../migrations/index.ts'
import { countStale, createIndex, indexTable, writeEntry } from '../store.ts'
import { addDocument, leaveDocument, removeDocuments } from './documents.ts'
import { createStaleCleaner } from './stale-cleaner.ts'
import { createStaleStrikes } from './stale-strikes.ts'

const objectUid = '00112233445566778899aabbccddeeff'
const pace = { quietMs: 60_000, pauseMs: 1, most: 20_000, tooMany: 200_000, strikeFrom: 10 }
const textsOf = (row: number): string[] => [`word${row} common canary${row}x`]
let test: TestDatabase

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  await test.database.write('index', (tx) => {
    createIndex(tx, objectUid, 1, 0)
    writeEntry(tx, { objectUid, object: 'task', objectTable: 'o_task', hash: '', columns: [], builtTo: null })
  })
  for (let from = 1; from <= 60; from += 10) {
    await test.database.write('fill', (tx) => {
      for (let row = from; row < from + 10; row += 1) addDocument(tx, objectUid, row, textsOf(row), false)
    })
  }
  await test.database.write('leave', (tx) => {
    for (let row = 60; row > 10; row -= 1) leaveDocument(tx, objectUid, row, textsOf(row))
  })
})

afterEach(() => test.close())

const cleaner = () => createStaleCleaner({ write: test.database.write, log: test.log, pace })

/** Rows that a word finds past stale marks. */
function found(word: string): number[] {
  const table = indexTable(objectUid)
  const sql = `SELECT rowid >> 5 AS "row" FROM "${table}" WHERE "${table}" MATCH ?
    AND rowid NOT IN (SELECT doc FROM "${table}_stale") ORDER BY rowid`
  return test.database.read.all(statement<{ row: number }>(sql, [word])).map(({ row }) => row)
}

async function clear(): Promise<void> {
  const one = cleaner()
  one.note(objectUid, 50)
  await one.finish()
  await one.stop()
  expect(countStale(test.database.read, objectUid)).toBe(0)
}

/** Canaries of the rows that are gone, anywhere in the index's tables; FTS5 cuts off what words have in common. */
function left(): string[] {
  const blocks = test.database.read.all(
    statement<{ block: Buffer }>(`SELECT block FROM "${indexTable(objectUid)}_data"`),
  )
  return blocks
    .flatMap(({ block }) => block.toString('latin1').match(/[1-6]\dx/g) ?? [])
    .filter((word) => word !== '10x')
}

describe('struck documents', () => {
  const live = Array.from({ length: 10 }, (_, at) => at + 1)

  it('leave no word in the index, and those of live rows stay', async () => {
    expect(found('common')).toEqual(live)
    expect(left()).not.toEqual([])
    await clear()
    expect(found('common')).toEqual(live)
    expect(found('word60')).toEqual([])
    expect(left()).toEqual([])
  })

  it('leave no word after a process that ended between two steps', async () => {
    const strikes = createStaleStrikes(objectUid)
    for (let step = 0; step < 2; step += 1) await test.database.write('step', (tx) => strikes.step(tx))
    expect(countStale(test.database.read, objectUid)).toBe(50)
    await clear()
    expect(found('common')).toEqual(live)
    expect(left()).toEqual([])
  })

  it('are not confused with a new row of the same number, at any step', async () => {
    const strikes = createStaleStrikes(objectUid)
    let more = true
    for (let row = 20; more; row += 1) {
      expect(row).toBeLessThan(60)
      const one = row
      more = await test.database.write('step', (tx) => {
        addDocument(tx, objectUid, one, [`again${one} common`], true)
        return strikes.step(tx)
      })
      expect(found('common')).toEqual([...live, ...Array.from({ length: row - 19 }, (_, at) => at + 20)])
      expect(found(`again${one}`)).toEqual([one])
    }
    expect(left()).toEqual([])
    await test.database.write('remove', (tx) => removeDocuments(tx, objectUid, 20, ['again20 common']))
    expect(found('again20')).toEqual([])
  })

  it('of one number may be more than it has documents', async () => {
    for (let turn = 0; turn < 70; turn += 1) {
      await test.database.write('turn', (tx) => {
        addDocument(tx, objectUid, 99, [`turn${turn}`], true)
        if (turn < 69) leaveDocument(tx, objectUid, 99, [`turn${turn}`])
      })
    }
    expect(found('turn69')).toEqual([99])
    expect(found('turn68')).toEqual([])
    await clear()
    expect(found('turn69')).toEqual([99])
  })
})

it('the file keeps nothing of them', async () => {
  await clear()
  const file = test.database.read.get(statement<{ file: string }>('PRAGMA database_list'))!.file
  await test.database.write('checkpoint', () => undefined)
  expect(file === '' ? '' : readFileSync(file, 'latin1')).not.toMatch(/canary[2-5]\dx/)
})
