// Owns the grid's own words in English; a screen may replace any of them with a translation.

const count = (number: number, one: string, other: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : other}`

/** English words of the grid; functions where a text holds values. */
export const gridLabels = {
  rowNumber: 'Row number',
  selectAll: 'Select all cells',
  checkRow: (row: number): string => `Select row ${row}`,
  columnMenu: (column: string): string => `Menu of column ${column}`,
  columnMoved: (column: string, place: number): string => `${column} is column ${place} now.`,
  sortedBy: (position: number): string => `sort term ${position}`,
  editor: (column: string, row: number): string => `${column}, row ${row}`,
  append: 'New record',
  group: (field: string, label: string, rows: number): string => `${field}: ${label}, ${count(rows, 'row', 'rows')}`,
  figure: (name: string, column: string, text: string): string => `${name} of ${column} ${text}`,
  loading: 'Loading',
  notSaved: (column: string, row: number, message: string): string => `${column}, row ${row} was not saved: ${message}`,
  saved: (column: string, row: number): string => `${column}, row ${row} saved.`,
  saving: 'Saving',
  retry: 'Retry',
  change: 'Edit again',
  discard: 'Discard my text',
  selected: (rows: number, columns: number): string =>
    `${count(rows, 'row', 'rows')} by ${count(columns, 'column', 'columns')} selected.`,
  copied: (cells: number): string => `${count(cells, 'cell', 'cells')} copied.`,
  notReady: 'This part of Cairn could not be loaded. Nothing was changed; reload the page and try again.',
  readonly: (column: string): string => `${column} cannot be edited.`,
  conflict: 'Conflict: two devices wrote this at once',
  rowConflict: (row: number): string => `Row ${row} has a conflict`,
  editedBy: (name: string): string => `${name} is editing this`,
  notLoaded: 'This row is still loading.',
}

/** The words a grid needs. */
export type GridLabels = typeof gridLabels
