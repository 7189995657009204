// Owns the numbering assistive technology sees: one-based, header row and row number column counted.

/** `aria-colindex` of the row number column. */
export const ROW_NUMBER_COLUMN_INDEX = 1
/** `aria-rowindex` of the header. */
export const HEADER_ROW_INDEX = 1

/** `aria-rowindex` of a row. */
export function ariaRow(row: number): number {
  return row + 2
}

/** `aria-colindex` of a column. */
export function ariaColumn(column: number): number {
  return column + 2
}

/** Index of the column an element with `aria-colindex` belongs to; -1 for the row numbers. */
export function columnAt(cell: Element): number {
  return Number(cell.getAttribute('aria-colindex')) - 2
}

/** Row and column of the cell an element lies in: row -1 is the header, column -1 the row numbers; null outside. */
export function positionOf(target: EventTarget | null): { row: number; column: number } | null {
  if (!(target instanceof Element)) return null
  const cell = target.closest('[aria-colindex]')
  const row = cell?.closest('[aria-rowindex]')
  if (!cell || !row) return null
  return { row: Number(row.getAttribute('aria-rowindex')) - 2, column: columnAt(cell) }
}
