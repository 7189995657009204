// Reads CSV and TSV text into rows of cells, piece by piece, and writes it. A cell without anything is null, one with nothing
// between quotation marks is an empty text: the reader of the library that writes does not tell them apart, takes one kind
// of line end per file, and loses what stands after a quotation mark. Knows no fields and no files.
import Papa from 'papaparse'
import { validationError } from '#shared/errors.ts'
import type { Cell } from './cell-text.ts'
import { withoutMark } from './cell-text.ts'

/** Characters of one row at most: a record is limited to 5 MB. */
const maxRowLength = 6_000_000

/** Characters by which the delimiter is found out. */
const sampleLength = 65_536

const candidates = [',', '\t', ';', '|'] as const

/** A cell as it was written. */
export type CsvCell = string | null

/** Reads one text. */
export interface CsvReader {
  /** Takes the next piece and answers the rows that are complete; blank lines are left out. @throws validation_error */
  push(text: string): CsvCell[][]
  /** Answers the rest. @throws validation_error when a quotation mark is open */
  end(): CsvCell[][]
}

/** Makes a reader. Without a delimiter it is found out from the first lines, or taken from a line `sep=;`. */
export function createCsvReader(delimiter?: string): CsvReader {
  let rest = ''
  let known = delimiter
  let begun = false
  /** Length from which an unfinished row is read again: once per doubling, or a long one would take its square in time. */
  let readFrom = 0

  const take = (final: boolean): CsvCell[][] => {
    if (rest.length < readFrom && !final) return []
    if (!begun) {
      if (rest.length < sampleLength && !final) return []
      begun = true
      const named = /^sep=([,;\t|])\r?\n/.exec(rest)
      if (named) rest = rest.slice(named[0].length)
      known ??= named?.[1] ?? findDelimiter(rest)
    }
    const { rows, end } = parse(rest, known!, final)
    rest = rest.slice(end)
    readFrom = end > 0 ? 0 : Math.min(rest.length * 2, maxRowLength)
    if (rest.length > maxRowLength) throw refuse('A row is too long, or a quotation mark is never closed.')
    return rows.filter((row) => row.some((cell) => cell !== null && cell.trim() !== '')).map(withoutMarks)
  }

  return {
    push(text) {
      rest += text
      return take(false)
    },
    end: () => take(true),
  }
}

/**
 * Checks the header line: the names of the columns, trimmed; '' for a column without a name.
 * @throws validation_error when a name occurs twice
 */
export function readHeader(cells: readonly unknown[]): string[] {
  const names = cells.map((cell) => (cell === null || cell === undefined ? '' : String(cell).trim()))
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) throw refuse(`The column "${twice.slice(0, 100)}" is named twice.`)
  return names
}

/** The problem of a text without a header line. */
export function missingHeader(): Error {
  return refuse('The text holds no header line.')
}

/** An empty text is told from nothing, and blanks at the edges stay. */
const needsQuotes = (cell: unknown): boolean => typeof cell === 'string' && (cell === '' || /^\s|\s$/.test(cell))

/** Lines with their ends; empty for no rows. @source RFC 4180 */
export function csvLines(rows: readonly (readonly Cell[])[], delimiter: string): string {
  if (rows.length === 0) return ''
  return `${Papa.unparse(rows as Cell[][], { delimiter, newline: '\r\n', quotes: needsQuotes })}\r\n`
}

function withoutMarks(row: CsvCell[]): CsvCell[] {
  return row.map((cell) => (cell === null ? null : withoutMark(cell)))
}

/** The candidate that splits the first lines into the most even rows; a comma when none splits them. */
function findDelimiter(text: string): string {
  let best: { delimiter: string; columns: number; uneven: number } | undefined
  for (const delimiter of candidates) {
    let rows: CsvCell[][]
    try {
      rows = parse(text.slice(0, sampleLength), delimiter, text.length <= sampleLength).rows
    } catch {
      continue
    }
    rows = rows.slice(0, 50).filter((row) => row.length > 1 || row[0] !== null)
    const columns = rows[0]?.length ?? 1
    if (columns < 2) continue
    const uneven = rows.reduce((sum, row) => sum + Math.abs(row.length - columns), 0) / rows.length
    if (best === undefined || uneven < best.uneven || (uneven === best.uneven && columns > best.columns))
      best = { delimiter, columns, uneven }
  }
  return best?.delimiter ?? ','
}

const quote = 34
const lineFeed = 10
const carriageReturn = 13

/** The complete rows of a text, and where the first incomplete one begins. @source RFC 4180 */
function parse(text: string, delimiter: string, final: boolean): { rows: CsvCell[][]; end: number } {
  const rows: CsvCell[][] = []
  const separator = delimiter.charCodeAt(0)
  let at = 0
  let end = 0
  let row: CsvCell[] = []
  while (at < text.length) {
    let value: CsvCell = null
    if (text.charCodeAt(at) === quote) {
      const close = closingQuote(text, at + 1)
      if (close < 0 || (close + 1 === text.length && !final)) {
        if (final) throw refuse('A quotation mark is never closed.')
        return { rows, end }
      }
      value = text.slice(at + 1, close).replaceAll('""', '"')
      at = close + 1
    }
    // What stands outside of the quotation marks belongs to the cell too.
    let stop = at
    let char = -1
    while (stop < text.length) {
      char = text.charCodeAt(stop)
      if (char === separator || char === lineFeed || char === carriageReturn) break
      stop += 1
    }
    if (stop === text.length && !final) return { rows, end }
    row.push(stop > at ? (value ?? '') + text.slice(at, stop) : value)
    at = stop + 1
    if (stop === text.length) break
    if (char === separator) {
      // A separator at the very end opens one more cell.
      if (at === text.length && final) row.push(null)
      continue
    }
    if (char === carriageReturn && text.charCodeAt(at) === lineFeed) at += 1
    rows.push(row)
    row = []
    end = at
  }
  if (!final) return { rows, end }
  if (row.length > 0) rows.push(row)
  return { rows, end: text.length }
}

/** Where the quotation mark that ends a cell stands; -1 when it has not come yet. */
function closingQuote(text: string, from: number): number {
  let close = text.indexOf('"', from)
  while (close >= 0 && text.charCodeAt(close + 1) === quote) close = text.indexOf('"', close + 2)
  return close
}

function refuse(message: string): Error {
  return validationError([{ field: 'csv', code: 'invalid_format', message }])
}
