// Owns turning cells of text into the values of a request. The host reads texts by the type of their field; only a
// notation it does not know, or a type chosen against the guess, is read here. What cannot be read is sent as it is, so
// that the host refuses that row with a reason instead of a value getting lost. Pure.
import { findFieldType } from '#shared/field-types/registry.ts'
import { readDate, readNumber, readYesNo } from './cell-values.ts'
import { listOf } from '../../lib/text-of.ts'
import { isBlankCell } from './infer-column.ts'
import type { ColumnTarget } from './table-types.ts'

/** Records for the import operation, one per row, in order; blank cells are left out. */
export function toRecords(
  rows: readonly (readonly string[])[],
  targets: readonly ColumnTarget[],
): Record<string, unknown>[] {
  return rows.map((row) => {
    const record: Record<string, unknown> = {}
    for (const target of targets) {
      const cell = row[target.index] ?? ''
      const text = cell.trim()
      if (!isBlankCell(text) || (text !== '' && isWord(text, target))) record[target.field] = cellValue(text, target)
    }
    return record
  })
}

/** "None" is a word in a text, may be a choice, and is a missing value in a number. */
function isWord(text: string, { type, guess }: ColumnTarget): boolean {
  const { options } = guess.settings ?? {}
  const isChoice = type === guess.type && listOf({ options }, 'options').some(({ label }) => label === text)
  return isChoice || findFieldType(type)?.keepsBlankWords === true
}

function cellValue(cell: string, { type, guess }: ColumnTarget): unknown {
  const hasNotation = guess.decimal !== undefined || guess.dateOrder !== undefined
  if (type === guess.type && !hasNotation) return cell
  const { family, calendar } = findFieldType(type) ?? {}
  if (family === 'number') return readNumber(cell, guess.decimal ?? '.') ?? cell
  if (family === 'flag') return readYesNo(cell) ?? cell
  if (calendar !== 'date' && calendar !== 'datetime') return cell
  const read = readDate(cell, guess.dateOrder ?? 'mdy')
  if (!read) return cell
  return calendar === 'date' ? read.date : `${read.date}T${read.time ?? '00:00:00'}`
}
