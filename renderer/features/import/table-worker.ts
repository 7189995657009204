// The worker that reads tables: holds the rows, so that the page stays smooth and only asks for what it needs.
import { inferColumn } from './infer-column.ts'
import { isSpreadsheet, readSheets, tableOfSheet } from './read-sheets.ts'
import type { TextSheet } from './read-sheets.ts'
import { TableError } from './read-table-error.ts'
import { readTable } from './read-table.ts'
import type { TextTable } from './read-table.ts'
import { textOfFile } from './text-of-file.ts'
import { toRecords } from './to-records.ts'
import type { ColumnTarget, TableColumn, TableProblem, TableSource, TableSummary } from './table-types.ts'

/** What the page asks. */
export type TableRequest = { id: number } & (
  | { type: 'open'; source: TableSource }
  | { type: 'again'; hasHeader: boolean | undefined; sheet: string | undefined }
  | { type: 'lines'; targets: readonly ColumnTarget[] }
  | { type: 'cells'; rows: readonly number[] }
)

/** What the worker answers; `problem` is set when the source is no table. */
export type TableAnswer = { id: number } & ({ ok: true; value: unknown } | { ok: false; problem: TableProblem })

const sampleCount = 4
const rowsPerPart = 5_000

let text = ''
let sheets: readonly TextSheet[] | undefined
let sheet: TextSheet | undefined
let source: TableSource | undefined
let table: TextTable | undefined

function nameOf(given: TableSource | undefined): string | undefined {
  const full = given?.kind === 'file' ? given.file.name : given?.name
  const plain = full?.replace(/\.(csv|tsv|tab|txt|json|ndjson|jsonl|xlsx|xlsm)$/i, '').trim()
  return plain || undefined
}

function summarise(read: TextTable): TableSummary {
  // Cells are kept apart by semicolons where commas mark fractions.
  const mark = read.format === 'semicolon' ? ',' : '.'
  const columns = read.header.map((title, index): TableColumn => {
    const values = read.rows.map((row) => row[index] ?? '')
    const samples = new Set<string>()
    for (const value of values) {
      if (value.trim() === '') continue
      samples.add(value.length > 80 ? `${value.slice(0, 79)}…` : value)
      if (samples.size === sampleCount) break
    }
    return {
      index,
      title: title.trim() || `Column ${index + 1}`,
      samples: [...samples],
      guess: inferColumn(title, values, mark),
    }
  })
  return {
    name: nameOf(source),
    fileName: source?.kind === 'file' ? source.file.name : undefined,
    format: read.format,
    hasHeader: read.hasHeader,
    sheets: sheets?.map((entry) => entry.name) ?? [],
    sheet: sheet?.name,
    columns,
    rowCount: read.rows.length,
    uneven: read.uneven,
    unclosed: read.unclosed,
  }
}

async function open(given: TableSource): Promise<TextTable> {
  source = given
  if (given.kind === 'file' && (await isSpreadsheet(given.file))) {
    sheets = await readSheets(given.file)
    sheet = sheets.find((entry) => entry.rows.length > 0) ?? sheets[0]
    if (!sheet) throw new TableError({ code: 'emptySheet', reason: '' })
    return tableOfSheet(sheet)
  }
  text = given.kind === 'file' ? await textOfFile(given.file) : given.text
  return readTable(text)
}

function again(hasHeader: boolean | undefined, name: string | undefined): TextTable {
  if (!sheets) return readTable(text, hasHeader)
  const wanted = name === undefined ? sheet : sheets.find((entry) => entry.name === name)
  if (!wanted) throw new TableError({ code: 'emptySheet', reason: '' })
  const read = tableOfSheet(wanted, hasHeader)
  sheet = wanted
  return read
}

/** The rows as lines of JSON, put together in parts so that no single text has to hold them all. */
function lines(rows: TextTable['rows'], targets: readonly ColumnTarget[]): Blob {
  const parts: string[] = []
  for (let at = 0; at < rows.length; at += rowsPerPart) {
    const records = toRecords(rows.slice(at, at + rowsPerPart), targets)
    parts.push(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
  return new Blob(parts, { type: 'application/x-ndjson' })
}

async function answer(request: TableRequest): Promise<unknown> {
  if (request.type === 'open') {
    table = await open(request.source)
    return summarise(table)
  }
  if (!table) throw new TableError({ code: 'empty', reason: '' })
  if (request.type === 'again') {
    table = again(request.hasHeader, request.sheet)
    return summarise(table)
  }
  if (request.type === 'lines') return lines(table.rows, request.targets)
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
