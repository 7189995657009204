// Reads CSV text into rows of named cells. Knows no fields.
import { validationError } from '#shared/errors.ts'
import Papa from 'papaparse'

/** Cells that a spreadsheet would run as a formula are written with this mark by exports; imports take it off again. */
const guardedCell = /^'[=+\-@\t\r\0]/

/**
 * Parses CSV or TSV with a header line; the delimiter is found out. Blank lines are left out, cells keep their text.
 * @throws validation_error when the text has no header, names a column twice or leaves a quotation mark open
 */
export function parseCsv(text: string): Record<string, string>[] {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text
  const { data, errors } = Papa.parse<string[]>(source, { skipEmptyLines: 'greedy' })
  // An open quotation mark would swallow every line after it into one cell.
  if (errors.some((error) => error.code === 'MissingQuotes')) throw refuse('A quotation mark is never closed.')
  const [header, ...lines] = data
  if (header === undefined) throw refuse('The text holds no header line.')
  const names = header.map((name) => name.trim())
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index)
  if (twice !== undefined) throw refuse(`The column "${twice.slice(0, 100)}" is named twice.`)
  return lines.map((line) => {
    const row = Object.create(null) as Record<string, string>
    names.forEach((name, index) => {
      if (name === '') return
      const cell = line[index] ?? ''
      row[name] = guardedCell.test(cell) ? cell.slice(1) : cell
    })
    return row
  })
}

function refuse(message: string): Error {
  return validationError([{ field: 'csv', code: 'invalid_format', message }])
}
