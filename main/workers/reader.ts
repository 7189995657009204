// Entry of the reader process: read-only SQL on the file named by its argument, killed by the host at its limit.
// Knows no host, no actors, no HTTP; only messages go in and out.
import os from 'node:os'
import { openReader } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { endWithParent } from './end-with-parent.ts'
import { tooManyRows } from '#main/database/reader-protocol.ts'
import type { ReaderDemand, ReaderReply, ReaderRequest } from '#main/database/reader-protocol.ts'

/** Rows per message: large enough to be cheap, small enough that the host's event loop breathes between two. */
const sliceRows = 500

/** What is read once, in order, needs no large cache. */
const cacheKib = 8_000

/** Where processors are few, the host that answers everybody comes before a reader that works for somebody. */
const lowered = 15
let isLowered = false

const file = process.argv[2]
if (file === undefined || process.send === undefined) {
  process.stderr.write('The reader process is started by the host only.\n')
  process.exit(1)
}

// Copies are as private as the database itself.
process.umask(0o077)

let connection: Connection | undefined
/** Slices of the present stream that may still be sent. */
let demand = 0
let wake: (() => void) | undefined
const reply = (message: ReaderReply): void => {
  process.send?.(message)
}

process.on('message', (message) => {
  const request = message as ReaderRequest | ReaderDemand
  if (request.kind === 'more') {
    demand += 1
    wake?.()
    return
  }
  void run(request).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
    reply({ id: request.id, kind: 'error', code, message: error instanceof Error ? error.message : String(error) })
  })
})
process.on('disconnect', () => process.exit(0))
endWithParent()

async function run(request: ReaderRequest): Promise<void> {
  // Not before: a start at this priority would use up the time of what waits for it.
  if (!isLowered) os.setPriority(lowered)
  isLowered = true
  if (request.kind === 'query') {
    runQuery(request)
  } else if (request.kind === 'stream') {
    await runStream(request)
  } else if (request.kind === 'check') {
    // Seldom needed, and heavier than a reader itself.
    const { createFileCheck } = await import('#main/database/file-check.ts')
    reply({ id: request.id, kind: 'report', report: createFileCheck(request.file) })
  } else if (request.kind === 'inspect') {
    const { inspectLive } = await import('#main/database/file-check.ts')
    // Reading the file as a file drops the locks of whatever this process has open of it.
    connection?.close()
    connection = undefined
    reply({ id: request.id, kind: 'report', report: inspectLive(file!, request.closed) })
  } else if (request.kind === 'compare') {
    const { compareTables } = await import('#main/database/compare-files.ts')
    connection ??= openReader(file!, cacheKib)
    reply({ id: request.id, kind: 'comparison', tables: compareTables(connection, request.file, request.tables) })
  } else {
    const { copyDatabase } = await import('#main/database/backup.ts')
    connection ??= openReader(file!, cacheKib)
    await copyDatabase(connection, request.target)
    reply({ id: request.id, kind: 'end' })
  }
}

/** Sends slices only while the host asks for more of them. */
async function runStream(request: ReaderRequest & { kind: 'stream' }): Promise<void> {
  connection ??= openReader(file!, cacheKib)
  const { id } = request
  const prepared = connection.prepare(request.sql).raw(true)
  demand = request.slicesAhead
  reply({ id, kind: 'columns', columns: prepared.columns().map((column) => column.name) })
  let rows: unknown[][] = []
  for (const row of prepared.iterate(request.parameters)) {
    rows.push(row as unknown[])
    if (rows.length < sliceRows) continue
    while (demand === 0) await new Promise<void>((resolve) => (wake = resolve))
    demand -= 1
    reply({ id, kind: 'rows', rows })
    rows = []
  }
  if (rows.length > 0) reply({ id, kind: 'rows', rows })
  reply({ id, kind: 'end' })
}

function runQuery(request: ReaderRequest & { kind: 'query' }): void {
  connection ??= openReader(file!, cacheKib)
  const startedAt = performance.now()
  const { id } = request
  const prepared = connection.prepare(request.sql).raw(true)
  const limit = request.maxRows ?? Number.POSITIVE_INFINITY
  reply({ id, kind: 'columns', columns: prepared.columns().map((column) => column.name) })
  let rows: unknown[][] = []
  let total = 0
  for (const row of prepared.iterate(request.parameters)) {
    total += 1
    if (total > limit) {
      reply({ id, kind: 'error', code: tooManyRows, message: `The query has more than ${limit} rows.` })
      return
    }
    rows.push(row as unknown[])
    if (rows.length === sliceRows) {
      reply({ id, kind: 'rows', rows })
      rows = []
    }
  }
  if (rows.length > 0) reply({ id, kind: 'rows', rows })
  reply({ id, kind: 'end', tookMs: performance.now() - startedAt })
}
