// Owns which cells are selected: ranges with an anchor and a head, the active cell, and how operations change them.
// Pure and immutable; knows no keys, no DOM and no data.

/** Row index of the header, so that the active cell can be a column header. */
export const HEADER_ROW = -1

/** A cell by zero-based row and column; row {@link HEADER_ROW} is the column header. */
export interface CellPosition {
  row: number
  column: number
}

/** A rectangle of cells, both ends inside. */
export interface CellRange {
  top: number
  left: number
  bottom: number
  right: number
}

/** A range as it was made: it starts at the anchor and is stretched to the head. */
export interface RangeEnds {
  anchor: CellPosition
  head: CellPosition
}

/** Size of the grid a selection lives in. */
export interface GridBounds {
  rowCount: number
  columnCount: number
}

/** All selected ranges; the last one is current and its anchor is the active cell. Never empty. */
export interface GridSelection {
  ranges: readonly RangeEnds[]
}

const clampIndex = (value: number, count: number): number => Math.min(Math.max(Math.trunc(value), 0), count - 1)

/** Nearest cell inside the bounds; the header row stays a header, and is the answer when there are no rows. */
export function clampPosition(position: CellPosition, bounds: GridBounds): CellPosition {
  const column = Math.max(0, clampIndex(position.column, bounds.columnCount))
  if (position.row <= HEADER_ROW || bounds.rowCount === 0) return { row: HEADER_ROW, column }
  return { row: clampIndex(position.row, bounds.rowCount), column }
}

/** Selects exactly one cell. */
export function selectCell(position: CellPosition, bounds: GridBounds): GridSelection {
  const cell = clampPosition(position, bounds)
  return { ranges: [{ anchor: cell, head: cell }] }
}

const currentEnds = (selection: GridSelection): RangeEnds => {
  const last = selection.ranges[selection.ranges.length - 1]
  if (!last) throw new RangeError('A selection has at least one range.')
  return last
}

/** The cell that keys act on: the anchor of the current range. */
export function activeCell(selection: GridSelection): CellPosition {
  return currentEnds(selection).anchor
}

/** The moving end of the current range: what Shift with an arrow moves and what is scrolled into view. */
export function headCell(selection: GridSelection): CellPosition {
  return currentEnds(selection).head
}

/** Stretches the current range to a cell; other ranges stay. A header cell cannot be stretched: it is left as it is. */
export function extendTo(selection: GridSelection, position: CellPosition, bounds: GridBounds): GridSelection {
  const { anchor } = currentEnds(selection)
  const head = clampPosition({ row: Math.max(0, position.row), column: position.column }, bounds)
  if (anchor.row === HEADER_ROW || head.row === HEADER_ROW) return selection
  return { ranges: [...selection.ranges.slice(0, -1), { anchor, head }] }
}

/** Adds a range of one cell, which becomes current (Ctrl with a click). */
export function addCell(selection: GridSelection, position: CellPosition, bounds: GridBounds): GridSelection {
  const cell = clampPosition(position, bounds)
  if (cell.row === HEADER_ROW || activeCell(selection).row === HEADER_ROW) return selectCell(position, bounds)
  return { ranges: [...selection.ranges, { anchor: cell, head: cell }] }
}

/** Selects whole rows from the anchor's row (or `row` itself, when not extending) to `row`. */
export function selectRows(selection: GridSelection, row: number, extend: boolean, bounds: GridBounds): GridSelection {
  if (bounds.rowCount === 0) return clampSelection(selection, bounds)
  const from = extend ? Math.max(0, activeCell(selection).row) : row
  return {
    ranges: [
      {
        anchor: clampPosition({ row: Math.max(0, from), column: 0 }, bounds),
        head: clampPosition({ row: Math.max(0, row), column: bounds.columnCount - 1 }, bounds),
      },
    ],
  }
}

/** Selects every cell; the first cell becomes active. */
export function selectAll(bounds: GridBounds): GridSelection {
  const anchor = clampPosition({ row: 0, column: 0 }, bounds)
  const head = clampPosition({ row: bounds.rowCount - 1, column: bounds.columnCount - 1 }, bounds)
  return { ranges: [{ anchor, head: anchor.row === HEADER_ROW ? anchor : head }] }
}

/** Reduces the selection to its active cell. */
export function collapse(selection: GridSelection): GridSelection {
  const anchor = activeCell(selection)
  return { ranges: [{ anchor, head: anchor }] }
}

/** Moves a selection into changed bounds; ranges keep their shape as far as the bounds allow. */
export function clampSelection(selection: GridSelection, bounds: GridBounds): GridSelection {
  let changed = false
  const ranges = selection.ranges.map((ends) => {
    const anchor = clampPosition(ends.anchor, bounds)
    const head = anchor.row === HEADER_ROW ? anchor : clampPosition(ends.head, bounds)
    changed ||= !samePosition(anchor, ends.anchor) || !samePosition(head, ends.head)
    return { anchor, head }
  })
  return changed ? { ranges } : selection
}

/** Compares two cells. */
export function samePosition(a: CellPosition, b: CellPosition): boolean {
  return a.row === b.row && a.column === b.column
}

/** The rectangle between two ends. */
export function rangeOf(ends: RangeEnds): CellRange {
  return {
    top: Math.min(ends.anchor.row, ends.head.row),
    left: Math.min(ends.anchor.column, ends.head.column),
    bottom: Math.max(ends.anchor.row, ends.head.row),
    right: Math.max(ends.anchor.column, ends.head.column),
  }
}

/** The rectangle of the current range. */
export function currentRange(selection: GridSelection): CellRange {
  return rangeOf(currentEnds(selection))
}

/** Tells whether a cell lies in any selected range. */
export function isSelected(selection: GridSelection, position: CellPosition): boolean {
  return selection.ranges.some((ends) => rangeHas(rangeOf(ends), position))
}

/** Tells whether a rectangle holds a cell. */
export function rangeHas(range: CellRange, { row, column }: CellPosition): boolean {
  return row >= range.top && row <= range.bottom && column >= range.left && column <= range.right
}

/** Tells whether the selection is one single cell. */
export function isSingleCell(selection: GridSelection): boolean {
  const { anchor, head } = currentEnds(selection)
  return selection.ranges.length === 1 && samePosition(anchor, head)
}
