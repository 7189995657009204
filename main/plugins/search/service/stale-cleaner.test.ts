// When stale documents leave an index: over a real one, in a moment of quiet.
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { searchMigrations } from '../migrations/index.ts'
import { countStale, createIndex, insertDocument, insertStale, writeEntry } from '../store.ts'
import { createStaleCleaner } from './stale-cleaner.ts'
import type { StaleCleaner } from './stale-cleaner.ts'

const objectUid = '00112233445566778899aabbccddeeff'
const documents = 200
const pace = { quietMs: 150, pauseMs: 10, most: 1_000, tooMany: 10_000, strikeFrom: 1_000_000 }
let test: TestDatabase
let cleaner: StaleCleaner

beforeEach(async () => {
  test = await openTestDatabase([{ id: 'search', migrations: searchMigrations }])
  await test.database.write('index', (tx) => {
    createIndex(tx, objectUid, 1, 0)
    writeEntry(tx, { objectUid, object: 'task', objectTable: 'o_task', hash: '', columns: [], builtTo: null })
  })
  await test.database.write('fill', (tx) => {
    for (let doc = 1; doc <= documents; doc += 1) {
      insertDocument(tx, objectUid, doc, [`word${doc}`])
      insertStale(tx, objectUid, { doc, texts: [`word${doc}`] })
    }
  })
  cleaner = createStaleCleaner({ write: test.database.write, log: test.log, pace })
})

afterEach(async () => {
  await cleaner.stop()
  await test.close()
})

const left = (): number => countStale(test.database.read, objectUid)
const patience = { timeout: 10_000, interval: 5 }

describe('the cleaner of stale search documents', () => {
  it('begins in a moment of quiet, rests while texts change, and cleans all of it afterwards', async () => {
    cleaner.note(objectUid, documents)
    expect(left()).toBe(documents)
    await vi.waitFor(() => expect(left()).toBeLessThan(documents), patience)
    // Longer than all of it would take.
    for (let time = 0; time < 1_500; time += 30) {
      cleaner.note(objectUid)
      await pause(30)
    }
    expect(left()).toBeGreaterThan(0)
    await vi.waitFor(() => expect(left()).toBe(0), patience)
  })

  it('does not rest when it is told to finish', async () => {
    cleaner.note(objectUid, documents)
    await vi.waitFor(() => expect(left()).toBeLessThan(documents), patience)
    cleaner.note(objectUid)
    await cleaner.finish()
    expect(left()).toBe(0)
  })

  it('does not rest when too many have gathered', async () => {
    cleaner.note(objectUid, pace.most + 1)
    for (let time = 0; left() > 0; time += 30) {
      cleaner.note(objectUid, pace.most + 1)
      await pause(30)
      expect(time).toBeLessThan(10_000)
    }
  })

  it('ends at once when it is stopped, also while it rests', async () => {
    cleaner.note(objectUid, documents)
    await vi.waitFor(() => expect(left()).toBeLessThan(documents), patience)
    cleaner.note(objectUid)
    await cleaner.stop()
    const atStop = left()
    await pause(2 * pace.quietMs)
    expect(left()).toBe(atStop)
  })
})
