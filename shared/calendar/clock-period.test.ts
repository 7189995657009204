import { describe, expect, it } from 'vitest'
import { createClockPeriodOf } from './clock-period.ts'

describe('createClockPeriodOf', () => {
  it.each([
    ['second', 'UTC', '2026-03-01T10:20:30.999Z', '2026-03-01T10:20:30.000Z'],
    ['minute', 'UTC', '2026-03-01T10:20:30.999Z', '2026-03-01T10:20:00.000Z'],
    ['hour', 'UTC', '2026-03-01T10:20:30.999Z', '2026-03-01T10:00:00.000Z'],
    ['hour', 'Asia/Kolkata', '2026-03-01T10:20:30.999Z', '2026-03-01T09:30:00.000Z'],
    ['hour', 'UTC', '1969-12-31T23:59:59.500Z', '1969-12-31T23:00:00.000Z'],
  ] as const)('puts an instant into its %s in %s', (period, zone, instant, begin) => {
    expect(createClockPeriodOf(period, zone)(instant)).toBe(begin)
  })
})
