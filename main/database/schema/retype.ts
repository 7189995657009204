// Which changes of a field keep its column as it is, and which need every value looked at (D-100). Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf, fieldTypeOf } from '#shared/field-types/registry.ts'

/**
 * How a column gets from one field to the next. `same`: nothing to do; `keep`: the column stays, the rules change;
 * `convert`: each value is converted into a new column; `replace`: a new column, filled by the server or not at all.
 */
export type Conversion = 'same' | 'keep' | 'convert' | 'replace'

/** Whether the type belongs to the text family. */
export function isTextual(field: FieldSchema): boolean {
  return declaredTypeOf(field).family === 'text'
}

/** Whether the type stores one number. */
export function isNumeric(field: FieldSchema): boolean {
  return declaredTypeOf(field).family === 'number'
}

/** Whether the type's text is HTML. */
export function isFormatted(field: FieldSchema): boolean {
  return declaredTypeOf(field).markup === true
}

/** How the values of a field become those of the field that continues it. @source D-100 */
export function conversionOf(old: FieldSchema, next: FieldSchema): Conversion {
  const sameColumns =
    old.sqlType === next.sqlType &&
    old.extraColumns.length === next.extraColumns.length &&
    old.multiple === next.multiple
  const to = fieldTypeOf(next)
  if (to.concealed !== undefined || fieldTypeOf(old).concealed !== undefined) {
    return old.type === next.type ? 'same' : 'replace'
  }
  if (next.computed) return old.type === next.type && sameColumns ? 'same' : 'replace'
  if (!sameColumns || old.reference !== next.reference) return 'convert'
  if (old.type === next.type) return structureOf(old) === structureOf(next) ? 'same' : 'convert'
  if (isFormatted(next) && !isFormatted(old)) return 'convert'
  const { family, becomes } = declaredTypeOf(old)
  const isKept = family !== undefined && family === to.family
  return isKept || becomes?.includes(next.type) === true ? 'keep' : 'convert'
}

/** What else decides the form of a stored value: the length of vectors. */
function structureOf(field: FieldSchema): string {
  return String(field.settings.vectorConfig?.dimensions ?? '')
}
