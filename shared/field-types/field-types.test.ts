// Every field type against values it takes, values it refuses with the code of D-22, texts, and the way into a column
// and back.
import { describe, expect, it } from 'vitest'
import {
  badValues,
  compileField as field,
  dynamic,
  goodValues,
  named,
  neededSettings,
  options,
  other,
  uuid,
} from '../../test/support/field-cases.ts'
import { fieldErrorCodes } from '#shared/errors.ts'
import { sealedText, secretMask } from './concealed.ts'
import { currencyCodes } from './currencies.ts'
import { currencyDigits } from './currency-digits.ts'
import { roundHalfAwayFromZero } from './decimal.ts'
import type { ParseResult } from './field-type.ts'
import { readMoneyText } from './money-text.ts'
import { parseField } from './parse-field.ts'
import { fieldTypeOf, fieldTypes } from './registry.ts'

const env = { timeZone: 'Europe/Berlin', defaultCurrency: 'EUR' }

const parse = (definition: Readonly<Record<string, unknown>>, value: unknown, stored?: unknown): ParseResult =>
  parseField(field(definition), value, env, stored)

function codesOf(result: ParseResult): string[] {
  return result.ok ? [] : result.errors.map((error) => error.code)
}

describe('field types', () => {
  it.each(goodValues.map(named))('store %s', (_name, definition, value, stored) => {
    const result = parse(definition, value)
    expect(result).toEqual({ ok: true, value: stored })
  })

  it.each(badValues.map(named))('refuse %s', (_name, definition, value, codes) => {
    const result = parse(definition, value)
    expect(codesOf(result)).toEqual(codes)
    for (const code of codes) expect(fieldErrorCodes).toContain(code)
  })

  it('are all in the tables of values', () => {
    const types = Object.keys(fieldTypes)
    expect([...new Set(goodValues.map(([{ type }]) => type))].sort()).toEqual([...types].sort())
    expect([...new Set(badValues.map(([{ type }]) => type))].sort()).toEqual([...types].sort())
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
    const definition = { type, ...neededSettings[type] }
    const schema = field(definition)
    expect(parseField({ ...schema, required: false }, null, env)).toEqual({ ok: true, value: null })
    expect(codesOf(parse({ ...definition, required: true }, undefined))).toEqual(['required'])
    expect(fieldTypeOf(schema).fromColumn(null, schema)).toBeNull()
  })

  it.each(goodValues.map(named))('bring back from the column %s', (_name, definition, value) => {
    const schema = field(definition)
    const type = fieldTypeOf(schema)
    const result = parseField({ ...schema, required: false }, value, env)
    if (!result.ok) throw new Error('refused')
    if (type.concealed !== undefined) return
    const column = result.value === null ? null : type.toColumn(result.value, schema)
    const extra = type.toExtraColumns?.(result.value, schema) ?? []
    expect(extra).toHaveLength(schema.extraColumns.length)
    expect(column === null || column instanceof Uint8Array || ['string', 'number'].includes(typeof column)).toBe(true)
    const back = type.fromColumn(column, schema)
    expect(type.fromColumns ? type.fromColumns(column, extra, schema) : back).toEqual(result.value)
    // Written back as it was read, it is the same value.
    expect(parseField({ ...schema, computed: false }, back === null ? null : result.value, env)).toEqual(
      schema.required && back === null ? expect.anything() : { ok: true, value: result.value },
    )
  })

  it('name the inner field that is wrong', () => {
    const fields = { price: { type: 'number' }, in: { type: 'repeater', fields: { day: { type: 'date' } } } }
    const result = parse({ type: 'repeater', fields }, [{ price: 1 }, { price: 'x', in: [{ day: '2026-02-30' }, 5] }])
    expect(result.ok ? [] : result.errors.map((error) => error.field)).toEqual([
      'value.1.price',
      'value.1.in.0.day',
      'value.1.in.1',
    ])
  })

  it('take keys of prototypes for what they are', () => {
    const poisoned: unknown = JSON.parse('{"__proto__": {"label": "x"}, "constructor": 1}')
    const fields = { label: { type: 'text' } }
    expect(codesOf(parse({ type: 'composite', fields }, poisoned))).toEqual(['unknown_field', 'unknown_field'])
    expect(codesOf(parse({ type: 'address' }, poisoned))).toEqual(['unknown_field', 'unknown_field'])
    expect(codesOf(parse({ type: 'location' }, poisoned))).toContain('unknown_field')
    expect(codesOf(parse({ type: 'file' }, poisoned))).toContain('unknown_field')
    expect(parse({ type: 'composite', fields: { constructor: { type: 'number' } } }, {})).toEqual({
      ok: true,
      value: { constructor: null },
    })
  })

  it('sanitise html and richtext by the means of the host', () => {
    const sanitizeHtml = (html: string) => html.replaceAll('<script>', '')
    for (const type of ['html', 'richtext']) {
      const result = parseField(field({ type }), 'a<script>b', { ...env, sanitizeHtml })
      expect(result).toEqual({ ok: true, value: 'ab' })
    }
    expect(parseField(field({ type: 'markdown' }), '<script>', { ...env, sanitizeHtml })).toMatchObject({ ok: true })
  })
})

describe('concealed fields', () => {
  it.each(['password', 'secret'])('%s takes into its column only what was sealed', (type) => {
    const schema = field({ type })
    const { toColumn } = fieldTypeOf(schema)
    expect(() => toColumn('correct horse', schema)).toThrow('must be sealed')
    expect(() => toColumn({ text: 'correct horse' }, schema)).toThrow('must be sealed')
    expect(toColumn(sealedText('x1'), schema)).toBe('x1')
    expect(toColumn(null, schema)).toBeNull()
  })

  it('read as nothing or as a mask, and the mask changes nothing', () => {
    const [password, secret] = [field({ type: 'password' }), field({ type: 'secret' })]
    expect(fieldTypeOf(password).fromColumn('stored', password)).toBeNull()
    expect(fieldTypeOf(secret).fromColumn('stored', secret)).toBe(secretMask)
    expect(fieldTypeOf(secret).isUnchanged?.(secretMask)).toBe(true)
    expect(fieldTypeOf(secret).isUnchanged?.('other')).toBe(false)
    expect(fieldTypeOf(password).isUnchanged?.(null)).toBe(true)
    expect(fieldTypeOf(password).isUnchanged?.('')).toBe(false)
  })

  it.each(['password', 'secret'])('%s is in no message', (type) => {
    for (const value of ['hidden1', 'x'.repeat(20_000), { text: 'hidden1' }]) {
      const result = parse({ type, minLength: 8 }, value)
      expect(result.ok).toBe(false)
      expect(JSON.stringify(result)).not.toMatch(/hidden1|xxx/)
    }
  })
})

describe('texts', () => {
  it.each<[Record<string, unknown>, string, unknown]>([
    [{ type: 'number' }, ' 1.5 ', 1.5],
    [{ type: 'number' }, '1,5', undefined],
    [{ type: 'number' }, '0x10', undefined],
    [{ type: 'number' }, '1e400', undefined],
    [{ type: 'percent' }, '12.5 %', 12.5],
    [{ type: 'percent' }, `1${' '.repeat(200_000)}x`, undefined],
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
    [{ type: 'time' }, '8:30', '08:30:00'],
    [{ type: 'time' }, '12:05 am', '00:05:00'],
    [{ type: 'time' }, '8 p.m.', '20:00:00'],
    [{ type: 'time' }, '13 pm', undefined],
    [{ type: 'time' }, '8', undefined],
    [{ type: 'address' }, 'Hauptstr. 1, Köln', { formatted: 'Hauptstr. 1, Köln' }],
    [{ type: 'address' }, '{"city":"Köln"}', { city: 'Köln' }],
    [{ type: 'location' }, '50.9, 6.95', { latitude: 50.9, longitude: 6.95 }],
    [{ type: 'location' }, '50.9 6.95', { latitude: 50.9, longitude: 6.95 }],
    [{ type: 'location' }, '50.9', undefined],
    [{ type: 'record' }, `thing/${uuid}`, { object: 'thing', id: uuid }],
    [{ type: 'file', multiple: true }, `${uuid}; ${other}`, [uuid, other]],
    [{ type: 'vector', vectorConfig: { dimensions: 2 } }, '[1, 2]', [1, 2]],
    [{ type: 'repeater', fields: { a: { type: 'text' } } }, '[{"a":"x"}]', [{ a: 'x' }]],
    [{ type: 'radio', options }, 'ready', 'done'],
    [{ type: 'toggle' }, 'yes', true],
  ])('%j reads %j as %j', (definition, text, value) => {
    const schema = field(definition)
    expect(fieldTypeOf(schema).fromText(text, schema, env)).toEqual(value)
  })

  it('of money are read in step with their length', () => {
    const start = performance.now()
    expect(readMoneyText(`+${' '.repeat(60_000)}x`)).toBeNull()
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})

describe('numbers inside of JSON', () => {
  const schema = field({ type: 'json' })
  it('are refused where their digits cannot be kept, with their place (D-11)', () => {
    for (const [text, path] of [
      ['9007199254740993', 'value'],
      ['-123456789012345678901', 'value'],
      ['{"a":[1,{"b":123456789012345678901}]}', 'value.a.1.b'],
    ] as const) {
      const read = fieldTypeOf(schema).parse(JSON.parse(text), schema, env)
      expect(read).toMatchObject({ ok: false, errors: [{ field: path, code: 'invalid_number' }] })
    }
  })

  it('are kept otherwise', () => {
    for (const value of [9_007_199_254_740_991, 1e300, 0.1234567890123456, { a: '9007199254740993' }])
      expect(fieldTypeOf(schema).parse(value, schema, env)).toEqual({ ok: true, value })
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

  it('keeps the digits of the precision of an amount, else of its scale, else two', () => {
    const amounts: [settings: Record<string, unknown>, value: number][] = [
      [{}, 1.23],
      [{ scale: 4 }, 1.2345],
      [{ scale: 0 }, 1],
      [{ scale: 4, currencyConfig: { precision: 3 } }, 1.235],
      [{ scale: 4, currencyConfig: { currencyMode: 'fixed' } }, 1.2345],
    ]
    for (const [settings, value] of amounts) {
      const money = field({ type: 'currency', ...settings })
      expect(parseField(money, 1.2345, env)).toEqual({ ok: true, value })
      expect(fieldTypeOf(money).fractionDigits?.(money.settings)).toBe(currencyDigits(money.settings))
    }
    const choosing = { type: 'currency', scale: 3, currencyConfig: { currencyMode: 'dynamic' } } as const
    expect(parse(choosing, { value: 1.2345, currency: 'EUR' })).toMatchObject({ value: { value: 1.235 } })
  })

  it('knows the active currencies', () => {
    expect(currencyCodes.size).toBeGreaterThan(150)
    for (const code of currencyCodes) expect(code).toMatch(/^[A-Z]{3}$/)
  })
})
