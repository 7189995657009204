// Owns which column goes to which field of an existing object: the first guess by name and what is wrong with a choice.
// Pure.
import { findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { nameFromLabel } from '../objects/index.ts'
import type { WriteMode } from './start-import.ts'
import type { ColumnTarget, TableColumn } from './table-types.ts'

/** Field per column index; columns that are not in it are left out. */
export type ColumnMapping = Readonly<Record<number, string>>

/** What is wrong with a mapping, or undefined. */
export type MappingProblem = { code: 'none' | 'noMatch' } | { code: 'twice'; field: string }

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The fields a table may fill. */
export function writableFields(fields: readonly FieldDefinition[]): FieldDefinition[] {
  return fields.filter((field) => !field.readonly && !findFieldType(field.type)?.derived)
}

/**
 * Gives each column the field that has its name or label; every field is used once. A column `id` full of ids is the
 * records' own: the table was exported.
 */
export function guessMapping(columns: readonly TableColumn[], fields: readonly FieldDefinition[]): ColumnMapping {
  const byKey = new Map<string, string>()
  for (const field of fields) {
    for (const key of [nameFromLabel(field.label ?? ''), field.name]) if (key !== '') byKey.set(key, field.name)
  }
  const used = new Set<string>()
  const mapping: Record<number, string> = {}
  for (const column of columns) {
    const isId = column.title === 'id' && column.samples.length > 0 && column.samples.every((text) => uuid.test(text))
    const field = isId ? 'id' : byKey.get(nameFromLabel(column.title))
    if (field === undefined || used.has(field)) continue
    used.add(field)
    mapping[column.index] = field
  }
  return mapping
}

/** Why a mapping cannot be carried out. */
export function mappingProblem(
  mapping: ColumnMapping,
  mode: WriteMode,
  matchFields: readonly string[],
): MappingProblem | undefined {
  const fields = Object.values(mapping)
  if (fields.length === 0) return { code: 'none' }
  const twice = fields.find((field, index) => fields.indexOf(field) !== index)
  if (twice !== undefined) return { code: 'twice', field: twice }
  return mode !== 'insert' && matchFields.length === 0 ? { code: 'noMatch' } : undefined
}

/** Required fields without a column and without a default. */
export function missingFields(mapping: ColumnMapping, fields: readonly FieldDefinition[]): FieldDefinition[] {
  const used = new Set(Object.values(mapping))
  return fields.filter((field) => field.required && field.defaultValue === undefined && !used.has(field.name))
}

/** How each mapped column is read, by the type of its field. */
export function targetsOf(
  mapping: ColumnMapping,
  columns: readonly TableColumn[],
  fields: readonly FieldDefinition[],
): ColumnTarget[] {
  return Object.entries(mapping).flatMap(([index, name]) => {
    const column = columns.find((candidate) => candidate.index === Number(index))
    const field = fields.find((candidate) => candidate.name === name)
    if (column && name === 'id') return [{ index: column.index, field: name, type: 'text', guess: column.guess }]
    if (!column || !field) return []
    return [{ index: column.index, field: name, type: field.type, guess: column.guess }]
  })
}
