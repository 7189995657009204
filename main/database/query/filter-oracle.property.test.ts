// Random filters over random rows: what SQL answers is what a plain reading of D-79 to D-84 answers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Filter, FilterCondition, Operand } from '#shared/filter/filter.ts'
import { matchAll } from '#shared/filter/filter.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { printFilter } from '#shared/filter/print-filter.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { compileObject } from '#shared/object-schema.ts'
import { buildInsert } from '../../../test/support/build-insert.ts'
import { createTableSql } from '../schema/table-ddl.ts'
import { buildCount, buildFind } from './build-find.ts'
import { buildFit } from './build-fit.ts'
import { createCursorKey } from './cursor.ts'
import { registerFunctions } from './functions.ts'
import { sized } from '../../../test/support/test-size.ts'

function compile(definition: unknown): ObjectSchema {
  const result = checkObjectDefinition(definition)
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition)
}

const statuses = ['open', 'doing', 'done']
const project = compile({ name: 'project', fields: { name: { type: 'text' }, size: { type: 'number' } } })
const task = compile({
  name: 'task',
  fields: {
    title: { type: 'text', index: true },
    note: { type: 'textarea' },
    mail: { type: 'email', index: true },
    n: { type: 'number' },
    count: { type: 'number', scale: 0, index: true },
    flag: { type: 'boolean' },
    day: { type: 'date' },
    at: { type: 'datetime' },
    status: { type: 'select', options: statuses },
    labels: { type: 'tags' },
    project: { type: 'lookup', reference: 'project' },
    others: { type: 'lookup', reference: 'project', multiple: true },
    data: { type: 'json' },
  },
  indexes: [{ fields: ['status', 'day'] }, { fields: ['status', 'count'] }],
})
const schemas: Record<string, ObjectSchema> = { project, task }
const env = { schemaOf: (name: string) => schemas[name], now: Date.UTC(2026, 5, 15, 12), timeZone: 'UTC', userId: 'me' }
const cursorKey = createCursorKey(randomBytes(32))

type Row = Record<string, unknown>

const texts = fc
  .constantFrom(
    '',
    'a',
    'A',
    'ab',
    'AB',
    'é',
    'É',
    'e',
    'k',
    'K',
    '\u212a',
    's',
    '\u017f',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'Σ',
    '%',
    '_',
    '\\',
    "'",
    '"',
    'a%b',
    'x_y',
    'İ',
    'ı',
    '😀',
    '漢字',
  )
  .map((text) => text.normalize('NFC'))
const mails = fc.constantFrom('a@b.de', 'A@B.de', 'k@x.org', 'É@x.org', 'é@x.org')
const numbers = fc.constantFrom(-1.5, 0, 1, 2, 2.5, 1e15)
const counts = fc.constantFrom(-1, 0, 1, 2)
const days = fc.constantFrom('2026-06-14', '2026-06-15', '2026-06-16', '2026-02-28')
const instants = fc.constantFrom(
  '2026-06-14T23:59:59.999Z',
  '2026-06-15T00:00:00.000Z',
  '2026-06-15T23:59:59.999Z',
  '2026-06-16T00:00:00.000Z',
)
const labels = fc.constantFrom('red', 'Red', 'blue', "o'hara", 'ü')
const projectIds = Array.from({ length: 4 }, (_, i) => `01900000-0000-7000-8000-00000000000${i}`)
const dataValues = fc.constantFrom<unknown>(1, 2, 'a', 'A', true, false, null, { b: 1 }, [1])
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 3, nil: null })

const taskRow = fc.record({
  title: maybe(texts),
  note: maybe(texts),
  mail: maybe(mails),
  n: maybe(numbers),
  count: maybe(counts),
  flag: maybe(fc.boolean()),
  day: maybe(days),
  at: maybe(instants),
  status: maybe(fc.constantFrom(...statuses)),
  labels: maybe(fc.uniqueArray(labels, { maxLength: 3 })),
  project: maybe(fc.constantFrom(...projectIds)),
  others: maybe(fc.uniqueArray(fc.constantFrom(...projectIds), { maxLength: 3 })),
  data: maybe(fc.record({ a: dataValues }, { requiredKeys: [] })),
})
const projectRow = fc.record({ name: maybe(texts), size: maybe(numbers), deleted: fc.boolean() })

const condition = (
  path: string,
  operator: FilterCondition['operator'],
  operand: fc.Arbitrary<Operand | readonly Operand[]>,
) => operand.map((value): Filter => ({ kind: 'condition', path: path.split('.'), operator, operand: value }))
const equality = (path: string, value: fc.Arbitrary<Operand>) => [
  condition(path, '$eq', value),
  condition(path, '$ne', value),
  condition(path, '$in', fc.array(value, { minLength: 1, maxLength: 12 })),
  condition(path, '$nin', fc.array(value, { minLength: 1, maxLength: 3 })),
  condition(path, '$null', fc.boolean()),
]
const order = (path: string, value: fc.Arbitrary<Operand>) => [
  ...(['$gt', '$gte', '$lt', '$lte'] as const).map((operator) => condition(path, operator, value)),
  condition(path, '$between', fc.tuple(value, value)),
]
const matching = (path: string, value: fc.Arbitrary<Operand>) =>
  (['$contains', '$notContains', '$startsWith', '$endsWith'] as const).map((operator) =>
    condition(path, operator, value),
  )
const list = (path: string, value: fc.Arbitrary<Operand>) => [
  condition(path, '$contains', value),
  condition(path, '$notContains', value),
  condition(path, '$null', fc.boolean()),
  ...(['$in', '$any', '$all'] as const).map((operator) =>
    condition(path, operator, fc.array(value, { minLength: 1, maxLength: 3 })),
  ),
]

const leaves = fc.oneof(
  ...['title', 'note'].flatMap((path) => [...equality(path, texts), ...order(path, texts), ...matching(path, texts)]),
  ...equality('mail', mails),
  ...['n', 'count'].flatMap((path) => [...equality(path, numbers), ...order(path, numbers)]),
  ...equality('flag', fc.boolean()),
  ...[...equality('day', days), ...order('day', days)],
  ...[...equality('at', instants), ...order('at', instants), ...equality('at', days), ...order('at', days)],
  ...[...equality('status', fc.constantFrom(...statuses)), ...order('status', fc.constantFrom(...statuses))],
  ...list('labels', labels),
  ...equality('project', fc.constantFrom(...projectIds)),
  ...list('others', fc.constantFrom(...projectIds)),
  ...[...equality('project.name', texts), ...matching('project.name', texts), ...order('project.size', numbers)],
  ...[...equality('others.name', texts), ...order('others.size', numbers)],
  ...[
    ...equality('data.a', fc.oneof(numbers, texts, fc.boolean())),
    ...order('data.a', numbers),
    ...matching('data.a', texts),
  ],
)
const filters: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaves,
    fc.array(tie('filter'), { maxLength: 3 }).map((children): Filter => ({ kind: 'and', children })),
    fc.array(tie('filter'), { maxLength: 3 }).map((children): Filter => ({ kind: 'or', children })),
    tie('filter').map((child): Filter => ({ kind: 'not', child })),
  ),
})).filter

// --- the oracle -------------------------------------------------------------------------------------------------

/** Case folding by the regular expression engine, which is independent of our table. */
function sameFold(a: string, b: string): boolean {
  if (a.length === 0 || b.length === 0) return a === b
  return new RegExp(`^${RegExp.escape(a)}$`, 'iu').test(b)
}
function points(text: string): string[] {
  return [...text]
}
function containsFold(text: string, part: string): boolean {
  const [a, b] = [points(text), points(part)]
  return a.some((_, i) => sameFold(a.slice(i, i + b.length).join(''), part)) || part === ''
}
function asciiFold(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
function compareText(a: string, b: string): number {
  return compareBytes(asciiFold(a), asciiFold(b)) || compareBytes(a, b)
}
function compare(field: string, a: unknown, b: unknown): number {
  if (field === 'status') return statuses.indexOf(a as string) - statuses.indexOf(b as string)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (['title', 'note', 'name'].includes(field)) return compareText(a as string, b as string)
  return compareBytes(String(a), String(b))
}
function equals(field: string, value: unknown, operand: unknown): boolean {
  if (field === 'mail') return sameFold(value as string, operand as string)
  if (field === 'at' && /^\d{4}-\d{2}-\d{2}$/.test(String(operand))) return String(value).startsWith(String(operand))
  return value === operand
}
/** A day operand on a timestamp compares by day. */
function against(field: string, value: unknown, operand: unknown): number {
  const isDay = field === 'at' && /^\d{4}-\d{2}-\d{2}$/.test(String(operand))
  return compare(field, isDay ? String(value).slice(0, 10) : value, operand)
}

/** Whether one non-null value satisfies a positive operator. */
function satisfies(field: string, value: unknown, operator: string, operand: unknown): boolean {
  const items = Array.isArray(operand) ? operand : [operand]
  if (Array.isArray(value))
    return operator === '$all'
      ? items.every((item) => value.includes(item))
      : items.some((item) => value.includes(item))
  switch (operator) {
    case '$eq':
      return equals(field, value, operand)
    case '$in':
      return items.some((item) => equals(field, value, item))
    case '$gt':
      return against(field, value, operand) > 0
    case '$gte':
      return against(field, value, operand) >= 0
    case '$lt':
      return against(field, value, operand) < 0
    case '$lte':
      return against(field, value, operand) <= 0
    case '$between':
      return against(field, value, items[0]) >= 0 && against(field, value, items[1]) <= 0
    case '$contains':
      return containsFold(value as string, operand as string)
    case '$startsWith':
      return sameFold(
        points(value as string)
          .slice(0, points(operand as string).length)
          .join(''),
        operand as string,
      )
    case '$endsWith':
      return (
        operand === '' ||
        sameFold(
          points(value as string)
            .slice(-points(operand as string).length)
            .join(''),
          operand as string,
        )
      )
    default:
      throw new Error(operator)
  }
}

function matches(row: Row, filter: Filter, projects: ReadonlyMap<string, Row>): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.children.every((child) => matches(row, child, projects))
    case 'or':
      return filter.children.some((child) => matches(row, child, projects))
    case 'not':
      return !matches(row, filter.child, projects)
    case 'search':
    case 'some':
    case 'among':
    case 'related':
      throw new Error(filter.kind)
    case 'condition':
      return matchesCondition(row, filter, projects)
  }
}

function matchesCondition(
  row: Row,
  { path, operator, operand }: FilterCondition,
  projects: ReadonlyMap<string, Row>,
): boolean {
  const negative = { $ne: '$eq', $nin: '$in', $notContains: '$contains' }[operator as string]
  if (negative)
    return !matchesCondition(row, { kind: 'condition', path, operator: negative as '$eq', operand }, projects)
  const [first, second] = path as [string, string?]
  const field = second ?? first
  let values: unknown[] = [row[first]]
  if (first === 'data') {
    const inner = (row['data'] as Row | null)?.['a']
    values = [inner]
    if (operator !== '$null') return innerMatches(inner, operator, operand)
  } else if (second !== undefined) {
    const ids = [row[first] ?? []].flat() as string[]
    values = ids
      .map((id) => projects.get(id))
      .filter((target) => target && !target['deleted'])
      .map((target) => target![second])
  }
  const present = values.some(
    (value) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  if (operator === '$null') return operand === !present
  return values.some((value) => value !== null && value !== undefined && satisfies(field, value, operator, operand))
}

/** Inside of JSON a scalar compares with operands of its own kind. */
function innerMatches(value: unknown, operator: string, operand: unknown): boolean {
  if (!['number', 'string', 'boolean'].includes(typeof value)) return false
  const items: unknown[] = Array.isArray(operand) ? operand : [operand]
  if (operator === '$in') return items.includes(value)
  if (['$contains', '$startsWith', '$endsWith'].includes(operator))
    return typeof value === 'string' && satisfies('x', value, operator, operand)
  if (typeof value !== typeof items[0]) return false
  return satisfies('x', value, operator, operand)
}

// ----------------------------------------------------------------------------------------------------------------

describe('filters', () => {
  let folder: string
  let db: Sqlite.Database
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'cairn-filter-'))
    db = new Sqlite(join(folder, 'data.sqlite'))
    db.pragma('synchronous = OFF')
    registerFunctions(db)
    for (const sql of [...createTableSql(project), ...createTableSql(task)]) db.exec(sql)
  })
  afterAll(() => {
    db.close()
    rmSync(folder, { recursive: true })
  })

  const insert = (schema: ObjectSchema, values: Row) => {
    const statement = buildInsert(schema, {
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      ...values,
    })
    db.prepare(statement.sql).run(...statement.parameters)
  }
  const fill = (rows: readonly Row[], projects: readonly Row[]) => {
    db.exec('DELETE FROM o_task; DELETE FROM o_project')
    const byId = new Map<string, Row>()
    projects.forEach((row, i) => {
      byId.set(projectIds[i]!, row)
      insert(project, { id: projectIds[i], ...row, deleted_at: row.deleted ? '2026-01-02T00:00:00.000Z' : null })
    })
    rows.forEach((row, i) => insert(task, { id: `t${String(i).padStart(3, '0')}`, ...row }))
    return byId
  }
  const run = (filter: Filter) => {
    const plan = buildFind(task, { filter, sort: [], top: 1000 }, env, { cursorKey })
    return plan.finish(db.prepare(plan.statement.sql).all(...plan.statement.parameters) as Row[]).records
  }

  it('answer exactly the rows that a plain reading of the language answers', () => {
    let nonTrivial = 0
    fc.assert(
      fc.property(
        fc.array(taskRow, { minLength: 1, maxLength: 12 }),
        fc.array(projectRow, { minLength: 4, maxLength: 4 }),
        fc.array(filters, { minLength: 1, maxLength: 12 }),
        (rows, projects, manyFilters) => {
          const byId = fill(rows, projects)
          for (const filter of manyFilters) {
            const found = run(filter).map((record) => record['id'])
            const expected = rows.flatMap((row, i) =>
              matches(row, filter, byId) ? [`t${String(i).padStart(3, '0')}`] : [],
            )
            expect(found, JSON.stringify(printFilter(filter))).toEqual(expected)
            if (expected.length > 0 && expected.length < rows.length) nonTrivial++
            const count = buildCount(task, { filter }, env)
            expect(db.prepare(count.sql).get(...count.parameters)).toEqual({ total: expected.length })
          }
        },
      ),
      { numRuns: sized(200, 400) },
    )
    expect(nonTrivial).toBeGreaterThan(200)
  })

  it('pass a record of which only the values are known when the list has it', () => {
    let passed = 0
    fc.assert(
      fc.property(
        fc.array(taskRow, { minLength: 1, maxLength: 6 }),
        fc.array(projectRow, { minLength: 4, maxLength: 4 }),
        fc.array(filters, { minLength: 1, maxLength: 6 }),
        (rows, projects, manyFilters) => {
          fill(rows, projects)
          const records = run(matchAll)
          for (const filter of manyFilters) {
            const listed = run(filter).map((record) => record['id'])
            const fitting = records.filter((record) => {
              const fit = buildFit(task, record, filter, env)
              return (db.prepare(fit.sql).get(...fit.parameters) as { fits: number }).fits === 1
            })
            expect(
              fitting.map((record) => record['id']),
              JSON.stringify(printFilter(filter)),
            ).toEqual(listed)
            passed += listed.length
          }
        },
      ),
      { numRuns: sized(40, 60) },
    )
    expect(passed).toBeGreaterThan(50)
  })

  it('print and parse back to the same tree', () => {
    fc.assert(
      fc.property(filters, (filter) => {
        expect(parseFilter(JSON.parse(JSON.stringify(printFilter(filter))))).toEqual(filter)
      }),
      {
        numRuns: sized(500, 2000),
      },
    )
  })
})
