// Proves that no sequence of operations leads a selection out of its grid.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  HEADER_ROW,
  activeCell,
  addCell,
  clampSelection,
  collapse,
  currentRange,
  extendTo,
  headCell,
  isSelected,
  isSingleCell,
  rangeOf,
  samePosition,
  selectAll,
  selectCell,
  selectRows,
} from './selection.ts'
import type { CellPosition, GridBounds, GridSelection } from './selection.ts'

const boundsArb = fc.record({ rowCount: fc.nat(500), columnCount: fc.integer({ min: 1, max: 30 }) })
const positionArb = fc.record({ row: fc.integer({ min: -3, max: 600 }), column: fc.integer({ min: -3, max: 40 }) })

type Operation = (selection: GridSelection, bounds: GridBounds) => GridSelection
const operationArb: fc.Arbitrary<Operation> = fc.oneof(
  positionArb.map(
    (at): Operation =>
      (_selection, bounds) =>
        selectCell(at, bounds),
  ),
  positionArb.map(
    (at): Operation =>
      (selection, bounds) =>
        extendTo(selection, at, bounds),
  ),
  positionArb.map(
    (at): Operation =>
      (selection, bounds) =>
        addCell(selection, at, bounds),
  ),
  fc.tuple(fc.nat(600), fc.boolean()).map(
    ([row, extend]): Operation =>
      (selection, bounds) =>
        selectRows(selection, row, extend, bounds),
  ),
  fc.constant<Operation>((_selection, bounds) => selectAll(bounds)),
  fc.constant<Operation>((selection) => collapse(selection)),
)

const inside = ({ row, column }: CellPosition, bounds: GridBounds): boolean =>
  row >= HEADER_ROW && row < bounds.rowCount && column >= 0 && column < bounds.columnCount

describe('selection operations', () => {
  it('keep every anchor and head inside the grid', () => {
    fc.assert(
      fc.property(boundsArb, positionArb, fc.array(operationArb), (bounds, at, operations) => {
        let selection = selectCell(at, bounds)
        for (const operation of operations) {
          selection = operation(selection, bounds)
          expect(selection.ranges.length).toBeGreaterThan(0)
          for (const { anchor, head } of selection.ranges) {
            expect(inside(anchor, bounds)).toBe(true)
            expect(inside(head, bounds)).toBe(true)
            expect((anchor.row === HEADER_ROW) === (head.row === HEADER_ROW)).toBe(true)
          }
          expect(isSelected(selection, activeCell(selection))).toBe(true)
        }
      }),
    )
  })

  it('stay inside after the grid shrinks or grows', () => {
    fc.assert(
      fc.property(boundsArb, boundsArb, fc.array(operationArb), (before, after, operations) => {
        const made = operations.reduce((last, operation) => operation(last, before), selectAll(before))
        const selection = clampSelection(made, after)
        for (const { anchor, head } of selection.ranges) {
          expect(inside(anchor, after) && inside(head, after)).toBe(true)
        }
        expect(clampSelection(selection, after)).toBe(selection)
      }),
    )
  })
})

describe('extendTo', () => {
  const bounds = { rowCount: 100, columnCount: 10 }

  it('keeps the anchor and moves the head', () => {
    fc.assert(
      fc.property(fc.nat(99), fc.nat(9), fc.array(positionArb, { minLength: 1 }), (row, column, path) => {
        const start = selectCell({ row, column }, bounds)
        const end = path.reduce((last, at) => extendTo(last, at, bounds), start)
        expect(activeCell(end)).toEqual({ row, column })
        const { top, left, bottom, right } = currentRange(end)
        expect(row >= top && row <= bottom && column >= left && column <= right).toBe(true)
      }),
    )
  })

  it('does not reach from the rows into the header', () => {
    const selection = extendTo(selectCell({ row: 2, column: 1 }, bounds), { row: HEADER_ROW, column: 3 }, bounds)
    expect(headCell(selection)).toEqual({ row: 0, column: 3 })
  })
})

describe('a single cell', () => {
  it('is single until it is extended', () => {
    const bounds = { rowCount: 5, columnCount: 5 }
    const one = selectCell({ row: 1, column: 1 }, bounds)
    expect(isSingleCell(one)).toBe(true)
    const six = extendTo(one, { row: 2, column: 3 }, bounds)
    expect(isSingleCell(six)).toBe(false)
    expect(rangeOf({ anchor: activeCell(six), head: headCell(six) })).toEqual({ top: 1, left: 1, bottom: 2, right: 3 })
    expect(samePosition(activeCell(collapse(six)), { row: 1, column: 1 })).toBe(true)
  })

  it('is the header when the grid has no rows', () => {
    expect(activeCell(selectAll({ rowCount: 0, columnCount: 3 })).row).toBe(HEADER_ROW)
  })
})
