// The import route: reads the request's form (JSON with csv or rows, or a CSV body) and calls the service.
import { ImportRequest } from '#shared/contracts/import.ts'
import type { importRoutes } from '#shared/contracts/import.ts'
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { ImportService } from './api.ts'
import { parseCsv } from './service/csv.ts'

/** Rows of one direct import (D-199). */
export const maxDirectRows = 10_000

/** Makes the handler. */
export function importHandlers(service: ImportService): Handlers<Pick<typeof importRoutes, 'importRecords'>> {
  return {
    async importRecords(ctx, { params, query, body, stream }) {
      const request = stream === undefined ? body : fromQuery(await readText(stream), query)
      const rows = rowsOf(request)
      if (rows.length > maxDirectRows) {
        throw validationError(
          [
            {
              field: 'rows',
              code: 'max_items',
              message: `At most ${maxDirectRows} rows fit in one request.`,
              constraint: maxDirectRows,
            },
          ],
          { limit: maxDirectRows, received: rows.length },
        )
      }
      return service.run(ctx, {
        object: params.object,
        rows,
        mapping: request.mapping ?? {},
        dryRun: request.dryRun,
        writeMode: request.writeMode,
        matchFields: request.matchFields ?? [],
        trimWhitespace: request.trimWhitespace,
        nullValues: request.nullValues ?? [],
        createMissingOptions: request.createMissingOptions,
        skipBlankMatchKey: request.skipBlankMatchKey,
      })
    },
  }
}

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

/** @throws validation_error unless exactly one source of rows is given and fits the format */
function rowsOf(request: ImportRequest): readonly Record<string, unknown>[] {
  const given = [request.csv !== undefined, request.rows !== undefined].filter(Boolean).length
  if (given !== 1) {
    throw validationError([{ field: 'rows', code: 'required', message: 'Give either rows or csv.' }])
  }
  if (request.rows !== undefined) {
    if (request.format === 'csv') throw mismatch('csv')
    return checkRows(request.rows)
  }
  if (request.format === 'json') throw mismatch('rows')
  return parseCsv(request.csv!)
}

/** Ten thousand rows cost a schema too much time at once; the check that is needed is this one. @throws validation_error */
function checkRows(rows: readonly unknown[]): readonly Record<string, unknown>[] {
  const problems: FieldError[] = []
  rows.forEach((row, index) => {
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return
    problems.push({ field: `rows.${index}`, code: 'invalid_type', message: 'A row must be an object.' })
  })
  if (problems.length > 0) throw validationError(problems)
  return rows as readonly Record<string, unknown>[]
}

function mismatch(field: string): Error {
  return validationError([{ field, code: 'required', message: 'The format asks for this member.' }])
}

/** Options of a plain CSV body travel in the query string. @throws validation_error */
function fromQuery(csv: string, query: Readonly<Record<string, unknown>>): ImportRequest {
  const options: Record<string, unknown> = {}
  const problems: FieldError[] = []
  for (const [name, schema] of Object.entries(ImportRequest.shape)) {
    const given = [query[name]].flat().filter((text) => typeof text === 'string')
    const value = given.at(-1)
    if (value === undefined || name === 'csv' || name === 'rows') continue
    if (name === 'matchFields' || name === 'nullValues') options[name] = given.join(',').split(',')
    else if (name === 'format' || name === 'writeMode') options[name] = value
    else if (name === 'mapping') options[name] = parseMapping(value, problems)
    else if (schema !== undefined) options[name] = parseFlag(name, value, problems)
  }
  if (problems.length > 0) throw validationError(problems)
  const parsed = ImportRequest.safeParse({ ...options, csv })
  if (parsed.success) return parsed.data
  throw validationError(
    parsed.error.issues.map((issue) => ({
      field: issue.path.join('.'),
      code: 'invalid_option',
      message: issue.message,
    })),
  )
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
