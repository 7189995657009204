// Owns the file of rows that failed: the original cells plus the reason, so that it can be corrected and imported again.
import { fieldProblemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import type { ImportOutcome, RowProblem } from './run-import.ts'
import type { OpenTable } from './table-client.ts'

const cellsPerRequest = 5_000

// A spreadsheet would run a cell that begins with these as a formula.
const formulaStart = /^[=+\-@\t\r\0]/

function csvCell(text: string): string {
  const safe = formulaStart.test(text) && !/^[+-]?[\d.,]+$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The problems of each failed row, in the order of the table. */
export function problemsByRow(problems: readonly RowProblem[]): Map<number, RowProblem[]> {
  const byRow = new Map<number, RowProblem[]>()
  for (const problem of problems.toSorted((a, b) => a.row - b.row)) {
    const list = byRow.get(problem.row)
    if (list) list.push(problem)
    else byRow.set(problem.row, [problem])
  }
  return byRow
}

/** What fields are called, by name; a field that is not in it is called by its name. */
export type FieldLabels = Readonly<Record<string, string>>

/** Words for everything that is wrong with one row. */
export function reasonOf(problems: readonly RowProblem[], labels: FieldLabels): string {
  return problems
    .map(({ field = '', code, message }) =>
      fieldProblemText({ field: labels[field] ?? field, code: code as never, message }),
    )
    .join(' ')
}

/** CSV text of the failed rows with a column for the reason; begins with a byte order mark for spreadsheets. */
export async function failedRowsCsv(table: OpenTable, outcome: ImportOutcome, labels: FieldLabels): Promise<string> {
  const byRow = problemsByRow(outcome.problems)
  const rows = [...byRow.keys()]
  const header = [...table.summary.columns.map((column) => column.title), t('import.report.reasonColumn')]
  const lines = [header.map(csvCell).join(',')]
  for (let at = 0; at < rows.length; at += cellsPerRequest) {
    const part = rows.slice(at, at + cellsPerRequest)
    const cells = await table.cells(part)
    part.forEach((row, index) => {
      lines.push([...(cells[index] ?? []), reasonOf(byRow.get(row) ?? [], labels)].map(csvCell).join(','))
    })
  }
  return `\uFEFF${lines.join('\r\n')}\r\n`
}

/** Hands text to the browser as a file to save. */
export function downloadText(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
