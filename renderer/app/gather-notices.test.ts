// Notifications that come together are one message.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createNoticeGatherer, restMs } from './gather-notices.ts'

describe('gathered notices', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('are one message for all that one action caused, and one each for those that come alone', () => {
    const show = vi.fn<(first: string, more: number) => void>()
    const gather = createNoticeGatherer(show)
    for (let index = 0; index < 7; index++) {
      gather(`n${index}`, `Ann changed Task ${index}`)
      vi.advanceTimersByTime(restMs / 2)
    }
    gather('n0', 'Ann changed Task 0')
    expect(show).not.toHaveBeenCalled()
    vi.advanceTimersByTime(restMs)
    gather('n8', 'Ben commented on Task 8')
    vi.advanceTimersByTime(restMs)
    expect(show.mock.calls).toEqual([
      ['Ann changed Task 0', 6],
      ['Ben commented on Task 8', 0],
    ])
  })
})
