// Owns what the hooks of the grid share: the props of this rendering and everything derived from them. Types and the
// few reads all of them need.

import type { CellWrite } from './edit.ts'
import type { GridLabels } from './grid-labels.ts'
import type { DataGridProps, GridRecord } from './grid-types.ts'
import type { RenderColumn, RenderColumns } from './render-column.ts'
import type { CellPosition, GridBounds, GridSelection } from './selection.ts'
import type { CellEdits } from './use-cell-edits.ts'
import type { GridWindow } from './use-grid-window.ts'

/** State of a mounted grid, as its hooks see it during one rendering. */
export interface GridCore {
  props: DataGridProps
  labels: GridLabels
  columns: RenderColumns
  bounds: GridBounds
  window: GridWindow
  edits: CellEdits
  selection: GridSelection
  select(selection: GridSelection, reveal?: boolean): void
  announce(text: string): void
  focusGrid(): void
  /** Element of the active cell, when it is drawn. */
  activeElement(): HTMLElement | null
  /** True while cells are being filled in with Tab, which then moves instead of leaving the grid. */
  isEntry(): boolean
  setEntry(entry: boolean): void
}

/** A loaded cell with everything an edit needs. */
export interface LoadedCell {
  column: RenderColumn
  row: GridRecord
  rowIndex: number
  rowKey: string
}

/** Identity of a row; without an id its place has to do. */
export function rowKeyOf(props: DataGridProps, row: GridRecord, index: number): string {
  return props.getRowKey?.(row, index) ?? String(row.id ?? `#${index}`)
}

/** The cell at a position, or null in the header, outside, or while the row is loading. */
export function loadedCell(
  { props, columns }: GridCore,
  { row: rowIndex, column: at }: CellPosition,
): LoadedCell | null {
  const column = columns.columns[at]
  const row = rowIndex >= 0 && rowIndex < props.rowCount ? props.getRow(rowIndex) : undefined
  return column && row ? { column, row, rowIndex, rowKey: rowKeyOf(props, row, rowIndex) } : null
}

/** A write of a cell that is pending or has failed. */
export function writeOf({ edits }: GridCore, cell: LoadedCell): CellWrite | undefined {
  return edits.writesByRow.get(cell.rowKey)?.get(cell.column.name)
}

/** The value a cell shows: what is being written, else what is stored. */
export function shownValue(core: GridCore, cell: LoadedCell): unknown {
  const write = writeOf(core, cell)
  return write && write.value !== undefined ? write.value : cell.row[cell.column.name]
}
