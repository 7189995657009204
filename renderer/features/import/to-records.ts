// Owns turning cells of text into the values of a request. What cannot be read as the type of its field is sent as it
// is, so that the host refuses that row with a reason instead of a value getting lost here. Pure.
import { readDate, readNumber, readYesNo } from './cell-values.ts'
import { decimalOf, isBlankCell } from './infer-column.ts'
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
      if (!isBlankFor(cell, target.type)) record[target.field] = cellValue(cell.trim(), target)
    }
    return record
  })
}

// "none" is a word in a text and a missing value in a number.
function isBlankFor(cell: string, type: string): boolean {
  return type === 'text' || type === 'textarea' || type === 'markdown' ? cell.trim() === '' : isBlankCell(cell)
}

function cellValue(cell: string, target: ColumnTarget): unknown {
  if (target.list) {
    const entries = cell.split(cell.includes(';') ? ';' : /[,|]/).map((entry) => entry.trim())
    return entries.filter((entry) => entry !== '').map((entry) => target.values?.[entry] ?? entry)
  }
  switch (target.type) {
    case 'number':
    case 'currency':
    case 'percent':
    case 'progress':
    case 'slider':
    case 'rating':
      return readNumber(cell, decimalOf(target.guess)) ?? cell
    case 'boolean':
    case 'toggle':
      return readYesNo(cell) ?? cell
    case 'date':
      return readDate(cell, target.guess.dateOrder ?? 'mdy')?.date ?? cell
    case 'datetime': {
      const read = readDate(cell, target.guess.dateOrder ?? 'mdy')
      return read ? `${read.date}T${read.time ?? '00:00:00'}` : cell
    }
    default:
      return target.values?.[cell] ?? cell
  }
}
