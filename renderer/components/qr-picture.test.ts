import { describe, expect, it } from 'vitest'
import { qrCode } from './qr-picture.tsx'

// Read back with an independent reader when it was written down.
const cairn = `
#######....##.#######
#.....#.##....#.....#
#.###.#..####.#.###.#
#.###.#..####.#.###.#
#.###.#.###.#.#.###.#
#.....#.....#.#.....#
#######.#.#.#.#######
...........##........
#.#.#.#....#....#..#.
.#####.##.#...#..#.##
##...##.###.#...#####
..#.....##....#.....#
#.##..##..#.#.#.#...#
........#.##.#.#.###.
#######....#.###.####
#.....#....###.##....
#.###.#.#.##.###.#.##
#.###.#...#...##.#.#.
#.###.#.#...#...#...#
#.....#...#...###..#.
#######.#...#.##...##`

describe('QR code', () => {
  it('draws a short text', () => {
    const rows = qrCode('Cairn')!.map((row) => row.map((dark) => (dark ? '#' : '.')).join(''))
    expect(rows.join('\n')).toBe(cairn.trim())
  })

  it.each([
    [14, 21],
    [15, 25],
    [122, 45],
    [123, 49],
    [213, 57],
    [214, 61],
    [412, 77],
  ])('gives %i bytes a code of %i squares a side', (length, size) => {
    expect(qrCode('x'.repeat(length))).toHaveLength(size)
  })

  it('has no code for a text that is too long', () => {
    expect(qrCode('x'.repeat(413))).toBeUndefined()
    expect(qrCode('ü'.repeat(207))).toBeUndefined()
  })
})
