// Groups and aggregations against a plain reading of D-90 over the same rows in memory.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformError } from '#shared/errors.ts'
import { parseAggregate } from '#shared/filter/aggregate.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { buildInsert } from '../../../test/support/build-insert.ts'
import { createTableSql } from '../schema/table-ddl.ts'
import { buildAggregate } from './build-aggregate.ts'
import { registerFunctions } from './functions.ts'
import { sized } from '../../../test/support/test-size.ts'

type Row = Record<string, unknown>

function compile(definition: unknown): ObjectSchema {
  const result = checkObjectDefinition(definition)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

const project = compile({ name: 'project', fields: { name: { type: 'text' }, size: { type: 'number' } } })
const task = compile({
  name: 'task',
  fields: {
    title: { type: 'text' },
    status: { type: 'select', options: ['open', 'doing', 'done'] },
    labels: { type: 'tags' },
    done: { type: 'boolean' },
    hours: { type: 'number' },
    points: { type: 'number', scale: 0 },
    due: { type: 'date' },
    at: { type: 'datetime' },
    notes: { type: 'textarea' },
    data: { type: 'json' },
    project: { type: 'lookup', reference: 'project' },
  },
  indexes: [{ fields: ['status', 'points'] }],
})
const schemas: Record<string, ObjectSchema> = { project, task }
const envIn = (timeZone: string): QueryEnv => ({
  schemaOf: (name) => schemas[name],
  now: Date.UTC(2026, 5, 15, 12),
  timeZone,
  userId: 'me',
})
const utc = envIn('UTC')

let folder: string
let db: Sqlite.Database
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-aggregate-'))
  db = new Sqlite(join(folder, 'data.sqlite'))
  db.pragma('synchronous = OFF')
  registerFunctions(db)
  for (const sql of [...createTableSql(project), ...createTableSql(task)]) db.exec(sql)
})
afterAll(() => {
  db.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  db.exec('DELETE FROM o_task; DELETE FROM o_project')
})

function insert(schema: ObjectSchema, values: Row): void {
  const base = { id: randomUUID(), created_at: '2026-01-01T00:00:00.000Z', updated_at: '2026-01-01T00:00:00.000Z' }
  const { sql, parameters } = buildInsert(schema, { ...base, ...values })
  db.prepare(sql).run(...parameters)
}

interface Words {
  readonly aggregations?: unknown
  readonly groupBy?: unknown
  readonly having?: unknown
  readonly sort?: unknown
  readonly filter?: unknown
  readonly select?: string[]
  readonly top?: number
  readonly skip?: number
}

function plan(words: Words, env = utc) {
  const query = parseAggregate(words)
  if (query === null) throw new Error('no groups')
  const { top = 1_000, skip = 0, select = null } = words
  const request = { filter: parseFilter(words.filter), sort: parseSort(words.sort), select, top, skip }
  return buildAggregate(task, request, query, env)
}

function run(words: Words, env = utc): Row[] {
  const { statement, finish } = plan(words, env)
  return finish(db.prepare(statement.sql).all(...statement.parameters) as Row[]).records
}

function refusal(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    return { code: (error as PlatformError).code, ...((error as PlatformError).details as object) }
  }
  throw new Error('nothing was refused')
}

describe('aggregations', () => {
  it('without groups give one record, with null for values of nothing', () => {
    const aggregations = [
      { function: 'count' },
      { function: 'count', field: 'hours' },
      ...['sum', 'avg', 'min', 'max', 'count_distinct'].map((name) => ({ function: name, field: 'hours' })),
    ]
    const nothing = { sum_hours: null, avg_hours: null, min_hours: null, max_hours: null, count_distinct_hours: 0 }
    expect(run({ aggregations })).toEqual([{ count: 0, count_hours: 0, ...nothing }])
    insert(task, { hours: 1.5 })
    insert(task, { hours: 1.5 })
    insert(task, { hours: null })
    insert(task, { hours: 9, deleted_at: '2026-01-02T00:00:00.000Z' })
    const values = { sum_hours: 3, avg_hours: 1.5, min_hours: 1.5, max_hours: 1.5, count_distinct_hours: 1 }
    expect(run({ aggregations })).toEqual([{ count: 3, count_hours: 2, ...values }])
  })

  it('have filters and aliases of their own', () => {
    insert(task, { status: 'done', hours: 2 })
    insert(task, { status: 'open', hours: 5 })
    const aggregations = [
      { function: 'count', alias: 'all' },
      { function: 'count', alias: 'done', filter: { status: 'done' } },
      { function: 'sum', field: 'hours', alias: 'late', filter: { hours: { $gt: 10 } } },
    ]
    expect(run({ aggregations })).toEqual([{ all: 2, done: 1, late: null }])
  })

  it('sum integers beyond what an integer of the database holds', () => {
    for (let i = 0; i < 1_100; i++) insert(task, { points: Number.MAX_SAFE_INTEGER })
    const [record] = run({ aggregations: [{ function: 'sum', field: 'points' }] })
    expect(record!['sum_points']).toBeCloseTo(1_100 * Number.MAX_SAFE_INTEGER, -6)
  })

  it('give the first and last date', () => {
    insert(task, { due: '2026-02-01', at: '2026-01-01T00:00:00.000Z' })
    insert(task, { due: '2025-02-01' })
    const aggregations = [
      { function: 'min', field: 'due' },
      { function: 'max', field: 'at' },
    ]
    expect(run({ aggregations })).toEqual([{ min_due: '2025-02-01', max_at: '2026-01-01T00:00:00.000Z' }])
  })
})

describe('groups', () => {
  it('come in the order of their values, options in the order of the field, null first', () => {
    for (const status of ['done', 'open', null, 'doing', 'open']) insert(task, { status })
    expect(run({ groupBy: 'status', aggregations: [{ function: 'count' }] })).toEqual([
      { status: null, count: 1 },
      { status: 'open', count: 2 },
      { status: 'doing', count: 1 },
      { status: 'done', count: 1 },
    ])
  })

  it('put a record with several values into the group of each', () => {
    insert(task, { labels: ['a', 'b'], hours: 1 })
    insert(task, { labels: ['b'], hours: 2 })
    insert(task, { labels: [], hours: 4 })
    insert(task, { hours: 8 })
    expect(run({ groupBy: ['labels'], aggregations: [{ function: 'sum', field: 'hours' }] })).toEqual([
      { labels: null, sum_hours: 12 },
      { labels: 'a', sum_hours: 1 },
      { labels: 'b', sum_hours: 3 },
    ])
  })

  it('follow a relation, and not to deleted records', () => {
    const [a, b] = [randomUUID(), randomUUID()]
    insert(project, { id: a, name: 'Alpha', size: 3 })
    insert(project, { id: b, name: 'Beta', size: 5, deleted_at: '2026-01-02T00:00:00.000Z' })
    insert(task, { project: a })
    insert(task, { project: a })
    insert(task, { project: b })
    const aggregations = [{ function: 'count' }, { function: 'max', field: 'project.size' }]
    expect(run({ groupBy: ['project.name'], aggregations, having: { 'project.name': { $null: false } } })).toEqual([
      { 'project.name': 'Alpha', count: 2, 'max_project.size': 3 },
    ])
    const allowed: QueryEnv = { ...utc, rowCondition: () => parseFilter({ size: { $gt: 3 } }) }
    expect(run({ groupBy: ['project.name'], aggregations: [{ function: 'count' }] }, allowed)).toEqual([
      { 'project.name': null, count: 3 },
    ])
  })

  it('sort lookups by what they display and values by alias', () => {
    const [a, b] = [randomUUID(), randomUUID()].sort() as [string, string]
    insert(project, { id: a, name: 'Z' })
    insert(project, { id: b, name: 'A' })
    for (const id of [a, b, b]) insert(task, { project: id })
    const words = { groupBy: 'project', aggregations: [{ function: 'count', alias: 'n' }] }
    expect(run(words).map((row) => row['project'])).toEqual([b, a])
    expect(run({ ...words, sort: 'n' }).map((row) => row['n'])).toEqual([1, 2])
    expect(run({ ...words, sort: '-n', top: 1 })).toEqual([{ project: b, n: 2 }])
  })

  it('are filtered, counted, paged and reduced to the selected aliases', () => {
    for (const title of ['a', 'b', 'b', 'c', 'c', 'c']) insert(task, { title, done: title === 'c' })
    const words = { groupBy: 'title,done', aggregations: [{ function: 'count' }], having: { count: { $gte: 2 } } }
    expect(run(words)).toEqual([
      { title: 'b', done: false, count: 2 },
      { title: 'c', done: true, count: 3 },
    ])
    expect(run({ ...words, select: ['count'], sort: '-count' })).toEqual([{ count: 3 }, { count: 2 }])
    const paged = plan({ ...words, top: 1 })
    expect(db.prepare(paged.count.sql).get(...paged.count.parameters)).toEqual({ total: 2 })
    expect(paged.finish(db.prepare(paged.statement.sql).all(...paged.statement.parameters) as Row[]).hasMore).toBe(true)
    expect(run({ ...words, skip: 1 })).toHaveLength(1)
  })

  it('are read in order from an index that holds everything', () => {
    const { statement } = plan({
      groupBy: 'status',
      aggregations: [{ function: 'count' }, { function: 'avg', field: 'points' }],
    })
    const details = (
      db.prepare(`EXPLAIN QUERY PLAN ${statement.sql}`).all(...statement.parameters) as { detail: string }[]
    ).map((row) => row.detail)
    expect(details).toContain('SCAN t0 USING INDEX i_task__status__points')
    expect(details.filter((detail) => detail.includes('GROUP BY'))).toEqual([])
  })
})

describe('groups of dates', () => {
  /** The wall-clock day by the runtime's formatter, independent of our own arithmetic. */
  const localDay = (instant: string, timeZone: string) =>
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(
      new Date(instant),
    )
  const startOf = (day: string, granularity: string) => {
    const [year = '', month = ''] = day.split('-')
    if (granularity === 'year') return `${year}-01-01`
    if (granularity === 'month') return `${year}-${month}-01`
    if (granularity === 'quarter')
      return `${year}-${String(Math.floor((Number(month) - 1) / 3) * 3 + 1).padStart(2, '0')}-01`
    if (granularity === 'day') return day
    const date = new Date(`${day}T00:00:00Z`)
    while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
    return date.toISOString().slice(0, 10)
  }
  const granularities = ['day', 'week', 'month', 'quarter', 'year'] as const
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']

  it('of days are plain', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1900-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        fc.constantFrom(...granularities),
        (date, dateGranularity) => {
          db.exec('DELETE FROM o_task')
          const due = date.toISOString().slice(0, 10)
          insert(task, { due })
          expect(run({ groupBy: [{ field: 'due', dateGranularity }] })).toEqual([
            { due: startOf(due, dateGranularity) },
          ])
        },
      ),
      { numRuns: sized(80, 300) },
    )
  })

  it('of timestamps follow the wall clock of the workspace, over every change of the clocks', () => {
    const instants = fc.oneof(
      fc.date({ min: new Date('1973-01-01'), max: new Date('2037-12-31'), noInvalidDate: true }),
      // Around the hours in which days begin and clocks change.
      fc
        .tuple(
          fc.constantFrom('2026-03-29', '2026-10-25', '2026-03-08', '2026-11-01', '2011-12-30', '2026-04-05'),
          fc.integer({ min: -1_000, max: 2_500 }),
        )
        .map(([day, minutes]) => new Date(Date.parse(`${day}T00:00:00Z`) + minutes * 60_000)),
    )
    fc.assert(
      fc.property(
        instants,
        fc.constantFrom(...zones),
        fc.constantFrom(...granularities),
        (date, zone, dateGranularity) => {
          db.exec('DELETE FROM o_task')
          const at = date.toISOString()
          insert(task, { at })
          const expected = startOf(localDay(at, zone), dateGranularity)
          expect(run({ groupBy: [{ field: 'at', dateGranularity, alias: 'p' }] }, envIn(zone))).toEqual([
            { p: expected },
          ])
        },
      ),
      { numRuns: sized(250, 1_000) },
    )
  })

  it('can be filtered by the first day of the period', () => {
    insert(task, { at: '2026-02-28T23:30:00.000Z' })
    insert(task, { at: '2026-02-28T22:30:00.000Z' })
    const groupBy = [{ field: 'at', dateGranularity: 'month', alias: 'month' }]
    expect(run({ groupBy, having: { month: { $gte: '2026-03-01' } } }, envIn('Europe/Berlin'))).toEqual([
      { month: '2026-03-01' },
    ])
  })
})

describe('an aggregation in memory', () => {
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3, nil: null })
  const rows = fc.array(
    fc.record({
      title: maybe(fc.constantFrom('a', 'A', 'b', '')),
      status: maybe(fc.constantFrom('open', 'doing', 'done')),
      done: maybe(fc.boolean()),
      labels: maybe(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 })),
      hours: maybe(fc.integer({ min: -8, max: 8 }).map((n) => n / 4)),
      points: maybe(fc.integer({ min: -3, max: 3 })),
      due: maybe(fc.constantFrom('2026-01-01', '2026-01-31', '2026-02-01', '2025-12-31')),
    }),
    { maxLength: 25 },
  )
  const terms = fc.uniqueArray(fc.constantFrom('title', 'status', 'done', 'labels', 'points', 'due'), { maxLength: 3 })
  const functions = fc.array(
    fc.record({
      function: fc.constantFrom('count', 'sum', 'avg', 'min', 'max', 'count_distinct'),
      field: fc.constantFrom('hours', 'points'),
      open: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  )

  const valueOf = (name: string, given: readonly (number | null)[]): number | null => {
    const present = given.filter((value) => value !== null)
    const sum = present.reduce((a, b) => a + b, 0)
    if (name === 'count') return present.length
    if (name === 'count_distinct') return new Set(present).size
    if (present.length === 0) return null
    if (name === 'sum') return sum
    if (name === 'avg') return sum / present.length
    return name === 'min' ? Math.min(...present) : Math.max(...present)
  }

  it('gives the same groups and values', () => {
    fc.assert(
      fc.property(rows, terms, functions, maybe(fc.integer({ min: 0, max: 3 })), (given, groupBy, chosen, least) => {
        db.exec('DELETE FROM o_task')
        for (const row of given) insert(task, row)
        const aggregations = chosen.map((item, i) => ({
          function: item.function,
          field: item.field,
          alias: `v${i}`,
          ...(item.open ? { filter: { status: { $ne: 'open' } } } : {}),
        }))
        const count = { function: 'count', alias: 'n' }
        const found = run({
          groupBy,
          aggregations: [count, ...aggregations],
          ...(least === null ? {} : { having: { n: { $gte: least } } }),
        })

        const groups = new Map<string, { key: Row; members: Row[] }>()
        if (groupBy.length === 0) groups.set('[]', { key: {}, members: [] })
        for (const row of given) {
          const labels = groupBy.includes('labels') && row.labels?.length ? row.labels : [null]
          for (const label of labels) {
            const key = Object.fromEntries(
              groupBy.map((name) => [name, name === 'labels' ? label : row[name as 'title']]),
            )
            const text = JSON.stringify(groupBy.map((name) => key[name]))
            const group = groups.get(text) ?? { key, members: [] }
            group.members.push(row)
            groups.set(text, group)
          }
        }
        const expected = [...groups.values()]
          .filter(({ members }) => members.length >= (least ?? 0))
          .map(({ key, members }) => {
            const values = chosen.map((item, i) => {
              const taken = members.filter((row) => !item.open || row['status'] !== 'open')
              return [
                `v${i}`,
                valueOf(
                  item.function,
                  taken.map((row) => row[item.field] as number | null),
                ),
              ]
            })
            return { ...key, n: members.length, ...Object.fromEntries(values) } as Row
          })
        const byKey = (list: Row[]) =>
          list.toSorted((a, b) =>
            JSON.stringify(groupBy.map((name) => a[name])) < JSON.stringify(groupBy.map((name) => b[name])) ? -1 : 1,
          )
        expect(found).toHaveLength(expected.length)
        byKey(expected).forEach((row, i) => {
          const other = byKey(found)[i]!
          expect(Object.keys(other)).toEqual(Object.keys(row))
          for (const [key, value] of Object.entries(row)) {
            if (typeof value === 'number') expect(other[key]).toBeCloseTo(value, 9)
            else expect(other[key]).toEqual(value)
          }
        })
      }),
      { numRuns: sized(100, 400) },
    )
  })
})

describe('what is refused', () => {
  it.each<[Words, object]>([
    [{ aggregations: '[' }, { parameter: 'aggregations', path: '' }],
    [{ aggregations: 'count' }, { parameter: 'aggregations', path: '' }],
    [{ aggregations: [{ function: 'median', field: 'hours' }] }, { parameter: 'aggregations', path: '0.function' }],
    [{ aggregations: [{ function: 'sum' }] }, { parameter: 'aggregations', path: '0.field' }],
    [{ aggregations: [{ function: 'count', alias: '__proto__' }] }, { parameter: 'aggregations', path: '0.alias' }],
    [{ aggregations: [{ function: 'count', alias: 'a"b' }] }, { parameter: 'aggregations', path: '0.alias' }],
    [{ aggregations: [{ function: 'count' }, { function: 'count' }] }, { parameter: 'aggregations', path: 'count' }],
    [{ aggregations: [{ function: 'sum', field: 'title' }] }, { parameter: 'aggregations', path: 'title' }],
    [{ aggregations: [{ function: 'sum', field: 'due' }] }, { parameter: 'aggregations', path: 'due' }],
    [{ aggregations: [{ function: 'count_distinct', field: 'data' }] }, { parameter: 'aggregations', path: 'data' }],
    [{ aggregations: [{ function: 'count', filter: { nope: 1 } }] }, { parameter: 'aggregations', field: 'nope' }],
    [{ groupBy: 'nope' }, { parameter: 'groupBy', field: 'nope' }],
    [{ groupBy: 'notes' }, { parameter: 'groupBy', path: 'notes' }],
    [{ groupBy: [{ field: 'title', dateGranularity: 'day' }] }, { parameter: 'groupBy', path: 'title' }],
    [{ groupBy: [{ field: 'due', dateGranularity: 'hour' }] }, { parameter: 'groupBy', path: '0.dateGranularity' }],
    [{ groupBy: [5] }, { parameter: 'groupBy', path: '0' }],
    [
      { groupBy: 'status', having: { count: 1 } },
      { parameter: 'having', field: 'count' },
    ],
    [{ groupBy: 'status', having: { status: { $contains: 'x' } } }, { parameter: 'having' }],
    [{ groupBy: 'status', having: { $search: 'x' } }, { parameter: 'having' }],
    [{ having: { count: 1 } }, { parameter: 'having' }],
    [
      { groupBy: 'status', sort: 'title' },
      { parameter: 'sort', field: 'title' },
    ],
    [
      { groupBy: 'status', select: ['title'] },
      { parameter: 'select', field: 'title' },
    ],
    [
      { groupBy: 'status', top: 10_001 },
      { parameter: 'top', limit: 10_000 },
    ],
  ])('%j', (words, details) => {
    expect(refusal(() => run(words))).toMatchObject({ code: 'invalid_query', ...details })
  })

  it('is a field the caller may not read', () => {
    const env: QueryEnv = { ...utc, canRead: (_object, field) => field !== 'hours' }
    const words = { aggregations: [{ function: 'sum', field: 'hours' }] }
    const unknown = { aggregations: [{ function: 'sum', field: 'nope' }] }
    const message = (text: unknown) => JSON.stringify(text).replaceAll('hours', 'nope')
    expect(message(refusal(() => run(words, env)))).toBe(message(refusal(() => run(unknown, env))))
  })
})
