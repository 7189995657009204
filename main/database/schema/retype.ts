// Which changes of a field keep its column as it is, and which need every value looked at (D-100). Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'

/**
 * How a column gets from one field to the next. `same`: nothing to do; `keep`: the column stays, the rules change;
 * `convert`: each value is converted into a new column; `replace`: a new column, filled by the server or not at all.
 */
export type Conversion = 'same' | 'keep' | 'convert' | 'replace'

const textual = new Set(['text', 'textarea', 'markdown', 'html', 'richtext', 'code', 'email', 'url', 'phone'])
const numeric = new Set(['number', 'currency', 'percent', 'progress', 'slider', 'rating', 'summary'])

const families: readonly ReadonlySet<string>[] = [
  textual,
  numeric,
  new Set(['select', 'radio']),
  new Set(['boolean', 'toggle']),
  new Set(['multiselect', 'checkboxes', 'tags']),
  new Set(['lookup', 'master_detail', 'tree']),
  new Set(['autonumber', 'text']),
]

/** Types whose text is HTML: what comes from elsewhere is sanitised on its way in. */
const formatted = new Set(['html', 'richtext'])

/** Whether the type belongs to the text family. */
export function isTextual(type: string): boolean {
  return textual.has(type)
}

/** Whether the type stores one number. */
export function isNumeric(type: string): boolean {
  return numeric.has(type)
}

/** Whether the type's text is HTML. */
export function isFormatted(type: string): boolean {
  return formatted.has(type)
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
  if (formatted.has(next.type) && !formatted.has(old.type)) return 'convert'
  return families.some((family) => family.has(old.type) && family.has(next.type)) ? 'keep' : 'convert'
}

/** What else decides the form of a stored value: the length of vectors. */
function structureOf(field: FieldSchema): string {
  return String(field.settings.vectorConfig?.dimensions ?? '')
}
