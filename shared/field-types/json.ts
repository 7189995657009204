// The field type `json`: any JSON value.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn } from './list-values.ts'
import { pathOfRounded } from './rounded-integer.ts'

const maxBytes = 1_048_576
/** A cheap first look: integers that reading may round have at least sixteen digits. */
const bigDigits = /\d{16}/

/** Any JSON value up to 1 MB; filters reach inside by path. @source D-94 */
export const jsonType: FieldType = {
  long: true,
  expressionType: 'unknown',
  toText: (value) => JSON.stringify(value),
  storage: 'json',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
  settings: { schema: z.union([z.boolean(), z.looseObject({})]).optional() },
  innerPaths: true,
  blankIsNull: false,
  sqlType: () => 'TEXT',
  operators: () => 'N',
  parse(value, field, env) {
    let text: string | undefined
    try {
      text = JSON.stringify(value)
    } catch {
      return refused(field, 'invalid_json', 'The value is not JSON.', undefined)
    }
    if (text === undefined) return refused(field, 'invalid_json', 'The value is not JSON.', undefined)
    if (text.length * 3 > maxBytes && utf8Length(text) > maxBytes) {
      return refused(field, 'max_length', 'The JSON value is larger than 1 MB.', undefined, maxBytes)
    }
    const large = bigDigits.test(text) ? pathOfRounded(value, field.name) : null
    if (large !== null) {
      const message = 'Integers beyond 2^53 cannot be kept exactly; write them as text.'
      return { ok: false, errors: [problem(large, 'invalid_number', message, undefined)] }
    }
    const { schema } = field.settings
    const mismatches = schema === undefined ? [] : (env.checkJsonSchema?.(schema, value) ?? [])
    if (mismatches.length === 0) return parsed(value)
    return {
      ok: false,
      errors: mismatches.map(({ path, message }) =>
        problem(path === '' ? field.name : `${field.name}.${path}`, 'json_schema_violation', message, undefined),
      ),
    }
  },
  fromText(text) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return undefined
    }
  },
  toColumn: (value) => (value === null ? null : JSON.stringify(value)),
  fromColumn: jsonFromColumn,
  coerceOperand: () => ({ ok: false, reason: 'A json field is compared by a path inside of it.' }),
  jsonSchema: (field) => {
    const { schema } = field.settings
    if (typeof schema === 'object' && schema !== null) return schema as Record<string, unknown>
    return schema === false ? { not: {} } : {}
  },
}

function utf8Length(text: string): number {
  let bytes = 0
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) bytes += 1
    else if (unit < 0x800) bytes += 2
    else if ((unit & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      bytes += 4
      i++
    } else bytes += 3
  }
  return bytes
}
