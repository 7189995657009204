// Reads rows from JSON text that comes in pieces: one object per line, or an array of objects. Knows no fields.
import { parseJsonText } from '#main/kernel/json-body.ts'
import { validationError } from '#shared/errors.ts'
import type { FieldError } from '#shared/errors.ts'

/** A row that names its cells. */
export type NamedRow = Readonly<Record<string, unknown>>

/** Reads one text. */
export interface JsonRowReader {
  /** @throws validation_error for rows that are no objects, naming their numbers */
  push(text: string): NamedRow[]
  /** @throws validation_error when the text is cut off */
  end(): NamedRow[]
}

/** Characters of one row at most: a record is limited to 5 MB. */
const maxRowLength = 6_000_000

/** Makes a reader; the first character tells an array from lines. */
export function createJsonRowReader(): JsonRowReader {
  let rest = ''
  let form: 'lines' | 'array' | undefined
  let closed = false
  let count = 0
  /** Length from which an unfinished row is read again: once per doubling, or a long one would take its square in time. */
  let readFrom = 0

  const parse = (text: string): NamedRow => {
    let value: unknown
    try {
      value = parseJsonText(text)
    } catch {
      throw refuse(count, 'invalid_json', 'The row is not valid JSON.')
    }
    checkRows([value], count)
    count += 1
    return value as NamedRow
  }

  const takeLines = (final: boolean): NamedRow[] => {
    const lines = rest.split('\n')
    rest = final ? '' : lines.pop()!
    return lines.filter((line) => line.trim() !== '').map(parse)
  }

  const takeElements = (final: boolean): NamedRow[] => {
    const rows: NamedRow[] = []
    let at = 0
    for (;;) {
      at = skip(rest, at, closed ? '' : ',')
      if (at === rest.length) break
      if (closed) throw refuse(count, 'invalid_json', 'Text follows the array.')
      if (rest[at] === ']') {
        closed = true
        at += 1
        continue
      }
      const end = endOfValue(rest, at)
      if (end < 0) break
      rows.push(parse(rest.slice(at, end)))
      at = end
    }
    rest = rest.slice(at)
    if (final && (!closed || rest !== '')) throw refuse(count, 'invalid_json', 'The array is cut off.')
    return rows
  }

  const take = (final: boolean): NamedRow[] => {
    if (form === undefined) {
      rest = rest.trimStart()
      if (rest === '') return []
      form = rest.startsWith('[') ? 'array' : 'lines'
      if (form === 'array') rest = rest.slice(1)
    }
    if (rest.length < readFrom && !final) return []
    const rows = form === 'array' ? takeElements(final) : takeLines(final)
    readFrom = rows.length > 0 ? 0 : Math.min(rest.length * 2, maxRowLength)
    if (rest.length > maxRowLength) throw refuse(count, 'max_length', 'The row is too long.')
    return rows
  }

  return {
    push(text) {
      rest += text
      return take(false)
    },
    end: () => take(true),
  }
}

/**
 * Refuses rows that are no objects.
 * @throws validation_error naming every one of them, by its place from 0
 */
export function checkRows(rows: readonly unknown[], offset = 0): void {
  const problems: FieldError[] = []
  rows.forEach((row, index) => {
    if (typeof row === 'object' && row !== null && !Array.isArray(row)) return
    problems.push({ field: `rows.${offset + index}`, code: 'invalid_type', message: 'A row must be an object.' })
  })
  if (problems.length > 0) throw validationError(problems)
}

function skip(text: string, from: number, separator: string): number {
  let at = from
  while (at < text.length && (text[at]!.trim() === '' || text[at] === separator)) at += 1
  return at
}

/** Where the value that begins at `from` ends; -1 when it is not complete. */
function endOfValue(text: string, from: number): number {
  let depth = 0
  let inString = false
  for (let at = from; at < text.length; at += 1) {
    const char = text.charCodeAt(at)
    if (inString) {
      if (char === 92) at += 1
      else if (char === 34) inString = false
    } else if (char === 34) inString = true
    else if (char === 123 || char === 91) depth += 1
    else if (char === 125 || char === 93) {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (char === 44 && depth === 0) return at
  }
  return -1
}

function refuse(row: number, code: 'invalid_json' | 'max_length', message: string): Error {
  return validationError([{ field: `rows.${row}`, code, message }])
}
