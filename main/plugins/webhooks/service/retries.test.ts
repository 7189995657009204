import { expect, it } from 'vitest'
import { waitMs } from './retries.ts'

it('waits as long as the other side asks for, in seconds or until a date, an hour at most (D-194)', () => {
  const now = Date.UTC(2026, 0, 5, 12)
  const at = (seconds: number): string => new Date(now + seconds * 1_000).toUTCString()
  const asked = [undefined, '60', at(90), '7200', at(7_200), at(-90), '1', 'soon', '-5', '']
  expect(asked.map((header) => waitMs(undefined, 1, header, now, 0.5))).toEqual([
    5_000, 60_000, 90_000, 3_600_000, 3_600_000, 5_000, 5_000, 5_000, 5_000, 5_000,
  ])
  const policy = { maxRetries: 1, backoffStrategy: 'fixed', initialDelayMs: 100, maxDelayMs: 1_000 } as const
  expect([1, 2].map((failed) => waitMs(policy, failed, at(2), now, 0.5))).toEqual([2_000, null])
})
