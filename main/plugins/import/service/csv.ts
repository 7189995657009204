// Reads CSV and TSV text into rows of cells, piece by piece, and writes it. A cell without anything is null, one with nothing
// between quotation marks is an empty text. Knows no fields and no files.
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
  let rowsRead = 0
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
    const parsed = parse(rest, known!, rowsRead, final)
    rowsRead += parsed.rows.length
    rest = parsed.rest
    readFrom = parsed.rows.length > 0 ? 0 : Math.min(rest.length * 2, maxRowLength)
    if (rest.length > maxRowLength) throw refuse('A row is too long, or a quotation mark is never closed.')
    return parsed.rows.filter((row) => row.some((cell) => cell !== null && cell.trim() !== '')).map(withoutMarks)
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
  const sample = text.slice(0, sampleLength).replaceAll(/\r\n?/g, '\n')
  const delimitersToGuess = [...candidates]
  return Papa.parse<string[]>(sample, { delimitersToGuess, newline: '\n', skipEmptyLines: true, preview: 1 }).meta
    .delimiter
}

/** What {@link parse} has read. */
interface Parsed {
  /** Complete rows; blank lines are among them. */
  readonly rows: CsvCell[][]
  /** The row that has not ended. */
  readonly rest: string
}

/**
 * Reads the complete rows of a text that begins with a row.
 * @param before how many rows of the file were read already
 * @throws validation_error for quotation marks that do not fit together
 * @source RFC 4180
 */
function parse(text: string, delimiter: string, before: number, final: boolean): Parsed {
  const { marked, unmark, read } = text.includes('"') ? markText(text, delimiter) : plainText(text)
  const parser = new Papa.Parser({ delimiter, newline: '\n' })
  const { data, errors, meta } = parser.parse(marked, 0, !final) as Papa.ParseResult<string[]>
  const broken = errors.find(({ row = 0 }) => row < data.length)
  if (broken?.code === 'MissingQuotes') throw refuse('A quotation mark is never closed.')
  if (broken !== undefined) {
    const row = before + (broken.row ?? 0) + 1
    throw refuse(`Text follows a closing quotation mark in row ${row}; a mark within a cell is written twice.`)
  }
  return { rows: data.map(read), rest: unmark(marked.slice(meta.cursor)) }
}

/** A text as the library is given it, and the ways back. */
interface MarkedText {
  readonly marked: string
  readonly unmark: (text: string) => string
  readonly read: (row: string[]) => CsvCell[]
}

function plainText(text: string): MarkedText {
  const read = (row: string[]): CsvCell[] => row.map((cell) => (cell === '' ? null : cell))
  return { marked: text.replaceAll(/\r\n?/g, '\n'), unmark: (rest) => rest, read }
}

/**
 * Marks what the library does not tell apart, with characters that the text does not have: empty quoted cells from nothing,
 * and line ends, of which it takes one kind. It skips blanks between a quotation mark and the end of a line.
 */
function markText(text: string, delimiter: string): MarkedText {
  const isFree = (mark: string): boolean => !text.includes(mark)
  const empty = [...'\uffff\ufffe\ufdd0\ufdd1\ufdd2'].find(isFree)
  const [crlf, cr] = [...'\u2028\u2029\u1680\u205f\u2000\u2001\u2002\u2003\u2004\u2005'].filter(isFree)
  if (empty === undefined || crlf === undefined || cr === undefined)
    throw refuse('The text uses more kinds of blanks than can be told apart.')
  const edge = `[\\r\\n${delimiter === '\t' ? '\\t' : delimiter}]`
  const marked = text
    .replaceAll(new RegExp(`(?<=^|${edge})""(?=${edge}|$)`, 'g'), `${empty}""`)
    .replaceAll(/\r\n?/g, (end) => (end === '\r' ? `${cr}\n` : `${crlf}\n`))
  const unmark = (part: string): string =>
    part.replaceAll(`${crlf}\n`, '\r\n').replaceAll(`${cr}\n`, '\r').replaceAll(empty, '')
  const nothing = `${empty}""`
  const readCell = (cell: string): CsvCell => {
    if (cell === '') return null
    if (cell === nothing) return ''
    return cell.includes('\n') || cell.includes(empty) ? unmark(cell) : cell
  }
  return {
    marked,
    unmark,
    read(row) {
      // A last cell without quotation marks keeps the mark of the line end.
      const last = row.at(-1)!
      if (last.endsWith(crlf) || last.endsWith(cr)) row[row.length - 1] = last.slice(0, -1)
      return row.map(readCell)
    },
  }
}

function refuse(message: string): Error {
  return validationError([{ field: 'csv', code: 'invalid_format', message }])
}
