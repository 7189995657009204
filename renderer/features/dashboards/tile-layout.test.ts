// Where tiles stand: never over each other, whatever is moved or resized.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Tile } from './dashboard-item.ts'
import { exchanged, moved, placed, replaced, resized, withTile } from './tile-layout.ts'
import type { PlacedTile } from './tile-layout.ts'

const tile = (id: string, x: number, y: number, w: number, h: number): PlacedTile => ({
  id,
  type: 'chart',
  layout: { x, y, w, h },
})
const places = (tiles: readonly PlacedTile[]): Record<string, number[]> =>
  Object.fromEntries(tiles.map(({ id, layout: { x, y, w, h } }) => [id, [x, y, w, h]]))

describe('tiles', () => {
  it('get a place beside or below the others where they have none, and leave no gap', () => {
    const tiles: Tile[] = [
      { id: 'a', type: 'metric' },
      tile('b', 0, 0, 3, 2),
      { id: 'c', type: 'chart' },
      { id: 'd', type: 'list' },
    ]
    expect(places(placed(tiles, 12))).toEqual({ b: [0, 0, 3, 2], a: [3, 0, 9, 2], c: [0, 2, 6, 4], d: [6, 2, 6, 4] })
    const own = [tile('b', 0, 0, 12, 4), { id: 'c', type: 'chart' } as const]
    expect(places(placed(own, 12))).toEqual({ b: [0, 0, 12, 4], c: [0, 4, 12, 4] })
  })

  it('share the last row with a new one of their height as long as each is wide enough', () => {
    let tiles: PlacedTile[] = []
    const add = (id: string, type: Tile['type']): Record<string, number[]> => {
      tiles = withTile(tiles, { id, type }, 12)
      return places(tiles)
    }
    expect(add('a', 'metric')).toEqual({ a: [0, 0, 12, 2] })
    expect(add('b', 'metric')).toEqual({ a: [0, 0, 6, 2], b: [6, 0, 6, 2] })
    expect(add('c', 'chart')).toMatchObject({ c: [0, 2, 12, 4] })
    expect(add('d', 'table')).toMatchObject({ c: [0, 2, 6, 4], d: [6, 2, 6, 4] })
    expect(add('e', 'chart')).toMatchObject({ c: [0, 2, 6, 4], d: [6, 2, 6, 4], e: [0, 6, 12, 4] })
    tiles = resized(tiles, 'e', -3, 0, 12)
    expect(add('f', 'metric')).toMatchObject({ e: [0, 6, 9, 4], f: [9, 6, 3, 4] })
    expect(add('g', 'chart')).toMatchObject({ e: [0, 6, 9, 4], f: [9, 6, 3, 4], g: [0, 10, 12, 4] })
  })

  it('push down what they would cover, and stop at the edges', () => {
    const tiles = [tile('a', 0, 0, 6, 4), tile('b', 6, 0, 6, 4)]
    expect(places(moved(tiles, 'a', 2, 0, 12))).toEqual({ a: [2, 0, 6, 4], b: [6, 4, 6, 4] })
    expect(places(moved(tiles, 'a', -3, -2, 12))).toEqual({ a: [0, 0, 6, 4], b: [6, 0, 6, 4] })
    expect(places(resized(tiles, 'b', 4, 1, 12))).toEqual({ a: [0, 0, 6, 4], b: [6, 0, 6, 5] })
    expect(places(resized(tiles, 'a', 1, -9, 12))).toEqual({ a: [0, 0, 7, 1], b: [6, 1, 6, 4] })
  })

  it('that become another kind are as high as a new one of it, unless somebody made them higher', () => {
    const number: PlacedTile = { ...tile('a', 0, 0, 3, 2), type: 'metric' }
    const tiles = [number, tile('b', 3, 0, 9, 4), tile('c', 0, 4, 12, 4)]
    const drawn = replaced(tiles, { id: 'a', type: 'chart', title: 'Drawn' }, 12)
    expect(places(drawn)).toEqual({ a: [0, 0, 3, 4], b: [3, 0, 9, 4], c: [0, 4, 12, 4] })
    expect(drawn[0]).toMatchObject({ type: 'chart', title: 'Drawn' })
    expect(places(replaced(drawn, { id: 'a', type: 'metric' }, 12))).toEqual(places(tiles))
    expect(places(replaced(resized(drawn, 'a', 0, 1, 12), { id: 'a', type: 'metric' }, 12))['a']).toEqual([0, 0, 3, 5])
    expect(places(replaced(resized(drawn, 'a', 0, -1, 12), { id: 'a', type: 'chart' }, 12))['a']).toEqual([0, 0, 3, 3])
    const below = [number, tile('b', 0, 2, 12, 4)]
    expect(places(replaced(below, { id: 'a', type: 'list' }, 12))).toEqual({ a: [0, 0, 3, 4], b: [0, 4, 12, 4] })
  })

  it('change places with their neighbours', () => {
    const tiles = [tile('a', 0, 0, 12, 2), tile('b', 0, 2, 6, 4)]
    expect(exchanged(tiles, 'b', -1, 12).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(exchanged(tiles, 'a', 1, 12).map(({ id }) => id)).toEqual(['b', 'a'])
    expect(places(exchanged(tiles, 'a', -1, 12))).toEqual(places(tiles))
  })

  it('never cover each other and never leave the columns', () => {
    const place = fc.record({
      x: fc.nat(20),
      y: fc.nat(6),
      w: fc.integer({ min: 1, max: 20 }),
      h: fc.integer({ min: 1, max: 6 }),
    })
    const act = fc.record({
      at: fc.nat(9),
      what: fc.constantFrom('move', 'size', 'up', 'down', 'add'),
      dx: fc.integer({ min: -8, max: 8 }),
      dy: fc.integer({ min: -8, max: 8 }),
    })
    fc.assert(
      fc.property(
        fc.array(place, { minLength: 1, maxLength: 8 }),
        fc.array(act, { maxLength: 12 }),
        (layouts, acts) => {
          let tiles = placed(
            layouts.map((layout, at) => ({ id: `t${at}`, type: 'chart', layout })),
            12,
          )
          for (const { at, what, dx, dy } of acts) {
            const { id } = tiles[at % tiles.length]!
            if (what === 'move') tiles = moved(tiles, id, dx, dy, 12)
            else if (what === 'size') tiles = resized(tiles, id, dx, dy, 12)
            else if (what === 'add') tiles = withTile(tiles, { id: `n${tiles.length}`, type: 'metric' }, 12)
            else tiles = exchanged(tiles, id, what === 'up' ? -1 : 1, 12)
          }
          const cells = new Set<string>()
          for (const { layout } of tiles) {
            expect(layout.x).toBeGreaterThanOrEqual(0)
            expect(layout.x + layout.w).toBeLessThanOrEqual(12)
            for (let x = layout.x; x < layout.x + layout.w; x += 1) {
              for (let y = layout.y; y < layout.y + layout.h; y += 1) {
                expect(cells.has(`${x} ${y}`)).toBe(false)
                cells.add(`${x} ${y}`)
              }
            }
          }
        },
      ),
    )
  })
})
