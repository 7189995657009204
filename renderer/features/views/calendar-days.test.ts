import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { translateField } from '../../fields/index.ts'
import {
  addDays,
  addMonths,
  dayOf,
  daysBetween,
  firstWeekday,
  periodOf,
  stepPeriod,
  valueOn,
  weekStart,
  weeksOf,
} from './calendar-days.ts'
import { hiddenByDay, layLanes } from './calendar-lanes.ts'

const berlin = { locale: 'de', timeZone: 'Europe/Berlin', translate: translateField }
const when = { name: 'when', type: 'datetime' }

describe('weeks', () => {
  it('begin as the locale has them', () => {
    expect([firstWeekday('de'), firstWeekday('en-US')]).toEqual([1, 7])
    expect(weekStart('2026-03-18', 1)).toBe('2026-03-16')
    expect(weekStart('2026-03-18', 7)).toBe('2026-03-15')
    expect(weekStart('2026-03-15', 1)).toBe('2026-03-09')
  })

  it('of a month are six whole ones around it', () => {
    const weeks = weeksOf('month', '2026-03-18', 1)
    expect([weeks.length, weeks[0]?.[0], weeks[5]?.[6]]).toEqual([6, '2026-02-23', '2026-04-05'])
    expect(periodOf('agenda', '2026-02-18', 1)).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  })

  it('are stepped by month without leaving short ones out', () => {
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(addMonths('2026-03-31', -1)).toBe('2026-02-28')
    expect([stepPeriod('week', '2026-03-18', -1), stepPeriod('day', '2026-02-28', 1)]).toEqual([
      '2026-03-11',
      '2026-03-01',
    ])
  })
})

describe('moments', () => {
  it('are on the day of the zone and keep their time on another one', () => {
    expect(dayOf('2026-03-28T23:30:00.000Z', when, berlin)).toBe('2026-03-29')
    // The clocks go forward on 29 March: 08:00 is another instant on each side.
    expect(valueOn('2026-03-30', '2026-03-28T07:00:00.000Z', when, berlin)).toBe('2026-03-30T06:00:00.000Z')
    expect(valueOn('2026-03-30', null, when, berlin)).toBe('2026-03-29T22:00:00.000Z')
    expect(dayOf(null, when, berlin)).toBeUndefined()
  })
})

describe('lanes', () => {
  it('hold every record of a week once, and no two of one lane on one day', () => {
    const day = fc.integer({ min: -9, max: 16 })
    fc.assert(
      fc.property(fc.array(fc.tuple(day, fc.nat(12)), { maxLength: 30 }), (spans) => {
        const week = weeksOf('week', '2026-03-18', 1)[0]!
        const items = spans.map(([start, length]) => ({
          from: addDays(week[0]!, start),
          to: addDays(week[0]!, start + length),
        }))
        const segments = layLanes(items, week)
        const here = items.filter(({ from, to }) => from <= week[6]! && to >= week[0]!)
        expect(new Set(segments.map(({ item }) => item))).toEqual(new Set(here))
        const cells = segments.flatMap(({ lane, first, last }) =>
          Array.from({ length: last - first + 1 }, (_, at) => `${lane} ${first + at}`),
        )
        expect(new Set(cells).size).toBe(cells.length)
        const hidden = hiddenByDay(segments, 7, 3)
        week.forEach((shown, at) => {
          const all = here.filter(({ from, to }) => from <= shown && to >= shown).length
          const seen = segments.filter(({ lane, first, last }) => lane < 3 && first <= at && last >= at).length
          expect(hidden[at]).toBe(all - seen)
        })
        expect(daysBetween(week[0]!, week[6]!)).toBe(6)
      }),
    )
  })
})
