import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDate, readNumber, readYesNo } from './cell-values.ts'

describe('numbers', () => {
  it('read back what is written with either mark', () => {
    const number = fc.integer({ min: -99_999_999, max: 99_999_999 }).map((value) => value / 100)
    fc.assert(
      fc.property(number, (value) => {
        expect(readNumber(value.toLocaleString('en-US', { maximumFractionDigits: 2 }), '.')).toBe(value || 0)
        expect(readNumber(value.toLocaleString('de-DE', { maximumFractionDigits: 2 }), ',')).toBe(value || 0)
      }),
    )
  })

  it('are refused where a mark stands in a wrong place, and where zeros would be lost', () => {
    expect(['1,23', '1,2345', '12.34.56', '007', '', '-', 'abc', '1 2'].map((text) => readNumber(text, '.'))).toEqual(
      Array.from({ length: 8 }, () => null),
    )
  })

  it('are understood with signs around them', () => {
    expect(['$1,200.50', '(300)', '−4', '12 %', '+5', '1e3', "1'000"].map((text) => readNumber(text, '.'))).toEqual([
      1200.5, -300, -4, 12, 5, 1000, 1000,
    ])
  })
})

describe('days', () => {
  it('read every real day in every notation of an order', () => {
    const day = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10)
        const [year, month, dayOfMonth] = iso.split('-')
        expect(readDate(iso, 'mdy')?.date).toBe(iso)
        expect(readDate(`${dayOfMonth}.${month}.${year}`, 'dmy')?.date).toBe(iso)
        expect(readDate(`${Number(month)}/${Number(dayOfMonth)}/${year}`, 'mdy')?.date).toBe(iso)
      }),
    )
  })

  it('know names of months and times of day', () => {
    expect(readDate('Mar 1 2000', 'mdy')).toEqual({ date: '2000-03-01', time: undefined })
    expect(readDate('1 March 2000', 'dmy')).toEqual({ date: '2000-03-01', time: undefined })
    expect(readDate('2000-03-01 1:05 pm', 'mdy')).toEqual({ date: '2000-03-01', time: '13:05:00' })
    expect(readDate('2000-03-01T08:15:30Z', 'mdy')).toEqual({ date: '2000-03-01', time: '08:15:30Z' })
  })

  it('refuse days that do not exist', () => {
    expect(['2026-02-30', '31.04.2026', '13/13/2026', 'someday'].map((text) => readDate(text, 'dmy'))).toEqual([
      null,
      null,
      null,
      null,
    ])
  })
})

describe('yes and no', () => {
  it('are read from words only', () => {
    expect(['Yes', 'no', 'TRUE', '✓', '1', 'maybe', ''].map(readYesNo)).toEqual([
      true,
      false,
      true,
      true,
      null,
      null,
      null,
    ])
  })
})
