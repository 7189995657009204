// The worker that reads tables: holds the rows, so that the page stays smooth and only asks for what it needs.
import { inferColumn } from './infer-column.ts'
import { TableError } from './read-table-error.ts'
import { readTable } from './read-table.ts'
import type { TextTable } from './read-table.ts'
import { toRecords } from './to-records.ts'
import type { ColumnTarget, TableColumn, TableProblem, TableSource, TableSummary } from './table-types.ts'

/** What the page asks. */
export type TableRequest = { id: number } & (
  | { type: 'open'; source: TableSource }
  | { type: 'header'; hasHeader: boolean }
  | { type: 'records'; from: number; to: number; targets: readonly ColumnTarget[] }
  | { type: 'cells'; rows: readonly number[] }
)

/** What the worker answers; `problem` is set when the source is no table. */
export type TableAnswer = { id: number } & ({ ok: true; value: unknown } | { ok: false; problem: TableProblem })

const sampleCount = 4

let text = ''
let name: string | undefined
let table: TextTable | undefined

function nameOf(source: TableSource): string | undefined {
  const full = source.kind === 'file' ? source.file.name : source.name
  return full?.replace(/\.(csv|tsv|tab|txt|json|ndjson|jsonl)$/i, '').trim() || undefined
}

function summarise(read: TextTable): TableSummary {
  const columns = read.header.map((title, index): TableColumn => {
    const values = read.rows.map((row) => row[index] ?? '')
    const samples: string[] = []
    for (const value of values) {
      if (value.trim() === '') continue
      samples.push(value.length > 80 ? `${value.slice(0, 79)}…` : value)
      if (samples.length === sampleCount) break
    }
    return { index, title: title.trim() || `Column ${index + 1}`, samples, guess: inferColumn(title, values) }
  })
  const measured = read.rows.slice(0, 1_000)
  const chars = measured.reduce((sum, row) => sum + row.reduce((length, cell) => length + cell.length, 0), 0)
  return {
    name,
    format: read.format,
    hasHeader: read.hasHeader,
    columns,
    rowCount: read.rows.length,
    uneven: read.uneven,
    unclosed: read.unclosed,
    charsPerRow: measured.length === 0 ? 0 : chars / measured.length,
  }
}

async function answer(request: TableRequest): Promise<unknown> {
  if (request.type === 'open') {
    name = nameOf(request.source)
    text = request.source.kind === 'file' ? await request.source.file.text() : request.source.text
    table = readTable(text)
    return summarise(table)
  }
  if (!table) throw new TableError({ code: 'empty', reason: '' })
  if (request.type === 'header') {
    table = readTable(text, request.hasHeader)
    return summarise(table)
  }
  if (request.type === 'records') return toRecords(table.rows.slice(request.from, request.to), request.targets)
  return request.rows.map((row) => table?.rows[row] ?? [])
}

addEventListener('message', (event: MessageEvent<TableRequest>) => {
  const { id } = event.data
  answer(event.data).then(
    (value) => postMessage({ id, ok: true, value } satisfies TableAnswer),
    (error: unknown) => {
      const problem: TableProblem =
        error instanceof TableError
          ? error.problem
          : { code: 'unreadable', reason: error instanceof Error ? error.message : String(error) }
      postMessage({ id, ok: false, problem } satisfies TableAnswer)
    },
  )
})
