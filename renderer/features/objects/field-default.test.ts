// Proves that defaults read back as they were typed.
import { describe, expect, it } from 'vitest'
import { defaultText, readDefault } from './field-default.ts'
import type { FieldItem } from './object-item.ts'

const options = [{ value: 'open', label: 'Open' }]

describe('a default', () => {
  it.each<[FieldItem, string, unknown]>([
    [{ type: 'number' }, '5', 5],
    [{ type: 'boolean' }, 'TRUE', true],
    [{ type: 'select', options }, 'Open', 'open'],
    [{ type: 'date' }, '{today}', '{today}'],
    [{ type: 'text' }, '=upper("a")', { expression: 'upper("a")' }],
    [{ type: 'text' }, '', undefined],
  ])('of %o typed %s is read and shown again', (item, text, value) => {
    expect(readDefault(item, text)).toEqual({ value })
    expect(defaultText({ ...item, defaultValue: value })).toBe(text)
  })

  it('that is none says why and is kept', () => {
    expect(readDefault({ type: 'number' }, 'many')).toMatchObject({ value: 'many', problem: expect.any(String) })
  })

  it('may be a formula in the long form', () => {
    const defaultValue = { expression: { dialect: 'cel', source: 'today()' } }
    expect(defaultText({ type: 'date', defaultValue })).toBe('=today()')
  })
})
