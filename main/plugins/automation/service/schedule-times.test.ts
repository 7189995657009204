// Times of schedules around changes of the clock.
import { describe, expect, it } from 'vitest'
import { nextTime, timesOf } from './schedule-times.ts'

function timesAfter(config: Record<string, unknown>, from: string, count: number): string[] {
  const times = timesOf(config, 'Europe/Berlin')
  let at = Date.parse(from)
  return Array.from({ length: count }, () => {
    at = nextTime(times, at, at)!
    return new Date(at).toISOString().slice(0, 16)
  })
}

describe('times of a schedule (D-160)', () => {
  it.each([
    [
      'a skipped time comes at the next valid minute',
      '30 2 * * *',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'several skipped times come once',
      '*/20 2 * * *',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    [
      'a skipped time and the one behind it come once',
      '0 2,3 * * *',
      '2026-03-28T12:00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    ['a repeated time comes once', '30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
    [
      'repeated times of a frequent line come once',
      '*/30 * * * *',
      '2026-10-24T23:45:00Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T02:00'],
    ],
    [
      'names, steps and ranges',
      '0 9-11/2 * jan mon-fri',
      '2026-01-02T12:00:00Z',
      ['2026-01-05T08:00', '2026-01-05T10:00', '2026-01-06T08:00'],
    ],
  ])('%s', (_what, cron, from, expected) => {
    expect(timesAfter({ cron }, from, expected.length)).toEqual(expected)
  })

  it('reads the line in a zone of its own', () => {
    expect(timesAfter({ cron: '0 9 * * *', timezone: 'America/New_York' }, '2026-01-05T00:00:00Z', 1)).toEqual([
      '2026-01-05T14:00',
    ])
  })

  it('counts intervals from the time before and leaves out what is missed', () => {
    const times = timesOf({ everySeconds: 60 }, 'UTC')
    expect(nextTime(times, 1_000_500, 1_000_000)).toBe(1_060_000)
    expect(nextTime(times, 1_200_000, 1_000_000)).toBe(1_240_000)
  })

  it('knows no time of a line that never comes', () => {
    expect(nextTime(timesOf({ cron: '0 0 31 2 *' }, 'UTC'), 0, null)).toBeNull()
  })
})
