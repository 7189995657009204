// Exports: the records of a list query as a file that is written while it is read (D-69). Never holds more than a slice of
// records, except for XLSX, which is put together in a process of its own and limited in rows.
import { createReadStream } from 'node:fs'
import { invalidQuery, notFound, platformError } from '#shared/errors.ts'
import { parseSelect } from '#shared/filter/select.ts'
import { requireApiMethods } from '#shared/object-api.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { DataService, PlatformRecord, RecordStream } from '#main/plugins/data/api.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { ExportFile, ExportRequest } from '../api.ts'
import { isConcealed } from '#shared/field-types/registry.ts'
import { columnsOf, columnsOfRows } from './export-columns.ts'
import type { ExportColumn } from './export-columns.ts'
import { csvLines } from './csv.ts'
import { withMark } from './cell-text.ts'
import type { Sheets } from './sheets.ts'
import type { Staging } from './staging.ts'

/** What exports work with. */
export interface ExportParts {
  readonly data: DataService
  readonly metadata: MetadataService
  readonly staging: Staging
  readonly sheets: Sheets
  readonly clock: Clock
  readonly ids: Ids
}

/** Rows of an XLSX file at most: its writer holds all of them. */
export const maxSheetRows = 100_000

/** Characters of one cell that spreadsheets keep. */
const maxCellLength = 32_767

const contentTypes = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const

/** The rows of an export with their columns, which groups only show with their first rows. */
interface Table {
  readonly columns: readonly ExportColumn[]
  readonly slices: AsyncIterable<readonly PlatformRecord[]>
}

/** Begins an export; see ImportService.export. */
export async function exportRecords(
  parts: ExportParts,
  ctx: RequestContext,
  request: ExportRequest,
): Promise<ExportFile> {
  const schema = parts.metadata.objectSchema(request.object)
  if (schema === undefined) throw notFound('object', request.object)
  requireApiMethods(schema, 'export')
  const records = await parts.data.stream(ctx, request.object, request.query)
  const stream = { ...records, slices: whileSignedIn(ctx, records.slices) }
  const file = {
    contentType: contentTypes[request.format],
    fileName: `${schema.name}-${parts.clock.iso().slice(0, 10)}.${request.format}`,
  }
  if (request.format === 'json' || request.format === 'ndjson') {
    const content = jsonText(stream, schema, request.format === 'json')
    return { ...file, content: await begun(content) }
  }
  const table = await tableOf(parts, schema, stream, request)
  if (request.format === 'csv') return { ...file, content: await begun(csvText(table, request)) }
  return { ...file, content: await sheetFile(parts, ctx, schema, table) }
}

/** A long download is cut off where its credential holds no more, as others' connections are (safety D5). */
async function* whileSignedIn<T>({ credentials }: RequestContext, content: AsyncIterable<T>): AsyncGenerator<T> {
  for await (const piece of content) {
    if (credentials?.recheck() === null) throw platformError('unauthenticated', { reason: 'credential_invalid' })
    yield piece
  }
}

async function tableOf(
  parts: ExportParts,
  schema: ObjectSchema,
  stream: RecordStream,
  { query, cells }: ExportRequest,
): Promise<Table> {
  if (stream.fields !== null) {
    const select = parseSelect(query.select)
    const columns = columnsOf(schema, stream.fields, select, cells, parts.metadata.objectSchema)
    return { columns, slices: stream.slices }
  }
  const rows: PlatformRecord[] = []
  for await (const slice of stream.slices) rows.push(...slice)
  return { columns: columnsOfRows(rows, schema, cells), slices: oneSlice(rows) }
}

async function* csvText({ columns, slices }: Table, { delimiter, bom, header }: ExportRequest): AsyncGenerator<string> {
  const names = columns.map(({ name }) => withMark(name))
  yield (bom ? '\uFEFF' : '') + (header ? csvLines([names], delimiter) : '')
  for await (const records of slices) {
    yield csvLines(
      records.map((record) => columns.map((column) => column.cell(record))),
      delimiter,
    )
  }
}

async function* jsonText({ slices }: RecordStream, schema: ObjectSchema, array: boolean): AsyncGenerator<string> {
  const hidden = schema.fields.filter(isConcealed).map((field) => field.name)
  let first = true
  if (array) yield '['
  for await (const records of slices) {
    let text = ''
    for (const record of records) {
      for (const name of hidden) delete record[name]
      text += array ? `${first ? '\n' : ',\n'}${JSON.stringify(record)}` : `${JSON.stringify(record)}\n`
      first = false
    }
    yield text
  }
  if (array) yield first ? ']\n' : '\n]\n'
}

/** Gathers the rows in a file, has it turned into a spreadsheet and reads that. @throws invalid_query */
async function sheetFile(
  parts: ExportParts,
  ctx: RequestContext,
  schema: ObjectSchema,
  { columns, slices }: Table,
): Promise<AsyncGenerator<Uint8Array>> {
  const name = `export-${parts.ids.uuid()}`
  const lines = `${name}.ndjson`
  const target = `${name}.xlsx`
  async function* rows(): AsyncGenerator<unknown[][]> {
    yield [columns.map(({ name: column }) => withMark(column))]
    let total = 0
    for await (const records of slices) {
      total += records.length
      if (total > maxSheetRows) {
        const message = `A spreadsheet takes at most ${maxSheetRows} records; choose csv or fewer records.`
        throw invalidQuery('format', message, { path: '', limit: maxSheetRows })
      }
      yield records.map((record) => columns.map((column) => checkCell(column.name, column.cell(record))))
    }
  }
  try {
    await parts.staging.stage(lines, { columns: [], rows: rows() })
    await parts.sheets.run(
      { kind: 'write', file: parts.staging.path(lines), sheet: sheetName(schema), target: parts.staging.path(target) },
      ctx.signal,
    )
  } catch (error) {
    await parts.staging.remove(target)
    throw error
  } finally {
    await parts.staging.remove(lines)
  }
  return whileSignedIn(ctx, readAndRemove(parts, target))
}

async function* readAndRemove(parts: ExportParts, name: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(parts.staging.path(name)) as AsyncIterable<Uint8Array>
  } finally {
    await parts.staging.remove(name)
  }
}

function checkCell(column: string, cell: unknown): unknown {
  if (typeof cell !== 'string' || cell.length <= maxCellLength) return cell
  const message = `A value of "${column}" is longer than a spreadsheet's cell; choose csv.`
  throw invalidQuery('format', message, { path: '', limit: maxCellLength })
}

/** Spreadsheets name their sheets with at most 31 characters. */
function sheetName(schema: ObjectSchema): string {
  return schema.name.slice(0, 31)
}

async function* oneSlice(rows: PlatformRecord[]): AsyncGenerator<PlatformRecord[]> {
  yield rows
}

/** Takes the first piece, so that what refuses the export is answered and not cut off in the middle. */
async function begun<T>(content: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const head = [await content.next()]
  if (head[0]!.done !== true) head.push(await content.next())
  async function* all(): AsyncGenerator<T> {
    try {
      for (const piece of head) {
        if (piece.done === true) return
        yield piece.value
      }
      yield* content
    } finally {
      await content.return(undefined)
    }
  }
  return all()
}
