// What a long run takes by turns: one of two neighbours each day, and in two days both.
import { expect, it } from 'vitest'
import { isOnTurn } from './test-size.ts'

it('takes one of two neighbours, and the other one a day later', () => {
  for (const day of [20_786, 20_787])
    for (let index = 0; index < 6; index++) {
      expect(isOnTurn(index, day)).not.toBe(isOnTurn(index + 1, day))
      expect(isOnTurn(index, day)).not.toBe(isOnTurn(index, day + 1))
    }
})
