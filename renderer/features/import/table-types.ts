// Owns the words between the reader of tables, its worker and the screens. Types only.

/** Where a table comes from. */
export type TableSource = { kind: 'file'; file: File } | { kind: 'text'; text: string; name?: string }

/** How the source is written. */
export type TableFormat = 'comma' | 'semicolon' | 'tab' | 'pipe' | 'single' | 'json' | 'xlsx'

/** Why a source is no table; `reason` is the parser's own word where there is one. */
export interface TableProblem {
  code: 'empty' | 'notText' | 'badJson' | 'unreadable' | 'tooManyColumns' | 'badSheet' | 'emptySheet'
  reason: string
}

/** What was guessed about one column. */
export interface ColumnGuess {
  type: string
  /** Further keys of the field that belong to the guess, for example `scale` or `options`. */
  settings?: Readonly<Record<string, unknown>>
  /** How numbers are written. */
  decimal?: '.' | ','
  /** How dates are written. */
  dateOrder?: 'dmy' | 'mdy' | 'ymd'
}

/** One column as read. */
export interface TableColumn {
  /** Position in the source, from 0. */
  index: number
  /** Text of the header cell, or a made-up one. */
  title: string
  /** The first values that are not blank. */
  samples: readonly string[]
  guess: ColumnGuess
}

/** A table as read; the rows stay where they were read. */
export interface TableSummary {
  /** Name for the object, from the file's name; undefined for pasted text. */
  name: string | undefined
  /** The file's whole name; undefined for pasted text. */
  fileName: string | undefined
  format: TableFormat
  hasHeader: boolean
  /** Names of the sheets of a spreadsheet, in order; empty for other sources. */
  sheets: readonly string[]
  /** The sheet that was read. */
  sheet: string | undefined
  columns: readonly TableColumn[]
  rowCount: number
  /** Lines whose number of cells differs from the header's. */
  uneven: number
  /** A quotation mark is never closed. */
  unclosed: boolean
}

/** Which column goes to which field, and how its cells are read. */
export interface ColumnTarget {
  index: number
  field: string
  /** Type of the field the values go to. */
  type: string
  /** What was guessed about the column: how its numbers and dates are written. */
  guess: ColumnGuess
}
