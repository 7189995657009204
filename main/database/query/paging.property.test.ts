// Cursors visit every record exactly once, whatever the sort, under ties, nulls and records inserted meanwhile (D-75).
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { buildInsert } from '../../../test/support/build-insert.ts'
import { createTableSql } from '../schema/table-ddl.ts'
import { buildFind } from './build-find.ts'
import { createCursorKey } from './cursor.ts'
import { registerFunctions } from './functions.ts'
import { sized } from '../../../test/support/test-size.ts'

function compile(definition: unknown): ObjectSchema {
  const result = checkObjectDefinition(definition)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

const project = compile({ name: 'project', fields: { name: { type: 'text' } } })
const task = compile({
  name: 'task',
  fields: {
    title: { type: 'text', index: true },
    status: { type: 'select', options: ['open', 'doing', 'done'] },
    n: { type: 'number' },
    day: { type: 'date' },
    flag: { type: 'boolean' },
    project: { type: 'lookup', reference: 'project' },
  },
  indexes: [{ fields: ['status', 'day'] }, { fields: ['status', 'n'] }, { fields: ['day'] }],
})
const schemas: Record<string, ObjectSchema> = { project, task }
const env = { schemaOf: (name: string) => schemas[name], now: 0, timeZone: 'UTC', userId: 'me' }
const cursorKey = createCursorKey(randomBytes(32))

type Row = Record<string, unknown>

const projects = ['p1', 'p2', 'p3']
const row = fc.record({
  title: fc.constantFrom(null, 'a', 'A', 'b', 'B', 'é', ''),
  status: fc.constantFrom(null, 'open', 'doing', 'done'),
  n: fc.constantFrom(null, 1, 2),
  day: fc.constantFrom(null, '2026-01-01', '2026-01-02'),
  flag: fc.constantFrom(null, true, false),
  project: fc.constantFrom(null, ...projects),
})
const term = fc.tuple(
  fc.constantFrom('title', 'status', 'n', 'day', 'flag', 'project', 'project.name', 'created_at', 'id'),
  fc.constantFrom('', '-'),
)
const sort = fc.array(term, { maxLength: 3 }).map((terms) => terms.map(([field, sign]) => `${sign}${field}`).join(','))
const filter = fc.constantFrom<unknown>(
  {},
  { status: 'open' },
  { status: 'open', n: 1 },
  { status: 'open', n: { $gte: 1 } },
  { title: 'a' },
)

describe('cursor paging', () => {
  let folder: string
  let db: Sqlite.Database
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-paging-'))
    db = new Sqlite(join(folder, 'data.sqlite'))
    db.pragma('synchronous = OFF')
    registerFunctions(db)
    for (const sql of [...createTableSql(project), ...createTableSql(task)]) db.exec(sql)
    projects.forEach((id, i) => insert(project, { id, name: ['x', null, 'X'][i] }))
  })
  afterAll(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  const insert = (schema: ObjectSchema, values: Row) => {
    const created = `2026-01-01T00:00:0${String(values['id']).length % 3}.000Z`
    const statement = buildInsert(schema, { created_at: created, updated_at: created, ...values })
    db.prepare(statement.sql).run(...statement.parameters)
  }
  const page = (request: { filter: unknown; sort: string; top: number; cursor?: string; skip?: number }) => {
    const plan = buildFind(
      task,
      { ...request, filter: parseFilter(request.filter), sort: parseSort(request.sort) },
      env,
      { cursorKey },
    )
    return plan.finish(db.prepare(plan.statement.sql).all(...plan.statement.parameters) as Row[])
  }
  const walk = (filterInput: unknown, sortText: string, top: number, between: () => void) => {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const result = page({ filter: filterInput, sort: sortText, top, cursor })
      expect(result.nextCursor !== undefined).toBe(result.hasMore)
      ids.push(...result.records.map((record) => String(record['id'])))
      cursor = result.nextCursor
      between()
    } while (cursor !== undefined)
    return ids
  }

  it('gives the same order as one large page, and every record once', () => {
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 25 }),
        sort,
        filter,
        fc.integer({ min: 1, max: 7 }),
        (rows, sortText, filterInput, top) => {
          db.exec('DELETE FROM o_task')
          rows.forEach((values, i) => insert(task, { id: `r${String((i * 7) % 25).padStart(2, '0')}`, ...values }))
          const all = page({ filter: filterInput, sort: sortText, top: 1000 }).records.map((record) => record['id'])
          expect(walk(filterInput, sortText, top, () => undefined)).toEqual(all)
          const skipped = page({ filter: filterInput, sort: sortText, top: 1000, skip: 3 }).records.map(
            (record) => record['id'],
          )
          expect(skipped).toEqual(all.slice(3))
        },
      ),
      { numRuns: sized(100, 500) },
    )
  }, 60_000)

  it('neither repeats nor loses a record when others come and go between pages', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 4, maxLength: 20 }),
        fc.array(row, { maxLength: 12 }),
        sort,
        fc.integer({ min: 1, max: 5 }),
        (rows, late, sortText, top) => {
          db.exec('DELETE FROM o_task')
          rows.forEach((values, i) => insert(task, { id: `r${String(i).padStart(2, '0')}`, ...values }))
          let next = 0
          const ids = walk({}, sortText, top, () => {
            const values = late[next]
            if (values) insert(task, { id: `${next % 2 === 0 ? 'a' : 'z'}${next}`, ...values })
            if (next > 1) db.prepare('DELETE FROM o_task WHERE id = ?').run(`${next % 2 === 0 ? 'a' : 'z'}${next - 2}`)
            next++
          })
          expect(new Set(ids).size).toBe(ids.length)
          expect(ids.filter((id) => id.startsWith('r')).sort()).toEqual(
            rows.map((_, i) => `r${String(i).padStart(2, '0')}`),
          )
        },
      ),
      { numRuns: sized(100, 500) },
    )
  }, 60_000)

  it('refuses a cursor of another query, a damaged one, and one beside an offset with invalid_query', () => {
    db.exec('DELETE FROM o_task')
    for (let i = 0; i < 5; i++) insert(task, { id: `r${i}`, status: 'open', n: i })
    const { nextCursor } = page({ filter: { status: 'open' }, sort: 'n', top: 2 })
    const code = (run: () => unknown) => {
      try {
        run()
        return 'ok'
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const base = { filter: { status: 'open' }, sort: 'n', top: 2, cursor: nextCursor }
    expect(code(() => page(base))).toBe('ok')
    expect(code(() => page({ ...base, sort: '-n' }))).toBe('invalid_query')
    expect(code(() => page({ ...base, filter: { status: 'done' } }))).toBe('invalid_query')
    expect(code(() => page({ ...base, cursor: `${nextCursor!.slice(0, -3)}AAA` }))).toBe('invalid_query')
    expect(code(() => page({ ...base, cursor: 'x' }))).toBe('invalid_query')
    expect(code(() => page({ ...base, skip: 1 }))).toBe('invalid_query')
    expect(code(() => page({ ...base, cursor: undefined, top: 1001 }))).toBe('invalid_query')
    expect(nextCursor).not.toContain('open')
    // Bound to its user too (C8).
    const request = { filter: parseFilter(base.filter), sort: parseSort(base.sort), top: 2, cursor: nextCursor! }
    expect(code(() => buildFind(task, request, env, { cursorKey }))).toBe('ok')
    expect(code(() => buildFind(task, request, { ...env, userId: 'you' }, { cursorKey }))).toBe('invalid_query')
    const otherKey = createCursorKey(randomBytes(32))
    expect(code(() => buildFind(task, request, env, { cursorKey: otherKey }))).toBe('invalid_query')
  })
})
