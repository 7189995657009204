// Owns what the hooks of the grid share: the props of this rendering and everything derived from them. Types and the
// few reads all of them need.

import type { CellWrite } from './edit.ts'
import type { GridLabels } from './grid-labels.ts'
import type { DataGridProps, GridNotice, GridRecord } from './grid-types.ts'
import type { RenderColumn, RenderColumns } from './render-column.ts'
import type { CellPosition, CellRange, GridBounds, GridSelection } from './selection.ts'
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

/** The number people count a row by, from 1. */
export function rowNumber({ groups }: DataGridProps, index: number): number {
  return groups ? groups.numberOf(index) : index + 1
}

/** Nearest line that is no heading, going on in one direction; null when there is none. */
export function skipHeadings({ groups, rowCount }: DataGridProps, line: number, back: boolean): number | null {
  let at = line
  while (at >= 0 && at < rowCount && groups?.headingAt(at)) at += back ? -1 : 1
  return at >= 0 && at < rowCount ? at : null
}

/** Line of the open editor: what was written before may have moved its row. */
export function editorLine({ props, edits }: GridCore): number {
  const { editor } = edits.state
  if (!editor) return -1
  const follow = props.groups?.follow ?? props.followRow
  return follow?.(editor.rowKey, editor.rowIndex) ?? editor.rowIndex
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

/** Texts of the cells of a row within a range, as they are copied. */
export function rowTexts(core: GridCore, range: CellRange, row: GridRecord, rowIndex: number): string[] {
  const { props, columns } = core
  return columns.columns.slice(range.left, range.right + 1).map((column) => {
    const value = shownValue(core, { column, row, rowIndex, rowKey: rowKeyOf(props, row, rowIndex) })
    return (column.type.copyText ?? column.type.toText)(value, column.field, props.fieldContext)
  })
}

/** Shows a notice where the screen has a place for it, else announces it. */
export function tell({ props, announce }: GridCore, notice: GridNotice): void {
  if (props.onNotice) props.onNotice(notice)
  else announce(notice.text)
}
