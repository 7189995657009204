// Proves the geometry for any size and any scrolling.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  MAX_SPACER_PX,
  ROW_POOL,
  cellAt,
  columnOffsets,
  contentHeight,
  flingAhead,
  followScroll,
  isScaled,
  poolSize,
  positionAt,
  revealColumn,
  revealRow,
  rowTop,
  spacerHeight,
  visibleColumns,
  visibleRows,
} from './window.ts'
import type { RowMetrics, ScrollPosition } from './window.ts'

const metricsArb = fc.record({
  rowCount: fc.oneof(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 0, max: 5_000_000 })),
  rowHeight: fc.constantFrom(28, 36, 56),
  viewportHeight: fc.integer({ min: 0, max: 2400 }),
})
const scaledArb = metricsArb.map((metrics) => ({ ...metrics, rowCount: metrics.rowCount + 600_000 }))
const start: ScrollPosition = { scrollTop: 0, virtualTop: 0 }

function scroll(metrics: RowMetrics, tops: readonly number[]): ScrollPosition {
  const max = Math.max(0, spacerHeight(metrics) - metrics.viewportHeight)
  return tops.reduce((position, share) => followScroll(position, share * max, metrics), start)
}

describe('visibleRows', () => {
  it('covers every pixel of the viewport with rows', () => {
    fc.assert(
      fc.property(metricsArb, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (metrics, tops) => {
        const position = scroll(metrics, tops)
        const { first, end } = visibleRows(position.virtualTop, metrics)
        const bottom = Math.min(position.virtualTop + metrics.viewportHeight, contentHeight(metrics))
        expect(first * metrics.rowHeight).toBeLessThanOrEqual(position.virtualTop)
        expect(end * metrics.rowHeight).toBeGreaterThanOrEqual(bottom)
        expect(first).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThanOrEqual(metrics.rowCount)
      }),
    )
  })

  it('gives every drawn row a slot of its own', () => {
    fc.assert(
      fc.property(metricsArb, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (metrics, tops) => {
        const { first, end } = visibleRows(scroll(metrics, tops).virtualTop, metrics)
        expect(end - first).toBeLessThanOrEqual(poolSize(metrics))
      }),
    )
  })

  it('needs no more than 40 slots on a screen of 1,000 pixels', () => {
    expect(poolSize({ rowCount: 100_000, rowHeight: 36, viewportHeight: 1_000 })).toBe(ROW_POOL)
  })
})

describe('followScroll', () => {
  it('is the identity as long as the content fits the spacer', () => {
    const metrics = { rowCount: 100_000, rowHeight: 36, viewportHeight: 700 }
    expect(isScaled(metrics)).toBe(false)
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3_599_300 }), (top) => {
        expect(followScroll(start, top, metrics)).toEqual({ scrollTop: top, virtualTop: top })
      }),
    )
  })

  it('reaches the first and the last row exactly in a scaled grid', () => {
    fc.assert(
      fc.property(scaledArb, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (metrics, tops) => {
        expect(spacerHeight(metrics)).toBe(MAX_SPACER_PX)
        expect(scroll(metrics, [...tops, 1]).virtualTop).toBe(contentHeight(metrics) - metrics.viewportHeight)
        expect(scroll(metrics, [...tops, 0]).virtualTop).toBe(0)
      }),
    )
  })

  it('moves the content one to one for short steps in a scaled grid', () => {
    const metrics = { rowCount: 5_000_000, rowHeight: 36, viewportHeight: 700 }
    const middle = positionAt(90_000_000, metrics)
    const next = followScroll(middle, middle.scrollTop + 120, metrics)
    expect(next.virtualTop - middle.virtualTop).toBe(120)
  })

  it('keeps drawn rows next to the scroller, whatever the row count', () => {
    fc.assert(
      fc.property(scaledArb, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (metrics, tops) => {
        const position = scroll(metrics, tops)
        const { first } = visibleRows(position.virtualTop, metrics)
        const distance = Math.abs(
          rowTop(first, metrics.rowHeight, position.scrollTop - position.virtualTop) - position.scrollTop,
        )
        expect(distance).toBeLessThanOrEqual(metrics.rowHeight * 5 + 1)
      }),
    )
  })
})

describe('revealRow', () => {
  it('shows the whole row, and nothing moves when it is called again', () => {
    fc.assert(
      fc.property(
        metricsArb.filter(({ rowCount, viewportHeight }) => rowCount > 0 && viewportHeight >= 56),
        fc.array(fc.double({ min: 0, max: 1, noNaN: true })),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (metrics, tops, share) => {
          const row = Math.floor(share * metrics.rowCount)
          const position = revealRow(row, scroll(metrics, tops), metrics) ?? scroll(metrics, tops)
          expect(row * metrics.rowHeight).toBeGreaterThanOrEqual(position.virtualTop - 1e-6)
          const bottom = Math.min(position.virtualTop + metrics.viewportHeight, contentHeight(metrics)) + 1e-6
          expect((row + 1) * metrics.rowHeight).toBeLessThanOrEqual(bottom)
          expect(revealRow(row, position, metrics)).toBeNull()
        },
      ),
    )
  })
})

describe('visibleColumns', () => {
  const widthsArb = fc.array(fc.integer({ min: 48, max: 600 }), { minLength: 1, maxLength: 60 })

  it('covers the part of the viewport that frozen columns leave free', () => {
    fc.assert(
      fc.property(
        widthsArb,
        fc.nat(4),
        fc.nat(9000),
        fc.nat(1600),
        (widths, frozenCount, scrollLeft, viewportWidth) => {
          const offsets = columnOffsets(widths)
          const frozen = Math.min(frozenCount, widths.length)
          const { first, end } = visibleColumns(scrollLeft, viewportWidth, offsets, frozenCount)
          expect(first).toBeGreaterThanOrEqual(frozen)
          for (let column = frozen; column < widths.length; column++) {
            const left = offsets[column] ?? 0
            const right = offsets[column + 1] ?? 0
            const seen = right > scrollLeft + (offsets[frozen] ?? 0) && left < scrollLeft + viewportWidth
            expect(!seen || (column >= first && column < end)).toBe(true)
          }
        },
      ),
    )
  })

  it('scrolls a column into view, after which it is among the visible ones', () => {
    fc.assert(
      fc.property(widthsArb, fc.nat(4), fc.nat(9000), fc.nat(59), (widths, frozenCount, scrollLeft, pick) => {
        const offsets = columnOffsets(widths)
        const frozen = Math.min(frozenCount, widths.length)
        const column = pick % widths.length
        const viewport = (offsets[frozen] ?? 0) + 640
        const left = revealColumn(column, scrollLeft, viewport, offsets, frozen) ?? scrollLeft
        const { first, end } = visibleColumns(left, viewport, offsets, frozen, 0)
        const moved = revealColumn(column, scrollLeft, viewport, offsets, frozen) !== null
        expect(column < frozen ? !moved : column >= first && column < end).toBe(true)
      }),
    )
  })
})

describe('cellAt', () => {
  it('finds the row and column a point lies in', () => {
    const metrics = { rowCount: 10, rowHeight: 36, viewportHeight: 200 }
    const offsets = columnOffsets([100, 50, 80])
    expect(cellAt(99, 35, metrics, offsets)).toEqual({ row: 0, column: 0 })
    expect(cellAt(100, 36, metrics, offsets)).toEqual({ row: 1, column: 1 })
    expect(cellAt(9999, 9999, metrics, offsets)).toEqual({ row: 9, column: 2 })
    expect(cellAt(-5, -5, metrics, offsets)).toEqual({ row: 0, column: 0 })
  })
})

describe('a fling', () => {
  it('is drawn one step ahead, never behind, and not at all when it is slow, turns or has just begun', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_000, max: 9_000 }), fc.integer({ min: -9_000, max: 9_000 }), (last, step) => {
        const ahead = flingAhead(last, step, 800)
        const isFling = Math.abs(last) >= 400 && Math.abs(step) >= 400 && Math.sign(last) === Math.sign(step)
        if (!isFling) expect(ahead).toBe(0)
        else {
          expect(ahead * Math.sign(step)).toBeGreaterThanOrEqual(0)
          expect(Math.abs(ahead)).toBeLessThanOrEqual(Math.abs(step))
          if (Math.abs(step) >= Math.abs(last)) expect(ahead).toBe(step)
        }
      }),
    )
  })
})
