// Every field type over HTTP: values it takes, how it answers them, and what it refuses with which code (D-94).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'

let host: TestHost
let other: string

const options = ['low', { value: 'mid', label: 'Middle' }, { value: 'old', label: 'Old', active: false }]
const fields = {
  text: { type: 'text', maxLength: 5, minLength: 2, pattern: '^[a-z]+$' },
  textarea: { type: 'textarea', maxLength: 20 },
  markdown: { type: 'markdown' },
  email: { type: 'email' },
  url: { type: 'url' },
  phone: { type: 'phone' },
  number: { type: 'number', min: -5, max: 100, scale: 2 },
  whole: { type: 'number', scale: 0 },
  currency: { type: 'currency' },
  money: { type: 'currency', currencyConfig: { currencyMode: 'dynamic', defaultCurrency: 'EUR' } },
  percent: { type: 'percent' },
  boolean: { type: 'boolean' },
  date: { type: 'date', min: '2000-01-01' },
  datetime: { type: 'datetime' },
  select: { type: 'select', options },
  multiselect: { type: 'multiselect', options, maxItems: 2 },
  tags: { type: 'tags' },
  lookup: { type: 'lookup', reference: 'other' },
  lookups: { type: 'lookup', reference: 'other', multiple: true },
  json: { type: 'json' },
}

beforeAll(async () => {
  host = await createTestHost()
  await host.patch('/settings', { timezone: 'Europe/Berlin' })
  await host.defineObject('other', { name: { type: 'text' } })
  await host.defineObject('all', fields)
  other = (await host.post('/data/other', { name: 'o' })).body.id
})

afterAll(() => host.stop())

/** Field, what is sent, what is answered. */
const good: [keyof typeof fields, unknown, unknown][] = [
  ['text', 'abc', 'abc'],
  ['text', null, null],
  ['textarea', 'a\nb', 'a\nb'],
  ['markdown', '# é', '# é'],
  ['markdown', '# e\u0301', '# \u00e9'],
  ['email', 'Ada@localhost', 'Ada@localhost'],
  ['url', 'https://example.org/a?b=c', 'https://example.org/a?b=c'],
  ['url', 'mailto:a@example.org', 'mailto:a@example.org'],
  ['phone', '+49 (0)30 123-45.6', '+49 (0)30 123-45.6'],
  ['number', 1.005, 1.01],
  ['number', -2.345, -2.35],
  ['whole', 2.5, 3],
  ['currency', 10.239, 10.24],
  ['money', 5, { value: 5, currency: 'EUR' }],
  ['money', { value: 7.5, currency: 'usd' }, { value: 7.5, currency: 'USD' }],
  ['percent', 25, 25],
  ['boolean', true, true],
  ['boolean', 0, false],
  ['boolean', 'true', true],
  ['date', '2024-02-29', '2024-02-29'],
  ['datetime', '2026-01-31T08:15:30.123456+02:00', '2026-01-31T06:15:30.123Z'],
  ['datetime', '2026-07-01T12:00', '2026-07-01T10:00:00.000Z'],
  ['select', 'mid', 'mid'],
  ['multiselect', ['mid', 'low'], ['mid', 'low']],
  ['tags', [' a ', 'b'], ['a', 'b']],
  ['json', { a: [1, { b: null }] }, { a: [1, { b: null }] }],
  ['json', 'text', 'text'],
]

/** Field, what is sent, the code of the refusal. */
const bad: [keyof typeof fields, unknown, string][] = [
  ['text', 'a', 'min_length'],
  ['text', 'abcdef', 'max_length'],
  ['text', 'AB1', 'invalid_format'],
  ['text', 5, 'invalid_type'],
  ['text', 'a\nb', 'invalid_format'],
  ['textarea', 'x'.repeat(21), 'max_length'],
  ['textarea', {}, 'invalid_type'],
  ['markdown', [], 'invalid_type'],
  ['email', 'a@b', 'invalid_email'],
  ['email', 'a b@example.org', 'invalid_email'],
  ['url', 'javascript:alert(1)', 'invalid_url'],
  ['url', '/relative', 'invalid_url'],
  ['phone', 'abc', 'invalid_phone'],
  ['phone', '12', 'invalid_phone'],
  ['number', 101, 'max_value'],
  ['number', -6, 'min_value'],
  ['number', '5', 'invalid_number'],
  ['number', true, 'invalid_number'],
  ['whole', 2 ** 60, 'invalid_number'],
  ['money', { value: 1, currency: 'XXZ' }, 'invalid_currency'],
  ['money', 'much', 'invalid_type'],
  ['percent', 'x', 'invalid_number'],
  ['boolean', 'maybe', 'invalid_boolean'],
  ['boolean', 2, 'invalid_boolean'],
  ['date', '2026-02-30', 'invalid_date'],
  ['date', '1999-12-31', 'min_value'],
  ['date', 20260101, 'invalid_date'],
  ['datetime', 'soon', 'invalid_datetime'],
  ['select', 'nope', 'invalid_option'],
  ['select', 'old', 'invalid_option'],
  ['select', ['low'], 'invalid_type'],
  ['multiselect', ['nope'], 'invalid_option'],
  ['multiselect', 'low', 'invalid_type'],
  ['multiselect', ['low', 'low'], 'duplicate_value'],
  ['tags', ['x'.repeat(101)], 'max_length'],
  ['tags', Array.from({ length: 101 }, (_, n) => `t${n}`), 'max_items'],
  ['lookup', 'abc', 'invalid_reference'],
  ['lookup', '01900000-0000-7000-8000-000000000000', 'invalid_reference'],
  ['lookups', ['01900000-0000-7000-8000-000000000000'], 'invalid_reference'],
]

describe('POST /data/:object with each field type', () => {
  it.each(good)('%s takes %j and answers %j', async (field, sent, answered) => {
    const created = await host.post('/data/all', { [field]: sent })
    expect(created.status, JSON.stringify(created.body)).toBe(201)
    expect(created.body.record[field]).toEqual(answered)
    const read = await host.get(`/data/all/${created.body.id}`)
    expect(read.body.record[field]).toEqual(answered)
  })

  it.each(bad)('%s refuses %j with %s', async (field, sent, code) => {
    const answer = await host.post('/data/all', { [field]: sent })
    expect(answer.status).toBe(400)
    const codes = answer.body.error.details.fieldErrors.map((error: { code: string }) => error.code)
    expect(codes, JSON.stringify(answer.body)).toContain(code)
    expect(answer.body.error.details.fieldErrors[0].field.split('.')[0]).toBe(field)
  })

  it('takes single and multiple lookups', async () => {
    const { body } = await host.post('/data/all', { lookup: other, lookups: [other] })
    expect(body.record).toMatchObject({ lookup: other, lookups: [other] })
  })

  it('lets a stored inactive option stay', async () => {
    await host.defineObject('phase', { state: { type: 'select', options: ['a', 'b'] } })
    const { id } = (await host.post('/data/phase', { state: 'a' })).body
    await host.defineObject('phase', {
      state: { type: 'select', options: [{ value: 'a', label: 'A', active: false }, 'b'] },
      note: { type: 'text' },
    })
    expect((await host.patch(`/data/phase/${id}`, { state: 'a', note: 'n' })).status).toBe(200)
    expect((await host.post('/data/phase', { state: 'a' })).status).toBe(400)
  })

  it('fills defaults: literal, option, {me}, {today}, {now}', async () => {
    await host.defineObject('defaults', {
      word: { type: 'text', defaultValue: 'hi' },
      flag: { type: 'boolean', required: true },
      pick: {
        type: 'select',
        options: [
          { value: 'x', label: 'X' },
          { value: 'y', label: 'Y', default: true },
        ],
      },
      who: { type: 'user', defaultValue: '{me}' },
      day: { type: 'date', defaultValue: '{today}' },
      at: { type: 'datetime', defaultValue: '{now}' },
    })
    const { record } = (await host.post('/data/defaults', {})).body
    expect(record).toMatchObject({ word: 'hi', flag: false, pick: 'y', who: record.owner })
    expect(record.day).toMatch(/^\d{4}-\d{2}-\d{2}$/)
    expect(Math.abs(Date.parse(record.at) - Date.parse(record.created_at))).toBeLessThan(1000)
    expect((await host.post('/data/defaults', { word: null })).body.record.word).toBeNull()
  })

  it('issues autonumbers in order and never twice', async () => {
    await host.defineObject('numbered', {
      no: { type: 'autonumber', autonumberFormat: '{YYYY}-{000}', startNumber: 7 },
    })
    const first = (await host.post('/data/numbered', {})).body
    await host.delete(`/data/numbered/${first.id}?purge=true`)
    const second = (await host.post('/data/numbered', {})).body
    expect(first.record.no).toMatch(/^\d{4}-007$/)
    expect(second.record.no).toMatch(/^\d{4}-008$/)
  })
})
