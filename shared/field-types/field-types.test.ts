// Every field type against values it takes, values it refuses with the code of D-22, texts, and the way into a column
// and back.
import { describe, expect, it } from 'vitest'
import { fieldErrorCodes } from '#shared/errors.ts'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import { currencyCodes } from './currencies.ts'
import { roundHalfAwayFromZero } from './decimal.ts'
import type { FieldSchema } from './field-schema.ts'
import type { ParseResult } from './field-type.ts'
import { parseField } from './parse-field.ts'
import { fieldTypeOf, fieldTypes } from './registry.ts'

const env = { timeZone: 'Europe/Berlin', defaultCurrency: 'EUR' }
const uuid = '01900000-0000-7000-8000-0000000000ab'
const other = '01900000-0000-7000-8000-0000000000cd'

function field(definition: Record<string, unknown>): FieldSchema {
  const result = checkObjectDefinition({ name: 'thing', fields: { value: definition } })
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition).byName.get('value')!
}

const parse = (definition: Record<string, unknown>, value: unknown, stored?: unknown): ParseResult =>
  parseField(field(definition), value, env, stored)

function codesOf(result: ParseResult): string[] {
  return result.ok ? [] : result.errors.map((error) => error.code)
}

const options = [{ value: 'open' }, { value: 'done', label: 'Ready' }, { value: 'old', active: false }]
const dynamic = { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } }
const many = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`)

/** Definition, value given, value stored. */
const good: [Record<string, unknown>, unknown, unknown][] = [
  [{ type: 'text' }, 'a', 'a'],
  [{ type: 'text' }, '', ''],
  [{ type: 'text' }, ' a ', ' a '],
  [{ type: 'text' }, 'e\u0301', 'é'],
  [{ type: 'text' }, '\ud800', '\ufffd'],
  [{ type: 'text' }, '😀'.repeat(1_000), '😀'.repeat(1_000)],
  [{ type: 'text', minLength: 3 }, '', ''],
  [{ type: 'text', pattern: '[A-Z]{2}\\d+' }, 'AB1', 'AB1'],
  [{ type: 'textarea' }, 'a\r\nb', 'a\r\nb'],
  [{ type: 'markdown' }, '# a', '# a'],
  [{ type: 'email' }, 'A@b.de', 'A@b.de'],
  [{ type: 'email' }, 'a@localhost', 'a@localhost'],
  [{ type: 'email' }, '  ', null],
  [{ type: 'url' }, 'https://a.de/x?y#z', 'https://a.de/x?y#z'],
  [{ type: 'url' }, 'mailto:a@b.de', 'mailto:a@b.de'],
  [{ type: 'url', schemes: ['ftp'] }, 'ftp:x', 'ftp:x'],
  [{ type: 'phone' }, '+49 (30) 1-2.3', '+49 (30) 1-2.3'],
  [{ type: 'number' }, 1.5, 1.5],
  [{ type: 'number' }, -0, 0],
  [{ type: 'number', scale: 0 }, 2.5, 3],
  [{ type: 'number', scale: 0 }, -2.5, -3],
  [{ type: 'number', scale: 2 }, 1.005, 1.01],
  [{ type: 'number', precision: 3, scale: 1 }, 99.94, 99.9],
  [{ type: 'currency' }, 1.005, 1.01],
  [dynamic, 2, { value: 2, currency: 'EUR' }],
  [dynamic, { value: 2, currency: 'usd' }, { value: 2, currency: 'USD' }],
  [{ type: 'percent' }, 25.555, 25.56],
  [{ type: 'percent', scale: 0 }, 25.5, 26],
  [{ type: 'boolean' }, true, true],
  [{ type: 'boolean' }, 0, false],
  [{ type: 'boolean' }, 'true', true],
  [{ type: 'date' }, '2024-02-29', '2024-02-29'],
  [{ type: 'date', min: '2026-01-01' }, '2026-01-01', '2026-01-01'],
  [{ type: 'datetime' }, '2026-01-31T08:15:30.1239Z', '2026-01-31T08:15:30.123Z'],
  [{ type: 'datetime' }, '2026-01-31T08:15+02:00', '2026-01-31T06:15:00.000Z'],
  [{ type: 'datetime' }, '2026-01-31T08:15', '2026-01-31T07:15:00.000Z'],
  [{ type: 'datetime' }, '2026-07-01', '2026-06-30T22:00:00.000Z'],
  [{ type: 'select', options }, 'open', 'open'],
  [{ type: 'multiselect', options }, ['done', 'open'], ['done', 'open']],
  [{ type: 'multiselect', options }, [], []],
  [{ type: 'tags' }, [' a ', 'B'], ['a', 'B']],
  [{ type: 'tags', options }, ['open'], ['open']],
  [{ type: 'lookup', reference: 'thing' }, uuid.toUpperCase(), uuid],
  [{ type: 'lookup', reference: 'thing', multiple: true }, [uuid, other], [uuid, other]],
  [{ type: 'user' }, 'system', 'system'],
  [{ type: 'json' }, { a: [1, null] }, { a: [1, null] }],
  [{ type: 'json' }, false, false],
  [{ type: 'autonumber' }, null, null],
]

/** Definition, value refused, codes in order. */
const bad: [Record<string, unknown>, unknown, string[]][] = [
  [{ type: 'text' }, 5, ['invalid_type']],
  [{ type: 'text' }, 'a\nb', ['invalid_format']],
  [{ type: 'text' }, 'a\0b', ['invalid_format']],
  [{ type: 'text' }, 'x'.repeat(1_001), ['max_length']],
  [{ type: 'text', minLength: 3 }, 'ab', ['min_length']],
  [{ type: 'text', pattern: 'a+' }, 'b', ['invalid_format']],
  [{ type: 'text', required: true }, '  ', ['required']],
  [{ type: 'textarea' }, 'x'.repeat(100_001), ['max_length']],
  [{ type: 'markdown' }, {}, ['invalid_type']],
  [{ type: 'email' }, 'a@b', ['invalid_email']],
  [{ type: 'email' }, 'a@b@c.de', ['invalid_email']],
  [{ type: 'email' }, `${'a'.repeat(316)}@b.de`, ['max_length']],
  [{ type: 'url' }, '/relative', ['invalid_url']],
  [{ type: 'url' }, 'javascript:alert(1)', ['invalid_url']],
  [{ type: 'url' }, 'http://', ['invalid_url']],
  [{ type: 'phone' }, '12a45', ['invalid_phone']],
  [{ type: 'phone' }, '++--12', ['invalid_phone']],
  [{ type: 'number' }, '5', ['invalid_number']],
  [{ type: 'number' }, Number.NaN, ['invalid_number']],
  [{ type: 'number' }, 2 ** 53, ['invalid_number']],
  [{ type: 'number', min: 1 }, 0, ['min_value']],
  [{ type: 'number', max: 1 }, 2, ['max_value']],
  [{ type: 'number', precision: 3, scale: 1 }, 100, ['max_value']],
  [{ type: 'currency' }, { value: 1, currency: 'EUR' }, ['invalid_number']],
  [dynamic, 'x', ['invalid_type']],
  [dynamic, { value: 1, currency: 'XYZ' }, ['invalid_currency']],
  [dynamic, { value: 'x' }, ['invalid_number']],
  [{ type: 'percent' }, true, ['invalid_number']],
  [{ type: 'boolean' }, 'yes', ['invalid_boolean']],
  [{ type: 'boolean' }, 2, ['invalid_boolean']],
  [{ type: 'date' }, '2026-02-29', ['invalid_date']],
  [{ type: 'date' }, '2026-01-01T00:00:00Z', ['invalid_date']],
  [{ type: 'date', min: '2026-01-01' }, '2025-12-31', ['min_value']],
  [{ type: 'date', max: '2026-01-01' }, '2026-01-02', ['max_value']],
  [{ type: 'datetime' }, 0, ['invalid_datetime']],
  [{ type: 'datetime' }, '2026-01-01T25:00', ['invalid_datetime']],
  [{ type: 'datetime', max: '2026-01-01T00:00Z' }, '2026-01-01T00:00:00.001Z', ['max_value']],
  [{ type: 'select', options }, 'Ready', ['invalid_option']],
  [{ type: 'select', options }, 'old', ['invalid_option']],
  [{ type: 'select', options }, ['open'], ['invalid_type']],
  [{ type: 'multiselect', options }, 'open', ['invalid_type']],
  [{ type: 'multiselect', options }, ['open', 'open', 'x', 1], ['duplicate_value', 'invalid_option', 'invalid_type']],
  [{ type: 'multiselect', options, maxItems: 1 }, ['open', 'done'], ['max_items']],
  [{ type: 'tags' }, ['a', 'a '], ['duplicate_value']],
  [{ type: 'tags' }, [' ', 'x'.repeat(101)], ['min_length', 'max_length']],
  [{ type: 'tags' }, many(101), ['max_items']],
  [{ type: 'tags', options }, ['x'], ['invalid_option']],
  [{ type: 'lookup', reference: 'thing' }, 'x', ['invalid_reference']],
  [{ type: 'lookup', reference: 'thing' }, [uuid], ['invalid_reference']],
  [{ type: 'lookup', reference: 'thing', multiple: true }, [uuid, uuid, 5], ['duplicate_value', 'invalid_reference']],
  [{ type: 'lookup', reference: 'thing', multiple: true, required: true }, [], ['required']],
  [{ type: 'user' }, 'a b', ['invalid_reference']],
  [{ type: 'json' }, 'x'.repeat(1_048_577), ['max_length']],
  [{ type: 'json' }, 1n, ['invalid_json']],
  [{ type: 'autonumber' }, '0001', ['read_only']],
]

/** A row of a table with a short name in front. */
function named<Row extends readonly unknown[]>(row: Row): [name: string, ...Row] {
  const shown = row.map((item) => (typeof item === 'bigint' ? `${item}n` : (JSON.stringify(item) ?? 'undefined')))
  return [shown.map((text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)).join(' | '), ...row]
}

describe('field types', () => {
  it.each(good.map(named))('store %s', (_name, definition, value, stored) => {
    const result = parse(definition, value)
    expect(result).toEqual({ ok: true, value: stored })
  })

  it.each(bad.map(named))('refuse %s', (_name, definition, value, codes) => {
    const result = parse(definition, value)
    expect(codesOf(result)).toEqual(codes)
    for (const code of codes) expect(fieldErrorCodes).toContain(code)
  })

  it('are all in the tables of values', () => {
    const types = Object.keys(fieldTypes)
    expect([...new Set(good.map(([{ type }]) => type))].sort()).toEqual([...types].sort())
    expect([...new Set(bad.map(([{ type }]) => type))].sort()).toEqual([...types].sort())
  })

  it('name the element of a list that is wrong', () => {
    const result = parse({ type: 'multiselect', options }, ['open', 'x'])
    expect(result).toMatchObject({ ok: false, errors: [{ field: 'value.1', code: 'invalid_option', value: 'x' }] })
  })

  it('keep an inactive option where it is stored already', () => {
    expect(parse({ type: 'select', options }, 'old', 'old')).toEqual({ ok: true, value: 'old' })
    expect(parse({ type: 'multiselect', options }, ['old'], ['old'])).toEqual({ ok: true, value: ['old'] })
    expect(codesOf(parse({ type: 'multiselect', options }, ['old'], ['open']))).toEqual(['invalid_option'])
  })

  it.each(Object.keys(fieldTypes))('%s takes null when optional and misses it when required', (type) => {
    const extra = { select: { options }, multiselect: { options }, lookup: { reference: 'thing' } }[type] ?? {}
    expect(parse({ type, ...extra }, null)).toEqual({ ok: true, value: null })
    expect(codesOf(parse({ type, ...extra, required: true }, undefined))).toEqual(['required'])
    const described = fieldTypes[type as keyof typeof fieldTypes].jsonSchema(field({ type, ...extra }))
    expect(() => JSON.stringify(described)).not.toThrow()
  })

  it.each(good.map(named))('bring back from the column %s', (_name, definition, value) => {
    const schema = field(definition)
    const type = fieldTypeOf(schema)
    const result = parseField(schema, value, env)
    if (!result.ok) throw new Error('refused')
    const column = type.toColumn(result.value, schema)
    const extra = type.toExtraColumns?.(result.value, schema) ?? []
    expect(extra).toHaveLength(schema.extraColumns.length)
    expect(column === null || ['string', 'number'].includes(typeof column)).toBe(true)
    const back = type.fromColumn(column, schema)
    expect(type.fromColumns ? type.fromColumns(column, extra, schema) : back).toEqual(result.value)
  })
})

describe('texts', () => {
  it.each<[Record<string, unknown>, string, unknown]>([
    [{ type: 'number' }, ' 1.5 ', 1.5],
    [{ type: 'number' }, '1,5', undefined],
    [{ type: 'number' }, '0x10', undefined],
    [{ type: 'number' }, '1e400', undefined],
    [{ type: 'percent' }, '12.5 %', 12.5],
    [{ type: 'percent' }, '12', 12],
    [{ type: 'currency' }, '12.50 €', 12.5],
    [{ type: 'currency' }, 'EUR 1,234.50', 1_234.5],
    [{ type: 'currency' }, '$5', undefined],
    [{ type: 'currency' }, '1,234', undefined],
    [{ type: 'currency', currencyConfig: { defaultCurrency: 'USD' } }, '$1,234', 1_234],
    [dynamic, 'USD 5', { value: 5, currency: 'USD' }],
    [dynamic, '-£5', { value: -5, currency: 'GBP' }],
    [dynamic, 'ABC 5', undefined],
    [dynamic, '$5 EUR', undefined],
    [{ type: 'boolean' }, 'Yes', true],
    [{ type: 'boolean' }, 'N', false],
    [{ type: 'boolean' }, 'maybe', undefined],
    [{ type: 'date' }, '2026-01-31T00:00:00', '2026-01-31'],
    [{ type: 'date' }, '31.01.2026', '2026-01-31'],
    [{ type: 'date' }, '31. 1. 2026', '2026-01-31'],
    [{ type: 'date' }, 'September 5th, 2026', '2026-09-05'],
    [{ type: 'date' }, '5-Sep-2026', '2026-09-05'],
    [{ type: 'date' }, '2026/9/5', '2026-09-05'],
    [{ type: 'date' }, '31/01/2026', undefined],
    [{ type: 'date' }, '30 Feb 2026', undefined],
    [{ type: 'datetime' }, '2026-01-31 08:15', '2026-01-31T07:15:00.000Z'],
    [{ type: 'select', options }, 'ready', 'done'],
    [{ type: 'select', options }, 'nope', 'nope'],
    [{ type: 'multiselect', options }, 'open; Ready', ['open', 'done']],
    [{ type: 'tags' }, 'a, b', ['a', 'b']],
    [{ type: 'tags' }, '["a, b"]', ['a, b']],
    [{ type: 'json' }, '{"a":1}', { a: 1 }],
    [{ type: 'json' }, '{', undefined],
  ])('%j reads %j as %j', (definition, text, value) => {
    const schema = field(definition)
    expect(fieldTypeOf(schema).fromText(text, schema, env)).toEqual(value)
  })
})

describe('rounding', () => {
  it.each([
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [1.005, 2, 1.01],
    [2.675, 2, 2.68],
    [1e21, 2, 1e21],
    [1.5e-10, 10, 2e-10],
    [-0.4, 0, 0],
  ])('%d at %i digits is %d, half away from zero', (value, scale, rounded) => {
    expect(roundHalfAwayFromZero(value, scale)).toBe(rounded)
  })

  it('knows the active currencies', () => {
    expect(currencyCodes.size).toBeGreaterThan(150)
    for (const code of currencyCodes) expect(code).toMatch(/^[A-Z]{3}$/)
  })
})
