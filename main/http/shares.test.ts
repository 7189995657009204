// What there is of something, and who gets how much of it.
import { describe, expect, it } from 'vitest'
import { createShares } from './shares.ts'

describe('shares', () => {
  it('give one alone half, and leave some to whoever comes then', () => {
    const shares = createShares(12)
    const takenBy = (who: string): number => {
      let taken = 0
      while (shares.take(who, 1)) taken += 1
      return taken
    }
    expect(['a', 'b', 'c', 'd'].map(takenBy)).toEqual([6, 3, 1, 1])
    expect(takenBy('a')).toBe(0)
  })

  it('take back what is given back', () => {
    const shares = createShares(10)
    expect([shares.take('a', 6), shares.take('a', 5), shares.take('a', 1)]).toEqual([false, true, false])
    shares.give('a', 5)
    expect([shares.take('b', 5), shares.take('a', 3), shares.take('a', 2)]).toEqual([true, false, true])
  })
})
