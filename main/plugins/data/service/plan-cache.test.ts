// The memory of plans over a real database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { openObjectTables } from '../../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../../test/support/open-object-tables.ts'
import { createPlanCache } from './plan-cache.ts'
import type { JsonList, PlanCache } from './plan-cache.ts'

let tables: ObjectTables
let explained: number
let epoch: number
let forgotten: number
let plans: PlanCache
const clock = createManualClock(0)

beforeAll(() => {
  tables = openObjectTables([{ name: 'thing', fields: { code: { type: 'number', scale: 0, index: true } } }])
})
afterAll(() => tables.close())
beforeEach(() => {
  explained = 0
  epoch = 1
  forgotten = 0
  clock.set(0)
  plans = createPlanCache({
    read: {
      all(asked) {
        if (asked.sql.startsWith('EXPLAIN')) explained += 1
        return tables.all(asked)
      },
    },
    clock,
    epoch: () => epoch,
    onForget: () => (forgotten += 1),
  })
})

const byCode = (code: number) =>
  statement<Record<string, unknown>>('SELECT * FROM "o_thing" AS t0 WHERE t0."code" = ? AND t0."deleted_at" IS NULL', [
    code,
  ])
const list = { statement: byCode(1), hints: {}, finish: () => ({ records: '[]', hasMore: false }) } satisfies JsonList
const recall = (shape: string, rights = 'a') => plans.request('list', tables.schema('thing'), rights, shape)

describe('plans of requests', () => {
  it('are kept for the same object, rights and query, and for no other', () => {
    recall('{"top":1}').plan = list
    expect(recall('{"top":1}')).toMatchObject({ plan: list, uses: 2 })
    expect(recall('{"top":2}').plan).toBeUndefined()
    expect(recall('{"top":1}', 'b').plan).toBeUndefined()
    expect(plans.request('groups', tables.schema('thing'), 'a', '{"top":1}').plan).toBeUndefined()
    expect(plans.request('list', { ...tables.schema('thing') }, 'a', '{"top":1}').plan).toBeUndefined()
    expect(plans.statistics()).toMatchObject({ hits: 1, misses: 5, entries: 5 })
  })

  it('are made anew after a while, because another index may be the better one by then', () => {
    recall('{}').plan = list
    for (let use = 2; use <= 200; use += 1) expect(recall('{}').plan).toBe(list)
    expect(recall('{}')).toMatchObject({ plan: undefined, uses: 2 })
  })

  it('are none for words that mean something else a moment later, and for requests of great length', () => {
    expect(recall('{"filter":"{\\"due\\":\\"{today}\\"}"}').plan).toBeNull()
    expect(recall('{"filter":{"due":{"$during":"week"}}}').plan).toBeNull()
    expect(recall(`{"filter":"${'x'.repeat(5_000)}"}`).plan).toBeNull()
  })
})

describe('statements', () => {
  it('are explained once per text until metadata or tables change', () => {
    plans.explain(byCode(1))
    plans.explain(byCode(2))
    expect(explained).toBe(1)
    epoch += 1
    plans.explain(byCode(3))
    expect(explained).toBe(2)
    expect(forgotten).toBe(1)
  })

  it('are slow when they were long three times in a row here, for a minute', () => {
    const slow = () => plans.wasSlow(plans.statement(byCode(1)))
    const take = (ms: number, here = true) => plans.note(byCode(1), ms, { here, looksDear: false })
    for (const ms of [100, 100, 1, 100, 100]) take(ms)
    take(100, false)
    expect(slow()).toBe(false)
    take(100)
    expect(slow()).toBe(true)
    expect(plans.wasSlow(plans.statement(statement('SELECT 2')))).toBe(false)
    clock.set(59_999)
    expect(slow()).toBe(true)
    clock.set(60_001)
    expect(slow()).toBe(false)
  })

  it('that looked dear and were quick are trusted for the same values, until they were slow here', () => {
    plans.note(byCode(1), 1, { here: false, looksDear: true })
    expect([plans.isQuick(byCode(1)), plans.isQuick(byCode(2))]).toEqual([true, false])
    plans.note(byCode(1), 10, { here: true, looksDear: true })
    expect(plans.isQuick(byCode(1))).toBe(true)
    plans.note(byCode(1), 20, { here: true, looksDear: true })
    plans.note(byCode(1), 1, { here: false, looksDear: true })
    expect(plans.isQuick(byCode(1))).toBe(false)
  })
})

describe('the cache as a whole', () => {
  it('tells which statements ran, how often and by which index', () => {
    plans.explain(byCode(1))
    plans.note(byCode(1), 2, { here: true, looksDear: false })
    plans.note(byCode(2), 4, { here: true, looksDear: false })
    expect(plans.statistics()).toEqual({
      entries: 1,
      hits: 0,
      misses: 0,
      forgotten: 0,
      statements: [{ sql: byCode(1).sql, indexes: ['i_thing__code'], runs: 2, meanMs: 3 }],
    })
  })

  it('has one bound over everything it keeps, and keeps what is asked for all the time', () => {
    recall('{}').plan = list
    for (let index = 0; index < 20_000; index += 1) {
      plans.statement(statement(`SELECT ${index}`))
      if (index % 100 === 0) expect(recall('{}').plan).toBe(list)
      if (index % 100 === 0) recall('{}').uses = 1
    }
    expect(plans.statistics().entries).toBeLessThanOrEqual(4_000)
  })

  it('keeps no statement of great length', () => {
    plans.statement(statement(`SELECT '${'x'.repeat(5_000)}'`))
    expect(plans.statistics().entries).toBe(0)
  })
})
