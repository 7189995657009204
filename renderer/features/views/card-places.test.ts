import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cardPlaces } from './card-places.ts'

describe('places of cards', () => {
  it('follow each other with a gap', () => {
    const places = cardPlaces(3, 8, (offset) => [40, 66, 86][offset]!)
    expect([0, 1, 2, 3].map(places.topOf)).toEqual([0, 48, 122, 216])
    expect([0, 47, 48, 121, 122, 9_000].map(places.at)).toEqual([0, 0, 1, 1, 2, 2])
  })

  it('of no card begin and end at the top', () => {
    const places = cardPlaces(0, 8, () => 40)
    expect([places.topOf(0), places.topOf(5), places.at(0), places.at(90)]).toEqual([0, 0, 0, 0])
  })

  it('find at every height within a card that card', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 40, max: 200 }), { minLength: 1 }), fc.nat(199), (heights, within) => {
        const places = cardPlaces(heights.length, 8, (offset) => heights[offset]!)
        for (const [offset, height] of heights.entries()) {
          expect(places.at(places.topOf(offset) + (within % height))).toBe(offset)
        }
      }),
    )
  })
})
