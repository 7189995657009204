// Owns the grid's own words; a screen may replace any of them.
import { t, tn } from '../../lib/strings.ts'

/** Words of the grid; functions where a text holds values. */
export const gridLabels = {
  rowNumber: t('grid.rowNumber'),
  selectAll: t('grid.selectAll'),
  checkRow: (row: number): string => t('grid.checkRow', { row }),
  columnMenu: (field: string): string => t('column.menu', { field }),
  columnMoved: (column: string, place: number): string => t('grid.columnMoved', { column, place }),
  sortedBy: (position: number): string => t('grid.sortedBy', { position }),
  editor: (column: string, row: number): string => t('grid.editor', { column, row }),
  append: t('grid.append'),
  group: (field: string, label: string, rows: number): string => tn('grid.group', rows, { field, label }),
  figure: (name: string, column: string, text: string): string => t('grid.figure', { name, column, text }),
  loading: t('word.loading'),
  notSaved: (column: string, row: number, message: string): string => t('grid.notSaved', { column, row, message }),
  saved: (column: string, row: number): string => t('grid.saved', { column, row }),
  saving: t('grid.saving'),
  retry: t('grid.retry'),
  change: t('grid.change'),
  discard: t('grid.discard'),
  selected: (rows: number, columns: number): string =>
    t('grid.selected', { rows: tn('count.rows', rows), columns: tn('count.columns', columns) }),
  copied: (cells: number): string => t('grid.copied', { cells: tn('count.cells', cells) }),
  notReady: t('grid.notReady'),
  readonly: (column: string): string => t('grid.readonly', { column }),
  conflict: t('grid.conflict'),
  rowConflict: (row: number): string => t('grid.rowConflict', { row }),
  editedBy: (name: string): string => t('grid.editedBy', { name }),
  notLoaded: t('grid.notLoaded'),
}

/** The words a grid needs. */
export type GridLabels = typeof gridLabels
