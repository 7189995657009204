// Distinct tuples against a plain reading of D-89 on a real file.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformError } from '#shared/errors.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { buildInsert } from '../../../test/support/build-insert.ts'
import { createTableSql } from '../schema/table-ddl.ts'
import { buildDistinct } from './build-distinct.ts'
import { registerFunctions } from './functions.ts'

type Row = Record<string, unknown>

function compile(definition: unknown): ObjectSchema {
  const result = checkObjectDefinition(definition)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

const project = compile({ name: 'project', fields: { name: { type: 'text' } } })
const task = compile({
  name: 'task',
  fields: {
    title: { type: 'text' },
    status: { type: 'select', options: ['open', 'doing', 'done'] },
    done: { type: 'boolean' },
    labels: { type: 'tags' },
    price: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } },
    project: { type: 'lookup', reference: 'project' },
  },
})
const schemas: Record<string, ObjectSchema> = { project, task }
const env: QueryEnv = { schemaOf: (name) => schemas[name], now: 0, timeZone: 'UTC', userId: 'me' }

let folder: string
let db: Sqlite.Database
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-distinct-'))
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

function plan(select: string[], words: { sort?: string; filter?: unknown; top?: number; skip?: number } = {}) {
  const { sort = '', filter, top = 100, skip = 0 } = words
  return buildDistinct(task, { filter: parseFilter(filter), sort: parseSort(sort), select, top, skip }, env)
}

function run(select: string[], words: Parameters<typeof plan>[1] = {}): Row[] {
  const { statement, finish } = plan(select, words)
  return finish(db.prepare(statement.sql).all(...statement.parameters) as Row[]).records
}

describe('distinct rows', () => {
  it('have exactly the selected fields, each tuple once, in their order', () => {
    insert(task, { status: 'done', done: true })
    insert(task, { status: 'open', done: false })
    insert(task, { status: 'open', done: false })
    insert(task, { status: 'open', done: true, deleted_at: '2026-01-02T00:00:00.000Z' })
    insert(task, {})
    expect(run(['status', 'done'])).toEqual([
      { status: null, done: null },
      { status: 'open', done: false },
      { status: 'done', done: true },
    ])
    expect(run(['status'], { sort: '-status', filter: { done: { $null: false } } })).toEqual([
      { status: 'done' },
      { status: 'open' },
    ])
  })

  it('may have lists and amounts of money, which have no order or two columns', () => {
    insert(task, { labels: ['a'], price: { value: 1, currency: 'EUR' } })
    insert(task, { labels: ['a'], price: { value: 1, currency: 'EUR' } })
    insert(task, { labels: ['a'], price: { value: 1, currency: 'USD' } })
    expect(run(['labels'])).toEqual([{ labels: ['a'] }])
    expect(run(['price'])).toHaveLength(2)
    expect(run(['labels', 'price'])[0]).toEqual({ labels: ['a'], price: { value: 1, currency: expect.any(String) } })
  })

  it('sort lookups by what they display', () => {
    const [first, second] = [randomUUID(), randomUUID()].sort() as [string, string]
    insert(project, { id: first, name: 'Z' })
    insert(project, { id: second, name: 'A' })
    for (const id of [first, second, second]) insert(task, { project: id })
    expect(run(['project'])).toEqual([{ project: second }, { project: first }])
  })

  it('may include the id', () => {
    insert(task, { title: 'x' })
    insert(task, { title: 'x' })
    expect(run(['id', 'title'])).toHaveLength(2)
  })

  it.each([
    [() => plan([]), 'distinct'],
    [() => plan(['nope']), 'select'],
    [() => plan(['title'], { sort: 'status' }), 'sort'],
    [() => plan(['labels'], { sort: 'labels' }), 'sort'],
    [() => plan(['project'], { sort: 'project.name' }), 'sort'],
    [() => buildDistinct(task, { filter: null, sort: [], select: ['title'], top: 1, cursor: 'x' }, env), 'cursor'],
  ])('are refused where D-89 does not offer them: %s', (action, parameter) => {
    let refused: unknown
    try {
      action()
    } catch (error) {
      refused = (error as PlatformError).details
    }
    expect(refused).toMatchObject({ parameter })
  })

  it('are the same over pages, as one list, and by count, whatever the rows', () => {
    const row = fc.record({
      title: fc.constantFrom('a', 'A', 'b', null),
      status: fc.constantFrom('open', 'done', null),
      done: fc.constantFrom(true, false, null),
    })
    const names = fc.uniqueArray(fc.constantFrom('title', 'status', 'done'), { minLength: 1 })
    fc.assert(
      fc.property(fc.array(row, { maxLength: 20 }), names, fc.boolean(), (rows, select, descending) => {
        db.exec('DELETE FROM o_task')
        for (const values of rows) insert(task, values)
        const key = (record: Row) => JSON.stringify(select.map((name) => record[name]))
        const expected = new Set(rows.map(key))
        const sort = `${descending ? '-' : ''}${select[0]!}`
        const all = run(select, { sort }).map(key)
        expect(all).toHaveLength(expected.size)
        expect(new Set(all)).toEqual(expected)
        const paged: string[] = []
        for (let skip = 0; skip < all.length; skip += 2) paged.push(...run(select, { sort, top: 2, skip }).map(key))
        expect(paged).toEqual(all)
        const { count } = plan(select)
        expect(db.prepare(count.sql).get(...count.parameters)).toEqual({ total: expected.size })
      }),
      { numRuns: 200 },
    )
  }, 30_000)
})
