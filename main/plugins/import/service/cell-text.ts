// Values of records as cells of a table: the inverse of reading a cell, so that an export can be imported again. An apostrophe
// before a cell keeps a spreadsheet from running it: exports put it, imports take it off.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/** A cell: numbers and booleans keep their type where the format has types. */
export type Cell = string | number | boolean | null

/** How choices are written. */
export type CellStyle = 'values' | 'labels'

/**
 * The cell of a value. Text that a spreadsheet would run is marked; numbers are not text and stay as they are.
 * @param field null for values that belong to no field, as those of groups
 */
export function cellOfValue(value: unknown, field: FieldSchema | null, style: CellStyle): Cell {
  if (value === null || value === undefined) return null
  if (style === 'labels' && field !== null && fieldTypeOf(field).file === true) return withMark(fileNames(value))
  const own = field === null ? undefined : fieldTypeOf(field).toText?.(value)
  if (own !== undefined) return withMark(own)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value === 'string') {
    const isNumber = field !== null && field.sqlType !== 'TEXT' && field.sqlType !== 'BLOB'
    return isNumber ? value : withMark(style === 'labels' ? labelOf(field, value) : value)
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return withMark(listText(style === 'labels' ? value.map((item) => labelOf(field, item)) : value))
  // An expanded relation stands for its record.
  if (field?.reference && typeof value === 'object') return withMark(idText(value))
  return withMark(JSON.stringify(value))
}

/** A list as people write it where its entries allow that, else as JSON. */
function listText(items: readonly string[]): string {
  const plain = items.length > 0 && items.every((item) => item === item.trim() && item !== '' && !/[;,"[\]]/.test(item))
  return plain ? items.join(';') : JSON.stringify(items)
}

function fileNames(value: object | string | number | boolean): string {
  const files = (Array.isArray(value) ? value : [value]) as { name?: string; fileId?: string }[]
  return files.map(({ name, fileId }) => name ?? fileId).join(', ')
}

function labelOf(field: FieldSchema | null, value: string): string {
  return field?.options.find((option) => option.value === value)?.label ?? value
}

function idText(value: object): string {
  const records = (Array.isArray(value) ? value : [value]) as { id?: unknown }[]
  return records.map(({ id }) => String(id)).join(';')
}

/** What a spreadsheet would run, with any apostrophes before it: one more or less keeps the two ways inverse. */
const runs = /^'*[=+\-@＝＋－＠\t\r\n\0]/

/** The text as a cell that is never run. */
export function withMark(text: string): string {
  return runs.test(text) ? `'${text}` : text
}

/** The text that a cell stands for. */
export function withoutMark(cell: string): string {
  return cell.startsWith("'") && runs.test(cell) ? cell.slice(1) : cell
}
