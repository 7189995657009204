import { describe, expect, it } from 'vitest'
import { inferColumn } from './infer-column.ts'
import { toRecords } from './to-records.ts'
import type { ColumnTarget } from './table-types.ts'

const typeOf = (values: string[], title = 'column'): string => inferColumn(title, values).type
const valuesOf = (values: string[], type?: string): unknown[] => {
  const guess = inferColumn('column', values)
  const target: ColumnTarget = { index: 0, field: 'value', type: type ?? guess.type, guess }
  return toRecords(
    values.map((value) => [value]),
    [target],
  ).map((record) => record.value)
}

describe('guessing a column', () => {
  it('takes the shared inference where it is certain', () => {
    expect(typeOf(['1', '2.5', '-3'])).toBe('number')
    expect(typeOf(['2026-01-31', '2026-02-01'])).toBe('date')
    expect(typeOf(['yes', 'no', 'no'])).toBe('boolean')
    expect(typeOf(['ada@example.org', 'grace@example.org'])).toBe('email')
    expect(typeOf(['https://example.org', 'http://example.net/x'])).toBe('url')
    expect(typeOf(['00123', '00456'])).toBe('text')
  })

  it('reads numbers with thousands marks, decimal commas and signs of one currency', () => {
    expect(valuesOf(['1,234', '12', '1,234,567'])).toEqual([1234, 12, 1_234_567])
    expect(valuesOf(['1.234,5', '0,25'])).toEqual([1234.5, 0.25])
    expect(typeOf(['€ 1.200,50', '€ 3,00'])).toBe('currency')
    expect(valuesOf(['€ 1.200,50', '€ 3,00'])).toEqual([1200.5, 3])
  })

  it('reads numbers that fit two notations as the table writes fractions', () => {
    const read = (values: string[], mark: '.' | ','): unknown[] => {
      const guess = inferColumn('column', values, mark)
      return toRecords(
        values.map((value) => [value]),
        [{ index: 0, field: 'value', type: guess.type, guess }],
      ).map((record) => Number(record.value))
    }
    expect(read(['1.500', '250'], ',')).toEqual([1500, 250])
    expect(read(['1.500', '250'], '.')).toEqual([1.5, 250])
    expect(read(['1,250', '3,500'], ',')).toEqual([1.25, 3.5])
    expect(read(['1,250', '3,500'], '.')).toEqual([1250, 3500])
    expect(read(['1.500', '2.5'], ',')).toEqual([1.5, 2.5])
  })

  it('reads days whose order the whole column tells', () => {
    expect(valuesOf(['31/12/2025', '01/01/2026'])).toEqual(['2025-12-31', '2026-01-01'])
    expect(valuesOf(['12/31/2025', '01/02/2026'])).toEqual(['2025-12-31', '2026-01-02'])
  })

  it('leaves days alone that could mean two things', () => {
    expect(typeOf(['01/02/2026', '03/04/2026'])).toBe('text')
  })

  it('leaves mixed currencies and mixed words alone', () => {
    expect(typeOf(['1,234', 'about 5'])).toBe('text')
    expect(typeOf(['12', 'abc'])).toBe('text')
  })

  it('passes over words for a missing value, except in text', () => {
    expect(typeOf(['1', 'NA', 'n/a', '3'])).toBe('number')
    expect(valuesOf(['1', 'NA', '3'])).toEqual(['1', undefined, '3'])
    expect(valuesOf(['None', 'Some', 'Ada'])).toEqual(['None', 'Some', 'Ada'])
  })

  it('takes "None" for a choice among choices, and other words for a missing value', () => {
    const words = ['None', 'Minor', 'NA', 'None', 'Substantial']
    const damage = Array.from({ length: 60 }, (_, at) => words[at % words.length]!)
    expect(typeOf(damage)).toBe('select')
    expect(valuesOf(damage)).toEqual(damage.map((word) => (word === 'NA' ? undefined : word)))
    expect(valuesOf(damage, 'number')[0]).toBeUndefined()
  })

  it('sends what it cannot read as it is, so that the row is refused with a reason', () => {
    expect(valuesOf(['x', '1,200'], 'number')).toEqual(['x', 1200])
    expect(valuesOf(['soon', '2026-05-01'], 'date')).toEqual(['soon', '2026-05-01'])
  })
})
