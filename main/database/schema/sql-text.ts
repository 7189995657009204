// Quoting for SQL text. Values are bound wherever SQLite allows it; names and DDL literals come through here.

import type { SqlValue } from '#shared/field-types/field-schema.ts'

/** A quoted identifier. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A literal for places that take no parameter (DDL defaults, CASE over option values). */
export function quoteLiteral(value: SqlValue): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'NULL'
  if (typeof value !== 'string') return `x'${Buffer.from(value).toString('hex')}'`
  return `'${value.replaceAll("'", "''")}'`
}
