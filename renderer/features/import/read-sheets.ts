// Owns reading the sheets of an XLSX file as tables of texts: what a cell shows is what an import gets.
// Runs in the worker of tables; the library is loaded when the first spreadsheet is opened.
import { looksLikeHeader, maxColumns } from './read-table.ts'
import { TableError } from './read-table-error.ts'
import type { TextTable } from './read-table.ts'

/** One sheet with its rows, empty rows left out. */
export interface TextSheet {
  name: string
  rows: readonly (readonly string[])[]
}

/** Whether a file is an XLSX by its first bytes: a ZIP archive. */
export async function isSpreadsheet(file: Blob): Promise<boolean> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  return start[0] === 0x50 && start[1] === 0x4b && start[2] === 0x03 && start[3] === 0x04
}

/** Reads every sheet of a file. @throws TableError when it is no spreadsheet */
export async function readSheets(file: Blob): Promise<TextSheet[]> {
  const { default: readXlsxFile } = await import('read-excel-file/web-worker')
  try {
    const sheets = await readXlsxFile(file, { trim: false })
    return sheets.map(({ sheet, data }) => ({
      name: sheet,
      rows: data.map((row) => row.map(cellText)).filter((row) => row.some((cell) => cell.trim() !== '')),
    }))
  } catch (error) {
    throw new TableError({ code: 'badSheet', reason: error instanceof Error ? error.message : String(error) })
  }
}

/** A sheet as a table. @param header whether the first row holds names; undefined guesses @throws TableError */
export function tableOfSheet({ rows }: TextSheet, header?: boolean): TextTable {
  const [first] = rows
  if (!first) throw new TableError({ code: 'emptySheet', reason: '' })
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (width > maxColumns) throw new TableError({ code: 'tooManyColumns', reason: String(width) })
  const even = rows.map((row) => Array.from({ length: width }, (_, index) => row[index] ?? ''))
  const hasHeader = header ?? looksLikeHeader(even[0] ?? [], even.slice(1, 51))
  return {
    format: 'xlsx',
    header: hasHeader ? (even[0] ?? []) : Array.from({ length: width }, () => ''),
    hasHeader,
    rows: hasHeader ? even.slice(1) : even,
    uneven: 0,
    unclosed: false,
  }
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) return ''
    const iso = value.toISOString()
    return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19)
  }
  return String(value)
}
