// Dates, timestamps, zones, macros and named ranges: D-10 and D-85.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { dateInZone, endOfDate, formatInstant, isDate, parseInstant, startOfDate } from './iso.ts'
import { evaluateDateMacro, evaluateDateRange, isDateMacro, parseDateMacroText } from './macros.ts'
import { createPeriodOf } from './period-of-instant.ts'
import { instantOfWallClock, wallClock } from './time-zone.ts'

const at = (text: string) => Date.parse(text)
// A Wednesday.
const env = { now: at('2026-02-18T23:30:00Z'), timeZone: 'Europe/Berlin' }

describe('dates and timestamps', () => {
  it.each(['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31'])('%s is a day', (text) => {
    expect(isDate(text)).toBe(true)
  })

  it.each(['2026-02-29', '2026-13-01', '2026-00-01', '2026-01-00', '26-01-01', '2026-1-1', '2026-01-01 ', ''])(
    '%j is none',
    (text) => expect(isDate(text)).toBe(false),
  )

  it.each([
    ['2026-01-31T08:15:30.123Z', '2026-01-31T08:15:30.123Z'],
    ['2026-01-31T08:15:30.1Z', '2026-01-31T08:15:30.100Z'],
    ['2026-01-31T08:15:30.123999Z', '2026-01-31T08:15:30.123Z'],
    ['2026-01-31t08:15z', '2026-01-31T08:15:00.000Z'],
    ['2026-01-31 08:15:30 +0530', '2026-01-31T02:45:30.000Z'],
    ['2026-01-31T08:15:30-08', '2026-01-31T16:15:30.000Z'],
    ['2026-01-31T08:15', '2026-01-31T07:15:00.000Z'],
    ['2026-01-31', '2026-01-30T23:00:00.000Z'],
    ['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ])('%s is the instant %s', (text, instant) => {
    expect(formatInstant(parseInstant(text, 'Europe/Berlin')!)).toBe(instant)
  })

  it.each([
    '',
    'now',
    '2026-01-31T24:00Z',
    '2026-01-31T08:60Z',
    '2026-02-30T00:00Z',
    '2026-01-31T08:15+24:00',
    '0000-01-01T00:00:00+01:00',
  ])('%j is no timestamp', (text) => expect(parseInstant(text, 'UTC')).toBeNull())
})

describe('zones', () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia']

  it('show a wall clock that leads back to the instant, or to the earlier one of two', () => {
    const instants = fc.date({ min: new Date('1970-01-02'), max: new Date('2037-12-30'), noInvalidDate: true })
    fc.assert(
      fc.property(instants, fc.constantFrom(...zones), (date, zone) => {
        const ms = date.getTime()
        const back = instantOfWallClock(wallClock(ms, zone), zone)
        expect(wallClock(back, zone)).toBe(wallClock(ms, zone))
        expect(ms - back).toBeGreaterThanOrEqual(0)
        expect(ms - back).toBeLessThanOrEqual(86_400_000)
        expect(startOfDate(dateInZone(ms, zone), zone)).toBeLessThanOrEqual(ms)
        expect(endOfDate(dateInZone(ms, zone), zone)).toBeGreaterThan(ms)
      }),
      { numRuns: 500 },
    )
  })

  it('have no day outside the years of four digits, whatever the clocks show', () => {
    const dayIn = (zone: string) => createPeriodOf('day', zone)
    expect(dayIn('Europe/Berlin')('9999-12-31T23:59:59.000Z')).toBe('9999-12-31')
    expect(dayIn('America/New_York')('0001-01-01T00:00:00.000Z')).toBe('0000-12-31')
    expect(dayIn('America/New_York')('0000-01-01T00:00:00.000Z')).toBe('0000-01-01')
    expect(createPeriodOf('year', 'Europe/Berlin')('9999-12-31T23:59:59.000Z')).toBe('9999-01-01')
  })

  it('have days of 23 and 25 hours', () => {
    const hours = (date: string) => (endOfDate(date, 'Europe/Berlin') - startOfDate(date, 'Europe/Berlin')) / 3_600_000
    expect([hours('2026-03-29'), hours('2026-10-25'), hours('2026-06-01')]).toEqual([23, 25, 24])
  })
})

describe('macros', () => {
  // It is the 19th already in Berlin.
  it.each([
    [{ $today: '' }, { date: '2026-02-19' }],
    [{ $today: '-7d' }, { date: '2026-02-12' }],
    [{ $today: '+1w' }, { date: '2026-02-26' }],
    [{ $today: '-1M' }, { date: '2026-01-19' }],
    [{ $today: '+1q' }, { date: '2026-05-19' }],
    [{ $today: '-2y' }, { date: '2024-02-19' }],
    [{ $today: '+2h' }, { instant: at('2026-02-19T01:00:00Z') }],
    [{ $now: '' }, { instant: env.now }],
    [{ $now: '-90m' }, { instant: env.now - 90 * 60_000 }],
    [{ $now: '+1d' }, { instant: env.now + 86_400_000 }],
    [{ $startOf: 'week' as const }, { date: '2026-02-16' }],
    [{ $startOf: 'month' as const }, { date: '2026-02-01' }],
    [{ $startOf: 'quarter' as const, offset: '-1q' }, { date: '2025-10-01' }],
    [{ $startOf: 'year' as const, offset: '+1y' }, { date: '2027-01-01' }],
    [{ $today: '+99999y' }, null],
  ])('%j is %j', (macro, expected) => {
    expect(evaluateDateMacro(macro, env)).toEqual(expected)
  })

  it('clamp a day that the month lacks, and keep the wall clock over a change of the clocks', () => {
    const march = { now: at('2026-03-31T10:00:00Z'), timeZone: 'UTC' }
    expect(evaluateDateMacro({ $today: '-1M' }, march)).toEqual({ date: '2026-02-28' })
    const eve = { now: at('2026-03-28T11:00:00Z'), timeZone: 'Europe/Berlin' }
    expect(evaluateDateMacro({ $now: '+1d' }, eve)).toEqual({ instant: at('2026-03-29T10:00:00Z') })
    expect(evaluateDateMacro({ $now: '+24h' }, eve)).toEqual({ instant: at('2026-03-29T11:00:00Z') })
  })

  it('have a sign before what they move by', () => {
    expect(isDateMacro({ $today: '+7d' })).toBe(true)
    expect(isDateMacro({ $today: '7d' })).toBe(false)
    expect(isDateMacro({ $startOf: 'month', offset: '1M' })).toBe(false)
  })

  it('are written in texts too', () => {
    expect(parseDateMacroText('{today}')).toEqual({ $today: '' })
    expect(parseDateMacroText('{today-7d}')).toEqual({ $today: '-7d' })
    expect(parseDateMacroText('{now+2h}')).toEqual({ $now: '+2h' })
    for (const text of ['today', '{today', '{today7d}', '{me}', '{now+2x}', ''])
      expect(parseDateMacroText(text)).toBeNull()
  })

  it.each([
    { $today: 'x' },
    { $today: 1 },
    { $today: '', x: 1 },
    { $startOf: 'day' },
    { $startOf: 'week', offset: 1 },
    [],
    null,
    'x',
  ])('%j is none', (value) => expect(isDateMacro(value)).toBe(false))
})

describe('named ranges', () => {
  it.each([
    ['today', '2026-02-19', '2026-02-20'],
    ['yesterday', '2026-02-18', '2026-02-19'],
    ['tomorrow', '2026-02-20', '2026-02-21'],
    ['this_week', '2026-02-16', '2026-02-23'],
    ['last_week', '2026-02-09', '2026-02-16'],
    ['next_week', '2026-02-23', '2026-03-02'],
    ['this_month', '2026-02-01', '2026-03-01'],
    ['last_month', '2026-01-01', '2026-02-01'],
    ['next_quarter', '2026-04-01', '2026-07-01'],
    ['last_year', '2025-01-01', '2026-01-01'],
    ['last_7_days', '2026-02-13', '2026-02-20'],
    ['last_1_days', '2026-02-19', '2026-02-20'],
    ['next_7_days', '2026-02-20', '2026-02-27'],
  ])('%s begins on %s and ends before %s', (name, from, before) => {
    expect(evaluateDateRange(name, env)).toEqual({ from, before })
  })

  it.each(['', 'week', 'last_0_days', 'last_days', 'this_day', 'last_999999_days', 'LAST_WEEK'])(
    '%j is none',
    (name) => {
      expect(evaluateDateRange(name, env)).toBeNull()
    },
  )
})
