// Which changes of a field's type keep its values, and the SQL that converts them in place (D-100).
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteLiteral, quoteName } from './sql-text.ts'

/** How a column gets from one field to the next. */
export type Conversion = 'same' | 'keep' | 'number' | 'wrap' | 'dynamic' | 'unsupported'

const families: readonly ReadonlySet<string>[] = [
  new Set(['text', 'textarea', 'markdown', 'email', 'url', 'phone']),
  new Set(['number', 'currency', 'percent']),
  new Set(['multiselect', 'tags']),
]

/**
 * `same`: nothing to do; `keep`: the column stays, the rules change; `number`: the storage class changes; `wrap`: each
 * value becomes a list of one; `dynamic`: a currency column is added; `unsupported`: values would need converting one
 * by one.
 */
export function conversionOf(old: FieldSchema, next: FieldSchema): Conversion {
  const sameType = old.type === next.type || families.some((family) => family.has(old.type) && family.has(next.type))
  const wraps = !old.multiple && next.multiple && old.type === next.type && old.reference === next.reference
  if (wraps || (old.type === 'select' && next.type === 'multiselect')) return 'wrap'
  if (!sameType || old.multiple !== next.multiple || old.reference !== next.reference) return 'unsupported'
  if (old.extraColumns.length < next.extraColumns.length)
    return old.sqlType === next.sqlType ? 'dynamic' : 'unsupported'
  if (old.extraColumns.length > next.extraColumns.length) return 'unsupported'
  if (old.sqlType !== next.sqlType) return 'number'
  return old.type === next.type ? 'same' : 'keep'
}

/** The statements of a conversion; the column has its new name already. Null when it is not possible. */
export function convertSql(schema: ObjectSchema, old: FieldSchema, next: FieldSchema): string[] | null {
  const table = quoteName(schema.table)
  const column = quoteName(next.column)
  switch (conversionOf(old, next)) {
    case 'same':
    case 'keep':
      return []
    case 'wrap':
      return [`UPDATE ${table} SET ${column} = json_array(${column}) WHERE ${column} IS NOT NULL`]
    case 'number': {
      // Half away from zero is what round() does; a STRICT column's storage class cannot change in place.
      const value = next.sqlType === 'INTEGER' ? `CAST(round(${column}) AS INTEGER)` : `CAST(${column} AS REAL)`
      const fresh = quoteName(`${next.column}__new`)
      return [
        `ALTER TABLE ${table} ADD COLUMN ${fresh} ${next.sqlType}`,
        `UPDATE ${table} SET ${fresh} = ${value} WHERE ${column} IS NOT NULL`,
        `ALTER TABLE ${table} DROP COLUMN ${column}`,
        `ALTER TABLE ${table} RENAME COLUMN ${fresh} TO ${column}`,
      ]
    }
    case 'dynamic': {
      const code = next.settings.currencyConfig?.defaultCurrency ?? 'USD'
      return next.extraColumns.flatMap((extra) => [
        `ALTER TABLE ${table} ADD COLUMN ${quoteName(extra.name)} ${extra.sqlType}`,
        `UPDATE ${table} SET ${quoteName(extra.name)} = ${quoteLiteral(code)} WHERE ${column} IS NOT NULL`,
      ])
    }
    case 'unsupported':
      return null
  }
}
