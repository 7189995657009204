// Records as text from the engine are the records that rows give, whatever the values (D-10, D-11, D-94).
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseExpand } from '#shared/filter/select.ts'
import { parseSort } from '#shared/filter/sort.ts'
import { numberedId, openObjectTables } from '../../../test/support/open-object-tables.ts'
import type { ObjectTables } from '../../../test/support/open-object-tables.ts'
import { buildFind } from './build-find.ts'
import { createCursorKey } from './cursor.ts'
import { sized } from '../../../test/support/test-size.ts'

const cursorKey = createCursorKey(randomBytes(32))

let tables: ObjectTables
beforeAll(() => {
  tables = openObjectTables([
    { name: 'project', fields: { name: { type: 'text' }, open: { type: 'boolean' } } },
    {
      name: 'thing',
      fields: {
        text: { type: 'text' },
        real: { type: 'number' },
        whole: { type: 'number', scale: 0 },
        flag: { type: 'boolean' },
        day: { type: 'date' },
        tags: { type: 'tags' },
        data: { type: 'json' },
        project: { type: 'lookup', reference: 'project' },
        others: { type: 'lookup', reference: 'project', multiple: true },
      },
    },
    { name: 'money', fields: { price: { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } } } },
    { name: 'locked', fields: { word: { type: 'secret' } } },
    { name: 'clocked', fields: { late: { type: 'formula', expression: 'now()', returnType: 'datetime' } } },
  ])
  tables.insert('project', { id: numberedId(1), name: 'a "b" \\ \u2028 é', open: true })
  tables.insert('project', { id: numberedId(2), name: null, open: null, deleted_at: '2026-01-01T00:00:00.000Z' })
})
afterAll(() => tables.close())

const plan = (object: string, words: { sort?: string; top?: number; expand?: string; select?: string[] } = {}) => {
  const request = { filter: null, sort: parseSort(words.sort), top: words.top ?? 100, select: words.select ?? null }
  const rows = buildFind(tables.schema(object), request, tables.env, { cursorKey })
  const json = buildFind(tables.schema(object), request, tables.env, { cursorKey, json: parseExpand(words.expand) })
  return { rows, json }
}

const text = fc.string({ unit: 'binary', maxLength: 8 }).map((value) => value.normalize('NFC').replaceAll('\0', ''))
const thing = fc.record({
  text: fc.option(text, { nil: null }),
  real: fc.option(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
    { nil: null },
  ),
  whole: fc.option(fc.maxSafeInteger(), { nil: null }),
  flag: fc.option(fc.boolean(), { nil: null }),
  day: fc.option(fc.constantFrom('2026-01-01', '2026-12-31'), { nil: null }),
  tags: fc.option(fc.array(text, { maxLength: 3 }), { nil: null }),
  data: fc.option(
    fc
      .jsonValue({ maxDepth: 2 })
      .map((value) => JSON.parse(JSON.stringify(value).replaceAll('\\u0000', '')) as unknown),
    { nil: null },
  ),
  project: fc.constantFrom(null, numberedId(1), numberedId(2), numberedId(3)),
  others: fc.option(fc.subarray([numberedId(1), numberedId(2)]), { nil: null }),
})

describe('rows of JSON', () => {
  it('hold the values that rows of columns hold', () => {
    fc.assert(
      fc.property(fc.array(thing, { minLength: 1, maxLength: 8 }), (things) => {
        tables.db.exec('DELETE FROM o_thing')
        things.forEach((values, index) => tables.insert('thing', { id: numberedId(index), ...values }))
        const { rows, json } = plan('thing')
        const expected = rows.finish(tables.all(rows.statement)).records
        const page = json.finishJson!(tables.all(json.statement))
        expect(JSON.parse(page.records)).toEqual(expected)
        expect(Object.keys((JSON.parse(page.records) as object[])[0]!)).toEqual(Object.keys(expected[0]!))
      }),
      { numRuns: sized(80, 400) },
    )
  })

  it('are written for another protocol with the same values, and go on by the same cursors', () => {
    fc.assert(
      fc.property(fc.array(thing, { minLength: 3, maxLength: 8 }), (things) => {
        tables.db.exec('DELETE FROM o_thing')
        things.forEach((values, index) => tables.insert('thing', { id: numberedId(index), ...values }))
        const names = ['data', 'text', 'tags', 'real', 'whole', 'flag', 'day', 'others']
        const fields = ['id', ...names, 'project']
        const request = { filter: null, sort: parseSort('-real,text'), top: 2, select: fields }
        const build = (options: object) =>
          buildFind(tables.schema('thing'), request, tables.env, { cursorKey, ...options })
        const [rows, json] = [
          build({}),
          build({
            json: parseExpand('project'),
            shape: {
              first: [{ key: '@tag', field: 'day', around: ['W/"', '"'] }],
              members: [
                { key: 'type"', text: "it's" },
                ...names.map((name) => ({ key: `$${name}`, field: name })),
                { key: 'projectId', field: 'project' },
                { key: 'project', field: 'project', related: [{ key: 'called', field: 'name' }] },
              ],
            },
          }),
        ]
        const { records, ...place } = rows.finish(tables.all(rows.statement))
        const { records: text, ...samePlace } = json.finishJson!(tables.all(json.statement))
        // Cursors are sealed each time anew.
        const behind = ({ hasMore, nextCursor }: { hasMore: boolean; nextCursor?: string }) => {
          const next = buildFind(tables.schema('thing'), { ...request, cursor: nextCursor! }, tables.env, { cursorKey })
          return { hasMore, next: next.finish(tables.all(next.statement)).records }
        }
        expect(behind(samePlace)).toEqual(behind(place))
        const found = JSON.parse(text) as Record<string, unknown>[]
        const expected = records.map((record) => ({
          '@tag': record['day'] === null ? null : `W/"${record['day'] as string}"`,
          'type"': "it's",
          ...Object.fromEntries(names.map((name) => [`$${name}`, record[name]])),
          projectId: record['project'],
          project: record['project'] === numberedId(1) ? { called: 'a "b" \\ \u2028 é' } : null,
        }))
        expect(found).toEqual(expected)
        expect(Object.keys(found[0]!)).toEqual(Object.keys(expected[0]!))
      }),
      { numRuns: sized(40, 400) },
    )
  })

  it('have no shape with a field that is not read, or whose values columns do not hold', () => {
    const build = (object: string, field: string, select: string[] | null = null) =>
      buildFind(tables.schema(object), { filter: null, sort: [], top: 5, select }, tables.env, {
        cursorKey,
        json: [],
        shape: {
          members: [
            { key: 'id', field: 'id' },
            { key: 'x', field },
          ],
        },
      }).finishJson
    expect(build('thing', 'text')).not.toBeNull()
    expect(build('thing', 'nope')).toBeNull()
    expect(build('thing', 'text', ['real'])).toBeNull()
    expect(build('locked', 'word')).toBeNull()
    expect(build('money', 'price')).toBeNull()
  })

  it('are damaged by no damaged column', () => {
    tables.db.exec('DELETE FROM o_thing')
    tables.insert('thing', { id: numberedId(1), text: 'x' })
    tables.db.exec(`UPDATE o_thing SET tags = '[broken', data = 'nonsense', whole = NULL`)
    const { json } = plan('thing')
    const [record] = JSON.parse(json.finishJson!(tables.all(json.statement)).records) as Record<string, unknown>[]
    expect(record).toMatchObject({ text: 'x', tags: null, data: null })
  })

  it('hold related records in place of their ids, and the ids of those that are gone', () => {
    tables.db.exec('DELETE FROM o_thing')
    const links = [numberedId(1), numberedId(2), numberedId(9), null]
    links.forEach((project, index) => tables.insert('thing', { id: numberedId(index), project }))
    const { json } = plan('thing', { expand: 'project', select: ['project'] })
    const records = JSON.parse(json.finishJson!(tables.all(json.statement)).records) as Record<string, unknown>[]
    expect(records.map((record) => record['project'])).toEqual([
      expect.objectContaining({ id: numberedId(1), name: 'a "b" \\ \u2028 é', open: true }),
      numberedId(2),
      numberedId(9),
      null,
    ])
    expect(records[0]!['project']).not.toHaveProperty('deleted_at')
  })

  it('go on by the same cursors as rows', () => {
    tables.db.exec('DELETE FROM o_thing')
    for (let index = 0; index < 5; index++) {
      tables.insert('thing', { id: numberedId(index), flag: index % 2 === 0, real: index === 3 ? null : index / 2 })
    }
    for (const sort of ['flag,-real', '-flag', 'real', 'text', 'project']) {
      const { rows, json } = plan('thing', { sort, top: 2 })
      const page = json.finishJson?.(tables.all(json.statement))
      // A sort by what a related record is called has values that the record does not show.
      if (sort === 'project') expect(page).toBeUndefined()
      if (page === undefined) continue
      const request = { filter: null, sort: parseSort(sort), top: 10, cursor: page.nextCursor! }
      const next = buildFind(tables.schema('thing'), request, tables.env, { cursorKey })
      const all = plan('thing', { sort }).rows
      const expected = all.finish(tables.all(all.statement)).records.map((record) => record['id'])
      const found = (JSON.parse(page.records) as { id: string }[]).map((record) => record.id)
      const rest = next.finish(tables.all(next.statement)).records.map((record) => record['id'])
      expect([...found, ...rest], sort).toEqual(expected)
      expect(rows.finish(tables.all(rows.statement)).hasMore).toBe(page.hasMore)
    }
  })

  it.each(['money', 'locked', 'clocked'])('are not made of %s, whose values columns do not hold', (object) => {
    expect(plan(object).json.finishJson).toBeNull()
  })

  it('hold the readable fields and covered rows only where rights restrict them', () => {
    const field = tables.schema('thing').fields[0]!.name
    const env = {
      ...tables.env,
      canRead: (_object: string, name: string) => name !== field,
      rowCondition: () => null,
    }
    const list = (json: boolean) =>
      buildFind(tables.schema('thing'), { filter: null, sort: [], top: 5 }, env, {
        cursorKey,
        ...(json ? { json: [] } : {}),
      })
    const [text, rows] = [list(true), list(false)]
    const page = text.finishJson!(tables.all(text.statement))
    const expected = rows.finish(tables.all(rows.statement))
    expect(JSON.parse(page.records)).toEqual(JSON.parse(JSON.stringify(expected.records)))
    expect(Object.keys((JSON.parse(page.records) as object[])[0]!)).not.toContain(field)
  })

  it('are not made of expansions where rights restrict, or with conditions', () => {
    const request = { filter: null, sort: [], top: 5 }
    const build = (env: object, expand: unknown) =>
      buildFind(tables.schema('thing'), request, { ...tables.env, ...env }, { cursorKey, json: parseExpand(expand) })
    expect(build({}, 'project').finishJson).not.toBeNull()
    expect(build({ canRead: () => true }, 'project').finishJson).toBeNull()
    expect(build({ rowCondition: () => null }, 'project').finishJson).toBeNull()
    expect(build({}, 'others').finishJson).toBeNull()
    expect(build({}, { project: { where: { open: true } } }).finishJson).toBeNull()
    expect(build({}, { project: { fields: ['nope'] } }).finishJson).toBeNull()
  })
})
