// Writes lines of CSV. Knows no fields.
import type { Cell } from './cell-text.ts'

/**
 * One line with its end. Cells with a separator, a quotation mark, a line end or blanks at their edges are quoted.
 * @source RFC 4180
 */
export function csvLine(cells: readonly Cell[], delimiter: string): string {
  let line = ''
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index]
    if (index > 0) line += delimiter
    if (typeof cell === 'string') line += quoted(cell, delimiter)
    else if (cell !== null && cell !== undefined) line += String(cell)
  }
  return `${line}\r\n`
}

const special = /["\r\n]|^\s|\s$/

function quoted(text: string, delimiter: string): string {
  // Nothing between quotation marks is an empty text, nothing at all is no value.
  return text === '' || special.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text
}
