// Conversions between types of fields, pair by pair.
import { describe, expect, it } from 'vitest'
import { checkObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { createConverter } from './convert-value.ts'
import type { Outcome } from './convert-value.ts'
import { conversionOf } from './retype.ts'

const known = '01900000-0000-7000-8000-000000000001'
const unknown = '01900000-0000-7000-8000-000000000002'

function field(definition: Record<string, unknown>): FieldSchema {
  const result = checkObjectDefinition({ name: 'thing', fields: { f: definition } })
  if (!result.ok) throw new Error(JSON.stringify(result.errors))
  return compileObject(result.definition).fields[0]!
}

const convert = (from: Record<string, unknown>, to: Record<string, unknown>, ...columns: SqlValue[]) =>
  createConverter(field(from), field(to), {
    timeZone: 'Europe/Berlin',
    defaultCurrency: 'EUR',
    exists: (object, id) => object === 'thing' && id === known,
    sanitizeHtml: (html) => html.replaceAll(/<script>.*?<\/script>/g, '').replaceAll('&', '&amp;'),
  })(columns)

type Case = [
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  column: SqlValue,
  result: SqlValue,
  outcome: Outcome,
]

const text = { type: 'text' }
const number = { type: 'number' }
const select = { type: 'select', options: ['low', { value: 'high', label: 'Very high' }] }
const link = { type: 'lookup', reference: 'thing' }

const cases: Case[] = [
  [text, number, '3.5', 3.5, 'kept'],
  [text, number, 'x', null, 'lost'],
  [text, number, '  ', null, 'kept'],
  [text, { type: 'number', scale: 0 }, '3', 3, 'kept'],
  [text, { type: 'number', scale: 0 }, '3.4', 3, 'shortened'],
  [text, { type: 'currency' }, '3.456', 3.46, 'shortened'],
  [text, { type: 'date' }, '2026-02-03', '2026-02-03', 'kept'],
  [text, { type: 'date' }, '2026-02-30', null, 'lost'],
  [text, { type: 'date' }, '2026-02-03T12:00:00Z', '2026-02-03', 'shortened'],
  [text, { type: 'datetime' }, '2026-02-03', '2026-02-02T23:00:00.000Z', 'kept'],
  [text, { type: 'boolean' }, 'yes', 1, 'kept'],
  [text, { type: 'boolean' }, 'maybe', null, 'lost'],
  [text, select, 'very high', 'high', 'kept'],
  [text, select, 'medium', null, 'lost'],
  [text, link, known, known, 'kept'],
  [text, link, unknown, null, 'lost'],
  [text, { type: 'tags' }, 'a, b', '["a","b"]', 'kept'],
  [text, { type: 'multiselect', options: ['a'] }, 'a, b', '["a"]', 'shortened'],
  [text, { type: 'json' }, '{"a":1}', '{"a":1}', 'kept'],
  [text, { type: 'time' }, '8:30', '08:30:00', 'kept'],
  [text, { type: 'html' }, 'a & b', 'a &amp; b', 'kept'],
  [text, { type: 'richtext' }, 'a<script>b</script>', 'a', 'shortened'],
  [text, { type: 'secret' }, 'a', null, 'lost'],
  [number, text, 3.5, '3.5', 'kept'],
  [number, { type: 'number', scale: 0 }, -2.5, -3, 'shortened'],
  [number, { type: 'rating' }, 77, 77, 'kept'],
  [number, { type: 'boolean' }, 1, 1, 'kept'],
  [number, { type: 'boolean' }, 7, null, 'lost'],
  [number, { type: 'date' }, 7, null, 'lost'],
  [{ type: 'boolean' }, text, 0, 'false', 'kept'],
  [{ type: 'boolean' }, number, 1, 1, 'kept'],
  [{ type: 'date' }, { type: 'datetime' }, '2026-07-01', '2026-06-30T22:00:00.000Z', 'kept'],
  [{ type: 'datetime' }, { type: 'date' }, '2026-06-30T22:00:00.000Z', '2026-07-01', 'kept'],
  [{ type: 'datetime' }, { type: 'date' }, '2026-06-30T21:59:00.000Z', '2026-06-30', 'shortened'],
  [{ type: 'datetime' }, text, '2026-06-30T21:59:00.000Z', '2026-06-30T21:59:00.000Z', 'kept'],
  [select, text, 'high', 'high', 'kept'],
  [select, { type: 'multiselect', options: ['high'] }, 'high', '["high"]', 'kept'],
  [
    { type: 'multiselect', options: ['a', 'b'] },
    { type: 'select', options: ['a', 'b'] },
    '["b","a"]',
    'b',
    'shortened',
  ],
  [{ type: 'tags' }, text, '["a","b"]', 'a, b', 'kept'],
  [{ ...link, multiple: true }, link, `["${unknown}"]`, unknown, 'kept'],
  [link, { ...link, multiple: true }, unknown, `["${unknown}"]`, 'kept'],
  [link, { type: 'lookup', reference: 'other' }, known, null, 'lost'],
  [{ type: 'json' }, text, '{"a":[1]}', '{"a":[1]}', 'kept'],
  [{ type: 'json' }, number, '5', 5, 'kept'],
  [{ type: 'json' }, { type: 'tags' }, '["a",1]', '["a","1"]', 'kept'],
  [{ type: 'formula', expression: '1', returnType: 'number' }, text, 5, '5', 'kept'],
  [{ type: 'password' }, text, 'scrypt$', null, 'lost'],
]

describe('converted values', () => {
  it.each(cases)('%j to %j: %j becomes %j (%s)', (from, to, column, result, outcome) => {
    expect(convert(from, to, column)).toMatchObject({ columns: [result], outcome })
  })

  it('keeps nothing as nothing', () => {
    expect(convert(text, number, null)).toEqual({ columns: [null], outcome: 'kept' })
  })

  it('takes the usual currency into dynamic amounts, and says when another one gets lost', () => {
    const dynamic = { type: 'currency', currencyConfig: { currencyMode: 'dynamic' } }
    expect(convert(number, dynamic, 5)).toEqual({ columns: [5, 'EUR'], outcome: 'kept' })
    expect(convert(dynamic, text, 5, 'USD')).toEqual({ columns: ['5 USD'], outcome: 'kept' })
    expect(convert(dynamic, { type: 'tags' }, 5, 'USD')).toEqual({ columns: ['["5 USD"]'], outcome: 'kept' })
    expect(convert(dynamic, number, 5, 'EUR')).toEqual({ columns: [5], outcome: 'kept' })
    expect(convert(dynamic, number, 5, 'USD')).toEqual({ columns: [5], outcome: 'shortened' })
  })

  it.each([
    [text, { type: 'textarea' }],
    [{ type: 'textarea' }, { type: 'email' }],
    [{ type: 'richtext' }, { type: 'html' }],
    [{ type: 'html' }, { type: 'code' }],
    [number, { type: 'currency' }],
    [{ type: 'percent' }, { type: 'slider' }],
    [select, { ...select, type: 'radio' }],
    [{ type: 'boolean' }, { type: 'toggle' }],
    [
      { type: 'multiselect', options: ['a'] },
      { type: 'checkboxes', options: ['a'] },
    ],
    [link, { type: 'master_detail', reference: 'thing' }],
  ])('leaves the column of %j as it is for %j', (from, to) => {
    expect(conversionOf(field(from), field(to))).toBe('keep')
  })
})
