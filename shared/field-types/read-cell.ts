// One cell of an imported table as the JSON value of a field: CSV cells are text, cells of JSON rows may be anything.
import { isBlankText } from './code-points.ts'
import type { FieldSchema } from './field-schema.ts'
import type { ParseEnv } from './field-type.ts'
import { fieldTypeOf } from './registry.ts'

/**
 * The value a cell stands for; null for a missing one. What cannot be read stays as it is, so that the field's own rule
 * refuses it by name. A text field takes numbers, booleans and structures as their JSON text. The result still needs
 * `parseField`.
 */
export function readCell(cell: unknown, field: FieldSchema, env: ParseEnv): unknown {
  if (cell === undefined || cell === null) return null
  const type = fieldTypeOf(field)
  if (typeof cell !== 'string') return type.takesAnyCell ? JSON.stringify(cell) : cell
  if (isBlankText(cell) && type.blankIsNull) return null
  const value = type.fromText(cell, field, env)
  return value === undefined ? cell : value
}
