// Rows of conflicts on a real database file.
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { TestDatabase } from '../../../../test/support/open-test-database.ts'
import { openTestDatabase } from '../../../../test/support/open-test-database.ts'
import { statement } from '#main/kernel/database.ts'
import { syncMigrations } from '../migrations/index.ts'
import type { ConflictDraft, ConflictRow, ConflictSide } from './conflict-store.ts'
import {
  closeOthers,
  conflictId,
  conflictOf,
  openConflict,
  openOfRecord,
  readConflict,
  removeConflicts,
  reopenConflict,
  settleConflict,
} from './conflict-store.ts'

const record = '018f0000-0000-7000-8000-000000000001'
const object = 'aa11'
const doc = `r/${object}/${record}`
const at = '2026-01-31T08:15:30.123Z'
const later = '2026-01-31T09:00:00.000Z'

const side = (value: ConflictSide['value'], device = 'laptop'): ConflictSide => ({ value, actor: 'ada', device, at })

const draft = (changes: Partial<ConflictDraft> = {}): ConflictDraft => ({
  kind: 'field',
  doc,
  object,
  recordId: record,
  field: 'f1',
  winner: side('Blue'),
  losers: [side('Green', 'desk')],
  ...changes,
})

describe('the store of conflicts', () => {
  let test: TestDatabase
  beforeEach(async () => {
    test = await openTestDatabase([{ id: 'sync', migrations: syncMigrations }])
  })
  afterEach(() => test.close())

  const open = (changes: Partial<ConflictDraft> = {}, when = at) =>
    test.database.write('test.open', (tx) => openConflict(tx, draft(changes), when))
  const read = (id: string) => readConflict(test.database.read, id)
  const told = () => test.events.splice(0).map(({ type }) => type)

  it('gives a conflict the same id wherever it is found', () => {
    expect(conflictId(draft())).toMatch(/^[0-9a-f]{32}$/)
    expect(conflictId(draft({ winner: side('Red'), losers: [] }))).toBe(conflictId(draft()))
    expect(conflictId(draft({ field: 'f2' }))).not.toBe(conflictId(draft()))
    expect(conflictId(draft({ kind: 'type' }))).not.toBe(conflictId(draft()))
  })

  it('keeps both sides and what was there before', async () => {
    const { id, opened } = await open({ base: 'White' })
    expect(opened).toBe(true)
    expect(read(id)).toEqual({
      id,
      ...draft({ base: 'White' }),
      state: 'open',
      foundAt: at,
      resolvedBy: null,
      resolvedAt: null,
      resolution: null,
      isReopened: false,
    })
    expect(openOfRecord(test.database.read, { object, recordId: record })).toHaveLength(1)
    expect(test.events.splice(0)).toMatchObject([
      { type: 'sync.conflict.opened', payload: { places: [{ object, recordId: record }] }, source: 'sync' },
    ])
  })

  it('has one row per field and brings it up to date', async () => {
    const { id } = await open({ base: 'White' })
    told()
    const again = await open({ winner: side('Red'), losers: [side('Blue'), side('Green')] }, later)
    expect(again).toEqual({ id, opened: false })
    expect(read(id)).toMatchObject({ winner: { value: 'Red' }, base: 'White', state: 'open', foundAt: at })
    expect(read(id)?.losers.map(({ value }) => value)).toEqual(['Blue', 'Green'])
    expect(told()).toEqual([])
  })

  it('ends by itself when all sides say the same', async () => {
    const { id, opened } = await open({ winner: side({ a: 1, b: 2 }), losers: [side({ b: 2, a: 1 }, 'desk')] })
    expect(opened).toBe(false)
    expect(read(id)).toMatchObject({ state: 'auto', resolution: { choice: 'same' }, resolvedBy: null })
    expect(told()).toEqual([])
    expect((await open({}, later)).opened).toBe(true)
    expect(read(id)).toMatchObject({ state: 'open', resolvedAt: null, resolution: null, foundAt: later })
  })

  it('stays settled while the same losers are found, and opens again with others', async () => {
    const { id } = await open()
    const settle = () =>
      test.database.write('test.settle', (tx) => settleConflict(tx, id, { choice: 'loser', by: 'ada', at }))
    expect(await settle()).toBe(true)
    expect(await settle()).toBe(false)
    expect(read(id)).toMatchObject({ state: 'resolved', resolvedBy: 'ada', resolution: { choice: 'loser' } })
    told()
    expect(await open({ winner: side('Pink') }, later)).toEqual({ id, opened: false })
    expect(read(id)).toMatchObject({ state: 'resolved', winner: { value: 'Blue' } })
    expect((await open({ losers: [side('Gold', 'desk')] }, later)).opened).toBe(true)
    expect(read(id)).toMatchObject({ state: 'open', resolvedBy: null })
    expect(told()).toEqual(['sync.conflict.opened'])
  })

  it('keeps the sides of before when it becomes another one', async () => {
    const { id } = await open({ losers: [side('Green', 'desk'), side('Grey', 'phone')] })
    await open({ winner: side('Red'), losers: [side('Grey', 'phone')] }, later)
    await test.database.write('test.settle', (tx) => settleConflict(tx, id, { choice: 'winner', by: 'ada', at }))
    await open({ winner: side('Gold'), losers: [side('Pink', 'desk')] }, later)
    await open({ winner: side('Gold'), losers: [side('Pink', 'desk'), side('Lime', 'phone')] }, later)
    const rows = test.database.read.all(statement<ConflictRow>('SELECT * FROM sync_conflict'))
    const kept = rows
      .map(conflictOf)
      .map(({ state, winner, losers, resolution }) => [
        state,
        winner.value,
        losers.map(({ value }) => value),
        resolution?.choice,
      ])
    expect(kept).toHaveLength(3)
    expect(kept).toEqual(
      expect.arrayContaining([
        ['resolved', 'Blue', ['Green', 'Grey'], 'edit'],
        ['resolved', 'Red', ['Grey'], 'winner'],
        ['open', 'Gold', ['Pink', 'Lime'], undefined],
      ]),
    )
    expect(openOfRecord(test.database.read, { object, recordId: record }).map((one) => one.id)).toEqual([id])
  })

  it('is none any more without losers', async () => {
    const { id } = await open()
    expect(await open({ losers: [] }, later)).toEqual({ id, opened: false })
    expect(read(id)).toMatchObject({ state: 'resolved', resolution: { choice: 'elsewhere' }, resolvedAt: later })
    expect((await open({ field: 'f2', losers: [] })).opened).toBe(false)
    expect(read(conflictId(draft({ field: 'f2' })))).toBeUndefined()
  })

  it('needs no losers where one value is wrong in itself, and opens again for another value', async () => {
    const broken = (value: string) => open({ kind: 'type', winner: side(value), losers: [] })
    const { id, opened } = await broken('twelve')
    expect(opened).toBe(true)
    await test.database.write('test.settle', (tx) => settleConflict(tx, id, { choice: 'value', by: 'ada', at }))
    expect((await broken('twelve')).opened).toBe(false)
    expect((await broken('thirteen')).opened).toBe(true)
  })

  it('closes what a document does not show any more, and leaves other kinds and documents alone', async () => {
    const first = await open()
    const second = await open({ field: 'f2' })
    const other = await open({ kind: 'type', field: 'f1', losers: [] })
    const text = await open({ kind: 'text', doc: `t/${object}/${record}/f3`, field: 'f3' })
    told()
    const closed = await test.database.write('test.close', (tx) =>
      closeOthers(tx, { doc }, ['field'], new Set([second.id]), later),
    )
    expect(closed).toEqual([first.id])
    expect([first, second, other, text].map(({ id }) => read(id)?.state)).toEqual(['resolved', 'open', 'open', 'open'])
    expect(read(first.id)).toMatchObject({ resolvedBy: null, resolution: { choice: 'elsewhere' } })
    expect(told()).toEqual(['sync.conflict.resolved'])
  })

  it('keeps one that somebody opened again until a person ends it or it is found anew', async () => {
    const { id } = await open()
    await test.database.write('test.settle', (tx) => settleConflict(tx, id, { choice: 'winner', by: 'ada', at }))
    await test.database.write('test.reopen', (tx) => reopenConflict(tx, id))
    expect(read(id)).toMatchObject({ state: 'open', isReopened: true, resolution: null, resolvedBy: null })
    const closed = await test.database.write('test.close', (tx) => closeOthers(tx, { doc }, ['field'], new Set(), at))
    expect(closed).toEqual([])
    await open({ losers: [] }, later)
    expect(read(id)?.state).toBe('open')
    await open({ losers: [side('Gold')] }, later)
    expect(read(id)).toMatchObject({ state: 'open', isReopened: false })
  })

  it('tells of many records of one write without naming them', async () => {
    await test.database.write('test.many', (tx) => {
      for (let i = 0; i < 60; i++) {
        const recordId = `018f0000-0000-7000-8000-0000000000${String(i + 10)}`
        openConflict(tx, draft({ doc: `r/${object}/${recordId}`, recordId }), at)
      }
    })
    expect(test.events.splice(0)).toMatchObject([{ type: 'sync.conflict.opened', payload: { places: null } }])
  })

  it('forgets a record that is purged', async () => {
    const { id } = await open()
    told()
    await test.database.write('test.purge', (tx) => removeConflicts(tx, { object, recordId: record }))
    expect(read(id)).toBeUndefined()
    expect(told()).toEqual(['sync.conflict.resolved'])
  })

  it('leaves nothing behind when the write is taken back', async () => {
    const failed = test.database.write('test.fail', (tx) => {
      openConflict(tx, draft(), at)
      throw new Error('taken back')
    })
    await expect(failed).rejects.toThrow('taken back')
    expect(read(conflictId(draft()))).toBeUndefined()
    expect(told()).toEqual([])
  })
})
