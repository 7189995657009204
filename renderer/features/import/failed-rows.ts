// Owns the file of rows that failed or stayed: the original cells where this page still has them, and the reason, so that
// it can be corrected and imported again.
import Papa from 'papaparse'
import { saveFile } from '../../lib/save-file.ts'
import { fieldProblemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { ImportRowResult } from './job-queries.ts'
import type { OpenTable } from './table-client.ts'

const cellsPerRequest = 5_000

// A spreadsheet would run a cell that begins with these as a formula.
const formulaStart = /^[=+\-@\t\r\0]/

function safeCell(text: string): string {
  return formulaStart.test(text) && !/^[+-]?[\d.,]+$/.test(text) ? `'${text}` : text
}

function csvOf(lines: readonly (readonly string[])[]): string {
  return `\uFEFF${Papa.unparse(lines as string[][], { newline: '\r\n' })}\r\n`
}

/** What fields are called, by name; a field that is not in it is called by its name. */
export type FieldLabels = Readonly<Record<string, string>>

/** Words for everything that is wrong with one row, or for what undoing left of it. */
export function reasonOf(result: ImportRowResult, labels: FieldLabels): string {
  return (result.undo?.errors ?? result.errors ?? [])
    .map(({ field = '', code, message }) =>
      fieldProblemText({ field: labels[field] ?? field, code: code as never, message }),
    )
    .join(' ')
}

/** CSV text of rows with a column for the reason; begins with a byte order mark for spreadsheets. */
export async function rowsCsv(
  results: readonly ImportRowResult[],
  table: OpenTable | undefined,
  labels: FieldLabels,
): Promise<string> {
  const lines: string[][] = []
  const write = (cells: readonly string[]): unknown => lines.push(cells.map(safeCell))
  const reason = t('import.report.reasonColumn')
  if (!table) {
    write([t('import.report.rowColumn'), reason])
    for (const result of results) write([String(result.row), reasonOf(result, labels)])
    return csvOf(lines)
  }
  write([...table.summary.columns.map((column) => column.title), reason])
  for (let at = 0; at < results.length; at += cellsPerRequest) {
    const part = results.slice(at, at + cellsPerRequest)
    const cells = await table.cells(part.map((result) => result.row - 1))
    part.forEach((result, index) => write([...(cells[index] ?? []), reasonOf(result, labels)]))
  }
  return csvOf(lines)
}

/** Hands text to the browser as a file to save. */
export function downloadText(name: string, text: string): void {
  saveFile(name, new Blob([text], { type: 'text/csv;charset=utf-8' }))
}
