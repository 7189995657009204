// Proves for every field type that what an editor starts with is read back as the same value, in several locales.
import fc from 'fast-check'
import { pathOfRounded } from '#shared/field-types/rounded-integer.ts'
import { describe, expect, it } from 'vitest'
import { fieldTypeNames, fieldTypeOf, findFieldType, translateField } from './index.ts'
import type { FieldContext, FieldDefinition } from './index.ts'
import { parseNumber } from './number-text.ts'
import { numberFormat } from './intl-formats.ts'
import { listToText, parseList } from './list-text.ts'
import { instantOf, wallTime } from './zoned-time.ts'
import { sized } from '../../test/support/test-size.ts'

const contextArb: fc.Arbitrary<FieldContext> = fc.record({
  locale: fc.constantFrom('en', 'de', 'fr', 'de-CH', 'hi-IN', 'ar-EG', 'pl', 'sv'),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe'),
  translate: fc.constant(translateField),
})

const options = [
  { value: 'open', label: 'Open' },
  { value: 'in_work', label: 'In work, really' },
  { value: 'done', label: 'Done "for good"' },
  { value: 'open2', label: 'Open' },
  { value: 'plain' },
]
const word = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '')
const oneLine = word.map((text) => text.replace(/[\r\n]/g, ' ')).filter((text) => text.trim() !== '')
const number = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (value === 0 ? 0 : value))
  .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
const cents = fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100)
const instant = fc.date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
const optionValue = fc.constantFrom(...options.map(({ value }) => value))

const inner = {
  title: { type: 'text', label: 'Title' },
  amount: { type: 'number', label: 'Amount' },
  day: { type: 'date', label: 'Day' },
  done: { type: 'boolean', label: 'Done' },
  words: { type: 'tags', label: 'Words' },
}
const orNull = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { nil: null })
const group = fc
  .record({
    title: orNull(oneLine),
    amount: orNull(cents),
    day: orNull(instant.map((date) => date.toISOString().slice(0, 10))),
    done: orNull(fc.boolean()),
    words: orNull(fc.constant(['a', 'b, c'])),
  })
  .map((value) => ({ ...value }))

const values: Record<string, { field?: Partial<FieldDefinition>; value: fc.Arbitrary<unknown> }> = {
  text: { value: oneLine },
  textarea: { value: word },
  markdown: { value: word },
  qrcode: { value: oneLine },
  email: { value: fc.emailAddress() },
  url: { value: fc.webUrl() },
  phone: { value: fc.stringMatching(/^\+\d{2} \d{3,9}$/) },
  number: { value: number },
  currency: { field: { currencyConfig: { defaultCurrency: 'EUR' } }, value: cents },
  percent: { value: cents },
  boolean: { value: fc.boolean() },
  date: { value: instant.map((date) => date.toISOString().slice(0, 10)) },
  datetime: { value: instant.map((date) => date.toISOString()) },
  select: { field: { options }, value: optionValue },
  multiselect: { field: { options }, value: fc.uniqueArray(optionValue, { minLength: 1 }) },
  tags: {
    value: fc.uniqueArray(
      word.map((text) => text.trim()),
      { minLength: 1 },
    ),
  },
  lookup: { field: { reference: 'person' }, value: fc.uuid() },
  progress: { value: fc.integer({ min: 0, max: 100 }) },
  slider: {
    field: { min: -2, max: 2, step: 0.125 },
    value: fc.integer({ min: -16, max: 16 }).map((steps) => steps / 8 || 0),
  },
  rating: { field: { allowHalf: true }, value: fc.integer({ min: 0, max: 10 }).map((halves) => halves / 2) },
  time: { value: instant.map((date) => date.toISOString().slice(11, 19)) },
  radio: { field: { options }, value: optionValue },
  checkboxes: { field: { options }, value: fc.uniqueArray(optionValue, { minLength: 1 }) },
  record: { value: fc.record({ object: fc.constant('person'), id: fc.uuid() }) },
  address: {
    value: fc
      .record({ street: word, city: word, countryCode: fc.constantFrom('DE', 'CH') }, { requiredKeys: ['city'] })
      .map((value) => ({ ...value })),
  },
  location: {
    value: fc
      .record({ latitude: fc.integer({ min: -900, max: 900 }), longitude: fc.integer({ min: -1800, max: 1800 }) })
      .map(({ latitude, longitude }) => ({ latitude: latitude / 10 || 0, longitude: longitude / 10 || 0 })),
  },
  composite: { field: { fields: inner }, value: group },
  repeater: { field: { fields: inner }, value: fc.array(group, { minLength: 1, maxLength: 4 }) },
  color: { value: fc.stringMatching(/^#[0-9a-f]{6}$/) },
  file: {
    field: { multiple: true },
    value: fc.array(
      fc
        .record(
          { fileId: fc.uuid(), name: word, mimeType: fc.constant('text/plain'), size: fc.nat() },
          { requiredKeys: ['fileId'] },
        )
        .map((value) => ({ ...value })),
      { minLength: 1, maxLength: 3 },
    ),
  },
  json: {
    value: fc
      .jsonValue()
      .filter((value) => value !== null && pathOfRounded(value, '') === null)
      .map((value) => JSON.parse(JSON.stringify(value)) as unknown),
  },
}

describe('every field type', () => {
  it('has a round trip below, unless people never write it', () => {
    // What is concealed is written and never read back: an editor starts empty.
    const tested = Object.keys(values).map((type) => findFieldType(type)!)
    const written = fieldTypeNames().filter((type) => {
      const { computed, concealed, parse, toText } = findFieldType(type)!
      const isTested = tested.some((other) => other.parse === parse && other.toText === toText)
      return !computed && !concealed && !isTested
    })
    expect(written).toEqual([])
  })

  describe.each(Object.entries(values))('%s', (type, { field: extra, value: valueArb }) => {
    const field: FieldDefinition = { name: 'f', type, label: 'F', ...extra }
    const fieldType = fieldTypeOf(field)

    it('reads back what its editor starts with', () => {
      fc.assert(
        fc.property(valueArb, contextArb, (value, context) => {
          const ambiguous = type === 'datetime' && repeatsInZone(String(value), context.timeZone)
          fc.pre(!ambiguous)
          const text = fieldType.toText(value, field, context)
          expect(fieldType.parse(text, field, context)).toEqual({ ok: true, value })
        }),
        { numRuns: sized(60, 200) },
      )
    })

    it('formats any value and any nonsense as one line of text', () => {
      fc.assert(
        fc.property(fc.oneof(valueArb, fc.anything()), contextArb, (value, context) => {
          const text = fieldType.format(value, field, context)
          expect(typeof text).toBe('string')
          expect(text).not.toMatch(/[\r\n]/)
          expect(typeof fieldType.cellClass(value, field)).toBe('string')
          for (const chip of fieldType.chips?.(value, field, context) ?? []) expect(typeof chip.text).toBe('string')
          expect(value !== null && value !== undefined ? '' : text).toBe('')
        }),
        { numRuns: sized(60, 200) },
      )
    })

    it('answers any text with a value or a message, never by throwing', () => {
      fc.assert(
        fc.property(fc.string(), contextArb, (text, context) => {
          const read = fieldType.parse(text, field, context)
          expect(read.ok ? 'a value' : read.message).toMatch(/\w/)
        }),
      )
    })

    it('takes blank text as null, and refuses it where a value is required', () => {
      const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
      expect(fieldType.parse('  ', field, context)).toEqual({ ok: true, value: null })
      const required = fieldType.parse('', { ...field, required: true }, context)
      expect(required).toMatchObject(type === 'boolean' ? { ok: true, value: false } : { ok: false })
    })

    it('offers operators with labels and unique ids', () => {
      const operators = fieldType.operators(field)
      expect(operators.length).toBeGreaterThan(0)
      expect(new Set(operators.map(({ id }) => id)).size).toBe(operators.length)
      for (const { label } of operators) expect(translateField(label)).toMatch(/^[a-z]/)
    })
  })
})

/** A wall-clock time that occurs twice when clocks go back; its text cannot say which one is meant. */
function repeatsInZone(value: string, timeZone: string): boolean {
  const at = Date.parse(value)
  const wall = wallTime(at, timeZone)
  return [-3_600_000, 3_600_000, -1_800_000, 1_800_000].some((step) => wallTime(at + step, timeZone) === wall)
}

describe('parseNumber', () => {
  it('reads what the locale writes, with grouping', () => {
    fc.assert(
      fc.property(contextArb, cents, ({ locale }, value) => {
        const written = numberFormat(locale, 'test', { maximumFractionDigits: 2 }).format(value)
        expect(parseNumber(written, locale)).toBe(value)
      }),
    )
  })

  it.each([
    ['1,234.5', 'en', 1234.5],
    ['1.234,5', 'de', 1234.5],
    ['1234.5', 'de', 1234.5],
    ['1.234', 'de', 1234],
    ['1.5', 'de', 1.5],
    ['1 234,5', 'fr', 1234.5],
    ["1'234.5", 'de-CH', 1234.5],
    ['12,34,567', 'en-IN', 1234567],
    ['$1,234.50', 'en', 1234.5],
    ['-$5', 'en', -5],
    ['$-5', 'en', -5],
    ['(12.50)', 'en', -12.5],
    ['EUR 12', 'en', 12],
    ['12 €', 'de', 12],
    ['25 %', 'de', 25],
    ['−3', 'en', -3],
    ['1e3', 'en', 1000],
    ['.5', 'en', 0.5],
    ['١٢٣', 'ar-EG', 123],
  ])('reads %s in %s as %d', (text, locale, value) => {
    expect(parseNumber(text, locale)).toBe(value)
  })

  it.each([
    '1,5',
    '1,23',
    '12,3456',
    '1.2.3',
    '1,2,3',
    'abc',
    '1 apple',
    '',
    '-',
    '.',
    '1e999',
    '0x10',
    'Infinity',
    'NaN',
  ])('refuses %j in English instead of guessing', (text) => {
    expect(parseNumber(text, 'en')).toBeNull()
  })
})

describe('an amount of money', () => {
  const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
  const fixed: FieldDefinition = { name: 'f', type: 'currency', currencyConfig: { defaultCurrency: 'EUR' } }
  const dynamic: FieldDefinition = { name: 'f', type: 'currency', currencyConfig: { currencyMode: 'dynamic' } }

  it('is refused in another currency where the field has one of its own', () => {
    expect(fieldTypeOf(fixed).parse('12 EUR', fixed, context)).toEqual({ ok: true, value: 12 })
    expect(fieldTypeOf(fixed).parse('12 USD', fixed, context)).toMatchObject({ ok: false })
  })

  it('keeps a currency of ISO 4217 where the field allows any', () => {
    const value = { value: 12.5, currency: 'CHF' }
    expect(fieldTypeOf(dynamic).parse('CHF 12.50', dynamic, context)).toEqual({ ok: true, value })
    expect(fieldTypeOf(dynamic).parse('12 ABC', dynamic, context)).toMatchObject({ ok: false })
    expect(fieldTypeOf(dynamic).toText(value, dynamic, context)).toBe('12.5 CHF')
  })

  it('keeps and shows the digits of its precision, else of its scale, else two', () => {
    const own = { currencyConfig: { defaultCurrency: 'EUR' } }
    const amounts: [more: Partial<FieldDefinition>, kept: number, shown: string][] = [
      [{ ...own }, 1.23, '€1.23'],
      [{ ...own, scale: 4 }, 1.2345, '€1.2345'],
      [{ ...own, scale: 0 }, 1, '€1'],
      [{ scale: 4, currencyConfig: { defaultCurrency: 'EUR', precision: 3 } }, 1.235, '€1.235'],
    ]
    for (const [more, kept, shown] of amounts) {
      const field: FieldDefinition = { name: 'f', type: 'currency', ...more }
      expect(fieldTypeOf(field).parse('1.2345', field, context)).toEqual({ ok: true, value: kept })
      expect(fieldTypeOf(field).format(kept, field, context)).toBe(shown)
    }
  })
})

describe('a list of words', () => {
  it('is read back exactly', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), (items) => {
        expect(parseList(listToText(items))).toEqual(items)
      }),
    )
  })

  it('ends for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', ',', ' ', 'a', ';', '\n') }), (text) => {
        expect(Array.isArray(parseList(text))).toBe(true)
      }),
    )
  })
})

describe('wall-clock time', () => {
  it('takes the earlier of two equal times and moves a skipped one forward', () => {
    const berlin = 'Europe/Berlin'
    expect(new Date(instantOf(Date.UTC(2026, 9, 25, 2, 30), berlin)).toISOString()).toBe('2026-10-25T00:30:00.000Z')
    expect(new Date(instantOf(Date.UTC(2026, 2, 29, 2, 30), berlin)).toISOString()).toBe('2026-03-29T01:30:00.000Z')
  })
})
