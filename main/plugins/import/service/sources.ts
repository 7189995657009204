// Turns every form of a source into rows of cells: text, bytes, spreadsheets, objects. Knows no fields.
import { Readable } from 'node:stream'
import { createReadStream } from 'node:fs'
import { validationError } from '#shared/errors.ts'
import { createCsvReader, missingHeader, readHeader } from './csv.ts'
import type { CsvCell } from './csv.ts'
import { withoutMark } from './cell-text.ts'
import { createJsonRowReader } from './json-rows.ts'
import type { NamedRow } from './json-rows.ts'

/** One row: cells in the order of the columns, or cells with the names of their columns. */
export type SourceRow = readonly unknown[] | NamedRow

/** Rows of a source with their columns. `columns` is complete once every row was taken. */
export interface RowSource {
  readonly columns: string[]
  readonly rows: AsyncIterable<readonly SourceRow[]>
}

/** Columns of one source at most. */
const maxColumns = 5_000

/** Text pieces of a CSV or TSV file. @throws validation_error while it is read */
export function csvSource(pieces: AsyncIterable<string>, delimiter: string | undefined): RowSource {
  const columns: string[] = []
  async function* read(): AsyncGenerator<SourceRow[]> {
    const reader = createCsvReader(delimiter)
    let begun = false
    const withoutHeader = (rows: CsvCell[][]): CsvCell[][] => {
      if (begun || rows.length === 0) return rows
      begun = true
      checkColumns(rows[0]!)
      columns.push(...readHeader(rows[0]!))
      return rows.slice(1)
    }
    for await (const piece of pieces) {
      const rows = withoutHeader(reader.push(piece))
      if (rows.length > 0) yield rows
    }
    const rows = withoutHeader(reader.end())
    if (!begun) throw missingHeader()
    if (rows.length > 0) yield rows
  }
  return { columns, rows: read() }
}

/** Text pieces of JSON: one object per line, or an array of objects. @throws validation_error while it is read */
export function jsonSource(pieces: AsyncIterable<string>): RowSource {
  const reader = createJsonRowReader()
  async function* read(): AsyncGenerator<NamedRow[]> {
    for await (const piece of pieces) yield reader.push(piece)
    yield reader.end()
  }
  return namedSource(read())
}

/** Objects. */
export function objectSource(rows: readonly NamedRow[]): RowSource {
  return namedSource(Readable.from([rows]) as AsyncIterable<readonly NamedRow[]>)
}

/** The lines that the spreadsheet process wrote: the header, then rows of cells. */
export function sheetSource(file: string): RowSource {
  const columns: string[] = []
  async function* read(): AsyncGenerator<SourceRow[]> {
    let begun = false
    let rest = ''
    for await (const piece of createReadStream(file, 'utf8') as AsyncIterable<string>) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop()!
      let rows = lines.map((line) => (JSON.parse(line) as unknown[]).map(withoutCellMark))
      if (!begun && rows.length > 0) {
        begun = true
        checkColumns(rows[0]!)
        columns.push(...readHeader(rows[0]!))
        rows = rows.slice(1)
      }
      if (rows.length > 0) yield rows
    }
    if (!begun) throw missingHeader()
  }
  return { columns, rows: read() }
}

/**
 * Decodes bytes as text: by the byte order mark of UTF-16, else as the charset says.
 * @param charset a label of the Encoding standard, for example `windows-1252`
 * @throws validation_error when the charset is unknown or the bytes are none of its text
 */
export async function* decode(bytes: AsyncIterable<Uint8Array>, charset: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  try {
    for await (const chunk of bytes) {
      decoder ??= new TextDecoder(charsetOf(chunk) ?? charset, { fatal: true })
      yield decoder.decode(chunk, { stream: true })
    }
    if (decoder !== undefined) yield decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    const message = 'The bytes are no text of this charset; name the right one in the query.'
    throw validationError([{ field: 'charset', code: 'invalid_format', message, value: charset.slice(0, 50) }])
  }
}

function charsetOf(start: Uint8Array): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le'
  if (start[0] === 0xfe && start[1] === 0xff) return 'utf-16be'
  return undefined
}

/** Collects the columns of rows that name their cells. */
function namedSource(slices: AsyncIterable<readonly NamedRow[]>): RowSource {
  const columns: string[] = []
  const known = new Set<string>()
  async function* read(): AsyncGenerator<readonly NamedRow[]> {
    for await (const slice of slices) {
      for (const row of slice) {
        for (const name of Object.keys(row)) {
          if (known.has(name)) continue
          known.add(name)
          columns.push(name)
        }
      }
      checkColumns(columns)
      if (slice.length > 0) yield slice
    }
  }
  return { columns, rows: read() }
}

function checkColumns(columns: readonly unknown[]): void {
  if (columns.length <= maxColumns) return
  throw validationError([
    {
      field: 'rows',
      code: 'max_items',
      message: `The source has more than ${maxColumns} columns.`,
      constraint: maxColumns,
    },
  ])
}

function withoutCellMark(cell: unknown): unknown {
  return typeof cell === 'string' ? withoutMark(cell) : cell
}
