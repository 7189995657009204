// Owns reading a table out of text: delimited cells or JSON, with or without a header row. Pure: no DOM, no worker.
import Papa from 'papaparse'
import { TableError } from './read-table-error.ts'
import type { TableFormat } from './table-types.ts'

/** Most columns of an object. @source D-199 */
export const maxColumns = 500

/** A table of texts; every row has as many cells as there are columns. */
export interface TextTable {
  format: TableFormat
  header: readonly string[]
  hasHeader: boolean
  rows: readonly (readonly string[])[]
  uneven: number
  unclosed: boolean
}

const formats: Readonly<Record<string, TableFormat>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' }

/**
 * Reads a table. JSON is recognised by its first character; everything else is delimited text.
 * @param header whether the first line holds names; undefined guesses
 * @throws TableError
 */
export function readTable(text: string, header?: boolean): TextTable {
  const source = text.replace(/^\uFEFF/, '')
  // A text file has no NUL; spreadsheets and images do.
  if (source.slice(0, 8_192).includes('\u0000')) throw new TableError({ code: 'notText', reason: '' })
  if (source.trim() === '') throw new TableError({ code: 'empty', reason: '' })
  const table = /^\s*[[{]/.test(source)
    ? (readJson(source) ?? readDelimited(source, header))
    : readDelimited(source, header)
  if (table.header.length > maxColumns) {
    throw new TableError({ code: 'tooManyColumns', reason: String(table.header.length) })
  }
  return table
}

function readDelimited(source: string, header: boolean | undefined): TextTable {
  const result = Papa.parse<string[]>(source, {
    delimiter: source.includes('\t') && !/[,;|].*\t/.test(source.split(/\r?\n/, 1)[0] ?? '') ? '\t' : '',
    delimitersToGuess: [',', ';', '\t', '|'],
    skipEmptyLines: 'greedy',
  })
  const lines = result.data
  const first = lines[0]
  if (!first) throw new TableError({ code: 'empty', reason: '' })
  const hasHeader = header ?? looksLikeHeader(first, lines.slice(1, 51))
  const width = hasHeader ? first.length : lines.reduce((most, line) => Math.max(most, line.length), 0)
  const body = hasHeader ? lines.slice(1) : lines
  if (hasHeader && body.length === 0 && first.length === 1) throw new TableError({ code: 'empty', reason: '' })
  let uneven = 0
  const rows = body.map((line) => {
    if (line.length === width) return line
    uneven += 1
    return Array.from({ length: width }, (_, index) => line[index] ?? '')
  })
  return {
    format: width === 1 ? 'single' : (formats[result.meta.delimiter] ?? 'comma'),
    header: hasHeader ? first : Array.from({ length: width }, () => ''),
    hasHeader,
    rows,
    uneven,
    unclosed: result.errors.some((error) => error.code === 'MissingQuotes'),
  }
}

const numeric = /^[\s+\-(]*[\p{Sc}]?\s*\d[\d.,\s]*\s*[%\p{Sc})]*$/u

/** Names are filled, differ from each other and are no numbers, dates or addresses; without a second line they are data. */
export function looksLikeHeader(first: readonly string[], rest: readonly (readonly string[])[]): boolean {
  if (rest.length === 0) return false
  const cells = first.map((cell) => cell.trim())
  if (cells.some((cell) => numeric.test(cell) || /^\d{4}-\d\d-\d\d/.test(cell) || cell.includes('@'))) return false
  const filled = cells.filter((cell) => cell !== '')
  return filled.length > 0 && new Set(filled).size === filled.length
}

function readJson(source: string): TextTable | undefined {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    value = jsonLines(source)
    if (value === undefined) {
      // Text that merely begins with a bracket may still be a delimited table.
      if (!/^\s*(?:\[\s*(?:["[{\]\d-]|true|false|null)|\{\s*["}])/.test(source)) return undefined
      throw new TableError({ code: 'badJson', reason: error instanceof Error ? error.message : '' })
    }
  }
  const items = listIn(value)
  if (!items) throw new TableError({ code: 'badJson', reason: 'no list of objects' })
  const keys = new Set<string>()
  for (const item of items) for (const key of Object.keys(item)) keys.add(key)
  if (keys.size === 0) throw new TableError({ code: 'empty', reason: '' })
  const header = [...keys]
  return {
    format: 'json',
    header,
    hasHeader: true,
    rows: items.map((item) => header.map((key) => jsonCell(item[key]))),
    uneven: 0,
    unclosed: false,
  }
}

function jsonLines(source: string): unknown[] | undefined {
  try {
    return source
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown)
  } catch {
    return undefined // not one document per line either
  }
}

function listIn(value: unknown): Record<string, unknown>[] | undefined {
  const list = Array.isArray(value)
    ? value
    : typeof value === 'object' && value !== null
      ? (Object.values(value).find((entry) => Array.isArray(entry)) ?? [value])
      : undefined
  if (!Array.isArray(list)) return undefined
  const isObject = (entry: unknown): entry is Record<string, unknown> =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
  return list.every(isObject) ? (list as Record<string, unknown>[]) : undefined
}

function jsonCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object')) return value.map(String).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
