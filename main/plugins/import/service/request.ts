// Reads a request's form: a JSON body with its rows inside, or a body that is the file itself with the options in the
// query. Both end as options and a source of rows.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ImportRequest, importMediaTypes } from '#shared/contracts/import.ts'
import { platformError, validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { ImportOptions } from '../api.ts'
import { checkRows } from './json-rows.ts'
import type { NamedRow } from './json-rows.ts'
import { csvSource, decode, jsonSource, objectSource, sheetSource } from './sources.ts'
import type { RowSource } from './sources.ts'
import type { Sheets } from './sheets.ts'
import type { Staging } from './staging.ts'

/** The forms of a source. */
export type SourceFormat = 'csv' | 'tsv' | 'json' | 'ndjson' | 'xlsx'

/** A request as the routes hand it on. */
export interface GivenRequest {
  readonly body: ImportRequest | undefined
  readonly stream: AsyncIterable<Uint8Array> | undefined
  readonly query: Readonly<Record<string, unknown>>
  readonly contentType: string
}

/** A request, read. */
export interface ReadRequest {
  readonly options: ImportOptions
  readonly format: SourceFormat
  readonly fileName: string | undefined
  /**
   * Opens the rows and hands them to `take`; what was kept on the way is removed after it.
   * @param signal ends what is done to open them
   */
  open<T>(signal: AbortSignal, take: (source: RowSource) => Promise<T>): Promise<T>
}

/** What opening a source needs. */
export interface SourceParts {
  readonly staging: Staging
  readonly sheets: Sheets
  /** A name no other file of the folder has. */
  freeName(): string
  /** Bytes of the body at most. */
  readonly limitBytes: number
}

/** Bytes of a spreadsheet at most: it is unpacked in memory. */
const maxSheetBytes = 52_428_800

/** Reads a request. @throws validation_error, payload_too_large while the rows are taken */
export function readRequest(given: GivenRequest, parts: SourceParts): ReadRequest {
  if (given.stream !== undefined) return readStream(given, given.stream, parts)
  const body = given.body!
  const format = formatOf(body)
  const fileName = (body as { fileName?: string }).fileName
  return {
    options: optionsOf(body),
    format,
    fileName,
    async open(signal, take) {
      if (body.rows !== undefined) {
        checkRows(body.rows)
        return take(objectSource(body.rows as readonly NamedRow[]))
      }
      if (body.csv !== undefined) return take(csvSource(onePiece(body.csv), delimiterOf(body, format)))
      return openSheet(parts, onePiece(Buffer.from(body.xlsxBase64!, 'base64')), body.sheet, signal, take)
    },
  }
}

function readStream(
  { query, contentType }: GivenRequest,
  stream: AsyncIterable<Uint8Array>,
  parts: SourceParts,
): ReadRequest {
  const request = fromQuery(query)
  const mediaType = contentType.split(';', 1)[0]!.trim().toLowerCase()
  const format = importMediaTypes[mediaType as keyof typeof importMediaTypes]
  const wanted = request.format
  const alike = wanted === undefined || wanted === format || (wanted === 'json' && format === 'ndjson')
  if (!alike && !(wanted === 'tsv' && format === 'csv')) throw mismatch('format')
  const bytes = limited(stream, parts.limitBytes)
  const charset = lastText(query['charset']) ?? 'utf-8'
  return {
    options: optionsOf(request),
    format: wanted ?? format,
    fileName: request.fileName,
    open(signal, take) {
      if (format === 'xlsx') return openSheet(parts, bytes, request.sheet, signal, take)
      const text = decode(bytes, charset)
      return take(format === 'ndjson' ? jsonSource(text) : csvSource(text, delimiterOf(request, wanted ?? format)))
    },
  }
}

async function openSheet<T>(
  { staging, sheets, freeName }: SourceParts,
  bytes: AsyncIterable<Uint8Array>,
  sheet: string | number | undefined,
  signal: AbortSignal,
  take: (source: RowSource) => Promise<T>,
): Promise<T> {
  const name = freeName()
  const upload = `${name}.xlsx`
  const lines = `${name}.lines`
  try {
    await staging.stageBytes(upload, bytes, maxSheetBytes)
    await sheets.run({ kind: 'read', file: staging.path(upload), sheet, target: staging.path(lines) }, signal)
    await staging.remove(upload)
    return await take(sheetSource(staging.path(lines)))
  } finally {
    await staging.remove(upload)
    await staging.remove(lines)
  }
}

/** @throws validation_error unless exactly one source of rows is given and fits the format */
function formatOf(body: ImportRequest): SourceFormat {
  const sources = { csv: ['csv', 'tsv'], rows: ['json'], xlsxBase64: ['xlsx'] } as const
  const given = (['csv', 'rows', 'xlsxBase64'] as const).filter((name) => body[name] !== undefined)
  if (given.length !== 1) {
    throw validationError([{ field: 'rows', code: 'required', message: 'Give one of rows, csv and xlsxBase64.' }])
  }
  const formats: readonly SourceFormat[] = sources[given[0]!]
  if (body.format === undefined) return formats[0]!
  if (!formats.includes(body.format)) throw mismatch(body.format === 'json' ? 'rows' : body.format)
  return body.format
}

function mismatch(field: string): Error {
  return validationError([{ field, code: 'required', message: 'The format asks for this member.' }])
}

function delimiterOf(request: Pick<ImportRequest, 'delimiter'>, format: SourceFormat): string | undefined {
  return request.delimiter ?? (format === 'tsv' ? '\t' : undefined)
}

function optionsOf(request: ImportRequest): ImportOptions {
  return {
    mapping: request.mapping ?? {},
    dryRun: request.dryRun,
    writeMode: request.writeMode,
    matchFields: request.matchFields ?? [],
    runAutomations: request.runAutomations,
    trimWhitespace: request.trimWhitespace,
    nullValues: request.nullValues ?? [],
    createMissingOptions: request.createMissingOptions,
    skipBlankMatchKey: request.skipBlankMatchKey,
  }
}

const sourceNames: ReadonlySet<string> = new Set(['csv', 'rows', 'xlsxBase64'])
const listNames: ReadonlySet<string> = new Set(['matchFields', 'nullValues'])
const textNames: ReadonlySet<string> = new Set(['format', 'writeMode', 'delimiter'])

/** Options that travel in the query string. @throws validation_error */
function fromQuery(query: Readonly<Record<string, unknown>>): ImportRequest & { fileName?: string | undefined } {
  const options: Record<string, unknown> = {}
  const problems: FieldError[] = []
  for (const name of Object.keys(ImportRequest.shape)) {
    const given = [query[name]].flat().filter((text) => typeof text === 'string')
    const value = given.at(-1)
    if (value === undefined || sourceNames.has(name)) continue
    if (listNames.has(name)) options[name] = given.join(',').split(',')
    else if (textNames.has(name)) options[name] = value
    else if (name === 'sheet') options[name] = /^\d{1,4}$/.test(value) ? Number(value) : value
    else if (name === 'mapping') options[name] = parseMapping(value, problems)
    else options[name] = parseFlag(name, value, problems)
  }
  if (problems.length > 0) throw validationError(problems)
  const parsed = ImportRequest.safeParse(options)
  if (parsed.success) return { ...parsed.data, fileName: lastText(query['fileName'])?.slice(0, 255) }
  throw validationError(
    parsed.error.issues.map((issue) => ({
      field: issue.path.join('.'),
      code: 'invalid_option',
      message: issue.message,
    })),
  )
}

function lastText(given: unknown): string | undefined {
  const text: unknown = [given].flat().at(-1)
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** A mistyped `dryRun` must not write (D-12). */
function parseFlag(field: string, value: string, problems: FieldError[]): boolean {
  if (value === 'true' || value === '1' || value === '') return true
  if (value !== 'false' && value !== '0') {
    problems.push({ field, code: 'invalid_boolean', message: 'Expected true, false, 1 or 0.', value })
  }
  return false
}

function parseMapping(text: string, problems: FieldError[]): unknown {
  try {
    return JSON.parse(text)
  } catch {
    problems.push({ field: 'mapping', code: 'invalid_json', message: 'The mapping must be a JSON object.' })
    return undefined
  }
}

/** Bytes that are parsed in one turn of the event loop: what arrives at once would hold others for some milliseconds. */
const pieceBytes = 16 * 1024

/** One piece per turn: many may have arrived, and each is parsed before the next. */
async function* limited(bytes: AsyncIterable<Uint8Array>, limitBytes: number): AsyncGenerator<Uint8Array> {
  let total = 0
  for await (const chunk of bytes) {
    total += chunk.length
    if (total > limitBytes) throw platformError('payload_too_large', { limitBytes })
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes)
      await nextTurn()
    }
  }
}

async function* onePiece<T>(piece: T): AsyncGenerator<T> {
  yield piece
}
