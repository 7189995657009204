import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { frozenAfterMove, moveColumn, placeBeside, toggleColumn } from './column-order.ts'
import { placeOfGap } from '../../components/grid/header-drag.ts'

const all = ['a', 'b', 'c', 'd', 'e']
const names = fc.shuffledSubarray(all, { minLength: 1 })

describe('the order of columns', () => {
  it('keeps every column at every move, and puts the moved one where it was sent', () => {
    fc.assert(
      fc.property(names, fc.nat(), fc.nat(4), (shown, pick, to) => {
        const name = shown[pick % shown.length]!
        const moved = moveColumn(shown, name, to)
        expect(moved.toSorted()).toEqual(shown.toSorted())
        expect(moved.indexOf(name)).toBe(Math.min(to, shown.length - 1))
        expect(moved.filter((other) => other !== name)).toEqual(shown.filter((other) => other !== name))
      }),
    )
  })

  it('is left alone by a drop in the two gaps beside the column', () => {
    expect([0, 1, 2, 3, 4].map((gap) => moveColumn(all.slice(0, 4), 'b', placeOfGap(1, gap)).join(''))).toEqual([
      'bacd',
      'abcd',
      'abcd',
      'acbd',
      'acdb',
    ])
  })

  it('takes a new column beside another one, and hides and shows without losing the order', () => {
    expect(placeBeside(['a', 'b'], 'x', 'b', 'before')).toEqual(['a', 'x', 'b'])
    expect(placeBeside(['a', 'b'], 'x', 'gone', 'after')).toEqual(['a', 'b', 'x'])
    fc.assert(
      fc.property(names, fc.constantFrom(...all), (shown, name) => {
        const toggled = toggleColumn(shown, name, all)
        expect(toggled.length).toBeGreaterThan(0)
        expect(toggled.filter((other) => other !== name)).toEqual(shown.filter((other) => other !== name))
        if (shown.length > 1 || shown[0] !== name) expect(toggled.includes(name)).toBe(!shown.includes(name))
      }),
    )
  })

  it('moves the frozen line with a column that crosses it', () => {
    expect([
      frozenAfterMove(2, 0, 3),
      frozenAfterMove(2, 3, 0),
      frozenAfterMove(2, 0, 1),
      frozenAfterMove(2, 3, 4),
    ]).toEqual([1, 3, 2, 2])
  })
})
