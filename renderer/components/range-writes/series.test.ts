import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seriesValue } from './series.ts'
import type { SeriesKind } from './series.ts'

const next = (kind: SeriesKind, seeds: readonly unknown[], count = 4): unknown[] =>
  Array.from({ length: count }, (_, at) => seriesValue(seeds, kind, at))

describe('a series', () => {
  it('goes on with numbers by their step, without crumbs of arithmetic', () => {
    expect(next('number', [5])).toEqual([6, 7, 8, 9])
    expect(next('number', [10, 7])).toEqual([4, 1, -2, -5])
    expect(next('number', [0.1, 0.2])).toEqual([0.3, 0.4, 0.5, 0.6])
    fc.assert(
      fc.property(
        fc.integer({ min: -1e6, max: 1e6 }),
        fc.integer({ min: -1e4, max: 1e4 }),
        fc.nat(50),
        (from, step, at) => {
          expect(seriesValue([from, from + step, from + step * 2], 'number', at)).toBe(from + step * (at + 3) + 0)
        },
      ),
    )
  })

  it('goes on with days, weeks, months and instants', () => {
    expect(next('dated', ['2026-02-27'])).toEqual(['2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03'])
    expect(next('dated', ['2026-01-05', '2026-01-12'], 2)).toEqual(['2026-01-19', '2026-01-26'])
    expect(next('dated', ['2026-10-31', '2026-12-31'])).toEqual([
      '2027-02-28',
      '2027-04-30',
      '2027-06-30',
      '2027-08-31',
    ])
    expect(next('dated', ['2026-01-01T08:00:00.000Z', '2026-01-01T09:30:00.000Z'], 1)).toEqual([
      '2026-01-01T11:00:00.000Z',
    ])
  })

  it('counts on in texts that end in a number, and keeps leading zeros', () => {
    expect(next('text', ['Item 9'], 2)).toEqual(['Item 10', 'Item 11'])
    expect(next('text', ['A-007', 'A-009'], 2)).toEqual(['A-011', 'A-013'])
    expect(next('text', ['Q4', 'Q2'], 2)).toEqual(['Q0', 'Q0'])
  })

  it('begins again where nothing leads on', () => {
    expect(next('text', ['red', 'green', 'blue'])).toEqual(['red', 'green', 'blue', 'red'])
    expect(next('text', ['Item 1', 'Other 2'], 3)).toEqual(['Item 1', 'Other 2', 'Item 1'])
    expect(next('number', [1, 2, 4], 3)).toEqual([1, 2, 4])
    expect(next('number', [null, 3], 3)).toEqual([null, 3, null])
    expect(next('fixed', ['q1', 'q2'], 3)).toEqual(['q1', 'q2', 'q1'])
    expect(next('number', [], 2)).toEqual([undefined, undefined])
  })
})
