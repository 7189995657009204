import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { namePattern, reservedFieldNames } from '#shared/object-names.ts'
import { compileObject } from '#shared/object-schema.ts'
import { inferFields } from './infer.ts'
import type { InferredField } from './infer.ts'
import { parseField } from './parse-field.ts'
import { readCell } from './read-cell.ts'
import { sized } from '../../test/support/test-size.ts'

const env = { timeZone: 'Europe/Berlin' }

function infer(values: readonly unknown[], name = 'column'): InferredField {
  const [field] = inferFields([{ name, values }], env)
  return field!
}

function typeOf(values: readonly unknown[]): string {
  return infer(values).definition.type
}

/** The stored values of a column under its inferred field. @throws Error naming the cell that is refused */
function storeAll(values: readonly unknown[]): unknown[] {
  const { name, definition } = infer(values)
  const checked = checkObjectDefinition({ name: 'thing', fields: { [name]: definition } })
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  const field = compileObject(checked.definition).byName.get(name)!
  return values.map((value) => {
    const result = parseField(field, readCell(value, field, env), env)
    if (!result.ok) throw new Error(`${definition.type}: ${JSON.stringify(value)} ${JSON.stringify(result.errors)}`)
    return result.value
  })
}

const repeat = (texts: readonly string[], times: number) => Array.from({ length: times }, () => texts).flat()

describe('the type of a column', () => {
  it.each<[string, readonly unknown[], Record<string, unknown>]>([
    ['integers', ['1', '-20', '', '300'], { type: 'number', scale: 0 }],
    ['JSON integers', [1, null, 2], { type: 'number', scale: 0 }],
    ['fractions', ['1.5', '2', '.25'], { type: 'number' }],
    ['integers written with .0', ['10.0', '9.75'], { type: 'number' }],
    ['0 and 1', ['0', '1', '1'], { type: 'number', scale: 0 }],
    ['zip codes', ['00123', '90210'], { type: 'text' }],
    ['versions', ['1.9', '1.10'], { type: 'text' }],
    ['prices of two digits', ['1.90', '1.25'], { type: 'number' }],
    ['codes like exponents', ['12E4', '1E3'], { type: 'text' }],
    ['integers beyond 2^53', ['9007199254740993', '1'], { type: 'text' }],
    ['more digits than a double keeps', ['0.1234567890123456789', '1'], { type: 'text' }],
    ['numbers with a gap word', ['1', 'NA'], { type: 'text' }],
    ['percentages', ['12 %', '7.5%'], { type: 'percent' }],
    ['percentages of three digits', ['12.125%'], { type: 'percent', scale: 3 }],
    ['dollars', ['$1,234.50', '-$3', '$1,000'], { type: 'currency', currencyConfig: { defaultCurrency: 'USD' } }],
    ['euros', ['12.50 €', 'EUR 3'], { type: 'currency', currencyConfig: { defaultCurrency: 'EUR' } }],
    ['euros of two readings', ['1,234 €'], { type: 'text' }],
    ['several currencies', ['USD 1', 'CHF 2'], { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } }],
    ['numbers without a sign', ['12.50', '3'], { type: 'number' }],
    ['true and false', ['true', 'FALSE', ''], { type: 'boolean' }],
    ['yes and no', ['Yes', 'no'], { type: 'boolean' }],
    ['y and n', ['y', 'N'], { type: 'boolean' }],
    ['one letter', ['N', 'N'], { type: 'text' }],
    ['yes and false', ['yes', 'false'], { type: 'text' }],
    ['JSON booleans', [true, null], { type: 'boolean' }],
    ['dates', ['2026-01-31', ''], { type: 'date' }],
    ['dates with dots', ['31.1.2026', '01.02.2026'], { type: 'date' }],
    ['dates with months in words', ['Jun 12 1998', 'Aug 07 1998'], { type: 'date' }],
    ['dates with slashes', ['01/02/2026', '12/31/2026'], { type: 'text' }],
    ['days that do not exist', ['2026-02-30'], { type: 'text' }],
    ['midnights', ['2026-01-31 00:00:00'], { type: 'date' }],
    ['timestamps', ['2026-01-31 08:15', '2026-01-31T08:15:00+02:00'], { type: 'datetime' }],
    ['timestamps of microseconds', ['2026-01-31T08:15:00.123456Z'], { type: 'text' }],
    ['times of day', ['08:30', '17:00:15', ''], { type: 'time' }],
    ['times with a half of the day', ['8 am', '12:30 PM'], { type: 'time' }],
    ['durations', ['1:30', '0:45'], { type: 'text' }],
    ['hours beyond a day', ['08:30', '25:00'], { type: 'text' }],
    ['years', ['1999', '2026'], { type: 'number', scale: 0 }],
    ['addresses of mail', ['a@b.de', 'c@d.org'], { type: 'email' }],
    ['addresses of the web', ['https://a.de/x', 'http://b.org'], { type: 'url' }],
    ['telephones', ['+49 30 1234567', '+1 (555) 010-9999'], { type: 'phone' }],
    ['national telephones', ['(030) 123-4567', '555-010-9999'], { type: 'phone' }],
    ['numbers with a sign', ['+1', '-2'], { type: 'number', scale: 0 }],
    ['lists of words', [['a', 'b'], [], null], { type: 'tags' }],
    ['lists that repeat a word', [['a', 'a']], { type: 'json' }],
    ['objects', [{ a: 1 }, [1]], { type: 'json' }],
    ['numbers and words', [1776, 'The Land Girls'], { type: 'text' }],
    ['objects and words', [{ a: 1 }, 'x'], { type: 'text' }],
    ['lines', ['a\nb'], { type: 'textarea' }],
    ['long texts', ['x'.repeat(1_001)], { type: 'textarea' }],
    ['U+0000', ['a\0b'], { type: 'json' }],
    ['nothing', ['', null, undefined], { type: 'text' }],
  ])('of %s', (_name, values, definition) => {
    expect(infer(values).definition).toEqual(definition)
    expect(storeAll(values)).toHaveLength(values.length)
  })

  it('is textarea with room for texts beyond its default', () => {
    expect(storeAll(['é'.repeat(150_000)])).toEqual(['é'.repeat(150_000)])
  })

  it('is a choice when few short texts repeat in at least twenty rows', () => {
    expect(typeOf(repeat(['new', 'old'], 9))).toBe('text')
    expect(typeOf(repeat(['new', 'old'], 10))).toBe('select')
    expect(typeOf(Array.from({ length: 60 }, (_, i) => `text ${i % 21}`))).toBe('text')
    expect(typeOf(repeat(['new', 'New'], 20))).toBe('text')
    expect(typeOf(repeat(['x'.repeat(61), 'y'], 20))).toBe('text')
  })

  it('keeps the texts of a choice as labels and finds every one of them again', () => {
    const texts = ['In progress', 'in_progress', 'done', 'Größe', 'größe!', '漢字', '仮名', '#1']
    const values = repeat(texts, 20)
    const { definition } = infer(values)
    const { options } = definition as { options?: { value: string; label: string }[] }
    expect(options?.map((option) => option.label)).toEqual(texts)
    expect(options?.map((option) => option.value)).toEqual([
      'in_progress_2',
      'in_progress',
      'done',
      'grosse',
      'grosse_2',
      'option',
      'option_2',
      '1',
    ])
    const stored = storeAll(values)
    expect(stored.slice(0, texts.length)).toEqual(options?.map((option) => option.value))
  })

  it('leaves the given words for missing values out', () => {
    const [field] = inferFields([{ name: 'n', values: ['1', 'NA'] }], { nullValues: ['NA'] })
    expect(field?.definition).toEqual({ type: 'number', scale: 0 })
  })
})

describe('the name of a field', () => {
  it('is snake case, free, and neither reserved nor longer than allowed', () => {
    const names = [
      'First Name',
      'firstName',
      'first_name',
      'ID',
      'Größe (m²)',
      '2nd',
      '漢字',
      '',
      'x'.repeat(80),
      'owner',
    ]
    const fields = inferFields(
      names.map((name) => ({ name, values: [] })),
      { taken: ['grosse_m2'] },
    )
    expect(fields.map((field) => field.name)).toEqual([
      'first_name',
      'first_name_2',
      'first_name_3',
      'id_2',
      'grosse_m2_2',
      'field_2nd',
      'field',
      'field_2',
      'x'.repeat(63),
      'owner_2',
    ])
    expect(fields.map((field) => field.label).slice(0, 2)).toEqual(['First Name', 'firstName'])
  })

  it('is valid and unique whatever the columns are called', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 90 }), { maxLength: 12 }), (names) => {
        const fields = inferFields(names.map((name) => ({ name, values: [] })))
        for (const { name } of fields) {
          expect(name).toMatch(namePattern)
          expect(reservedFieldNames.has(name)).toBe(false)
        }
        expect(new Set(fields.map((field) => field.name)).size).toBe(names.length)
      }),
    )
  })
})

/** Texts that look like the values of some type, and texts that nearly do. */
const lookAlikes = fc.oneof(
  fc.constantFrom('', ' ', '0', '1', '00', '-0', '+5', '1.10', '1.9', '.5', '5.', '1e5', '1e-5', 'NaN', 'Infinity'),
  fc.constantFrom('true', 'No', 'y', 'n', 'null', '12 %', '%', '$5', '5 €', '1,234', 'USD 3', 'XXX 1', '$', '-'),
  fc.constantFrom('2026-02-29', '2024-02-29', '31.12.2026', '2026-01-01 00:00', '2026-03-29 02:30', '10000-01-01'),
  fc.constantFrom('a@b.de', 'a@b', 'http://x', 'http://', '+49301234567', '(030) 12345', '[1]', '{"a":1}', '["a"]'),
  fc.integer().map(String),
  fc.double().map(String),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 990, maxLength: 1_010 }),
)
const anyCell = fc.oneof(lookAlikes, fc.jsonValue(), fc.constant(null), fc.constant(undefined))
const column = fc.oneof(
  fc.array(lookAlikes, { maxLength: 30 }),
  fc.array(anyCell, { maxLength: 30 }),
  fc.array(fc.jsonValue(), { maxLength: 30 }),
  fc
    .uniqueArray(lookAlikes, { minLength: 1, maxLength: 5 })
    .chain((texts) => fc.array(fc.constantFrom(...texts), { minLength: 20, maxLength: 40 })),
)

describe('an inferred field', () => {
  it('takes every value of its column', () => {
    const types = new Set<string>()
    fc.assert(
      fc.property(column, (values) => {
        expect(storeAll(values)).toHaveLength(values.length)
        types.add(typeOf(values))
      }),
      { numRuns: sized(400, 2_000) },
    )
    expect(types.size).toBeGreaterThan(5)
  })

  it('keeps different numbers different', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.double().map(String), fc.integer().map(String)), { minLength: 1 }), (texts) => {
        fc.pre(typeOf(texts) === 'number')
        const stored = storeAll(texts)
        texts.forEach((text, i) => expect(stored[i]).toBe(Number(text) || 0))
      }),
    )
  })
})
