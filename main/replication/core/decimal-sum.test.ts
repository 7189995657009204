import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimalSum } from './decimal-sum.ts'

describe('decimalSum', () => {
  it.each<[number[], number]>([
    [[], 0],
    [[0.1, 0.2], 0.3],
    [[1e20, 0.5, -1e20], 0.5],
    [[1.005, 2.005, -3.01], 0],
    [[1e-7, 1e21, -1e21], 1e-7],
    [[-0.1, -0.2], -0.3],
    [[2 ** 53 - 1, 1, 1, -2], 2 ** 53 - 1],
  ])('of %j is %s', (numbers, expected) => {
    expect(decimalSum(numbers)).toBe(expected)
  })

  it('does not depend on the order', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
    fc.assert(
      fc.property(fc.array(number, { maxLength: 6 }), (numbers) => {
        expect(decimalSum(numbers.toReversed())).toBe(decimalSum(numbers))
      }),
    )
  })
})
