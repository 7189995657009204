// Owns the page's side of the worker that reads tables: one question, one answer, and an end.
import type { TableAnswer, TableRequest } from './table-worker.ts'
import { TableError } from './read-table-error.ts'
import type { ColumnTarget, TableSource, TableSummary } from './table-types.ts'

type Ask = TableRequest extends infer R ? (R extends { id: number } ? Omit<R, 'id'> : never) : never

/** How to read a source again; what is not named is guessed or stays. */
export interface ReadAgain {
  hasHeader?: boolean
  sheet?: string
}

/** A table that was read and is kept in its worker until {@link OpenTable.close}. */
export interface OpenTable {
  summary: TableSummary
  /** Reads the source again, with or without a header row or another sheet. @throws TableError */
  readAgain(options: ReadAgain): Promise<TableSummary>
  /** All rows as lines of JSON, one record each, for an import. */
  lines(targets: readonly ColumnTarget[]): Promise<Blob>
  /** The cells of single rows as they stand in the source. */
  cells(rows: readonly number[]): Promise<string[][]>
  close(): void
}

/** Reads a table in a worker. @throws TableError with the reason when it is none */
export async function openTable(source: TableSource): Promise<OpenTable> {
  const worker = new Worker(new URL('./table-worker.ts', import.meta.url), { type: 'module' })
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>()
  let lastId = 0

  worker.addEventListener('message', (event: MessageEvent<TableAnswer>) => {
    const answer = event.data
    const waiter = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.ok) waiter?.resolve(answer.value)
    else waiter?.reject(new TableError(answer.problem))
  })
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    const error = new TableError({ code: 'unreadable', reason: event.message })
    for (const waiter of waiting.values()) waiter.reject(error)
    waiting.clear()
  })

  const ask = async (request: Ask): Promise<unknown> => {
    const id = ++lastId
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      worker.postMessage({ ...request, id })
    })
  }

  try {
    const table: OpenTable = {
      summary: (await ask({ type: 'open', source })) as TableSummary,
      readAgain: async ({ hasHeader, sheet }) => {
        table.summary = (await ask({ type: 'again', hasHeader, sheet })) as TableSummary
        return table.summary
      },
      lines: async (targets) => (await ask({ type: 'lines', targets })) as Blob,
      cells: async (rows) => (await ask({ type: 'cells', rows })) as string[][],
      close: () => worker.terminate(),
    }
    return table
  } catch (error) {
    worker.terminate()
    throw error
  }
}
