// What a long run takes by turns: one of some neighbours each day, and all of them in as many days.
import { expect, it } from 'vitest'
import { isOnTurn } from './test-size.ts'

it.each([2, 3])('takes one of %d neighbours a day, and each of them once in as many days', (neighbours) => {
  for (let index = 0; index < 6; index++)
    for (const day of [20_786, 20_787]) {
      const next = Array.from({ length: neighbours }, (_, at) => at)
      expect(next.filter((at) => isOnTurn(index + at, neighbours, day))).toHaveLength(1)
      expect(next.filter((at) => isOnTurn(index, neighbours, day + at))).toHaveLength(1)
    }
})
