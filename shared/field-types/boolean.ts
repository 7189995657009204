// The field types `boolean` and `toggle`.
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'

/** The boolean a value stands for: true, false, 0, 1 and their texts; undefined for anything else. */
export function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (value === 1 || value === '1' || value === 'true') return true
  if (value === 0 || value === '0' || value === 'false') return false
  return undefined
}

/** True or false. @source D-94 */
export const booleanType: FieldType = {
  family: 'flag',
  expressionType: 'boolean',
  impliedDefault: ({ required }) => (required === true ? false : undefined),
  storage: 'boolean',
  collation: 'binary',
  flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'none' },
  settings: {},
  blankIsNull: true,
  sqlType: () => 'INTEGER',
  operators: () => 'E',
  parse(value, field) {
    const flag = readBoolean(value)
    if (flag === undefined) return refused(field, 'invalid_boolean', 'The value must be true or false.', value)
    return parsed(flag)
  },
  fromText(text) {
    const word = text.trim().toLowerCase()
    if (['true', '1', 'yes', 'y'].includes(word)) return true
    if (['false', '0', 'no', 'n'].includes(word)) return false
    return undefined
  },
  toColumn: (value) => (value === null ? null : value === true ? 1 : 0),
  fromColumn: (value) => (value === null ? null : value === 1),
  coerceOperand(value) {
    const flag = readBoolean(value)
    return flag === undefined
      ? { ok: false, reason: 'The operand must be true or false.' }
      : { ok: true, value: flag ? 1 : 0 }
  },
  jsonSchema: () => ({ type: 'boolean' }),
}

/** True or false, and false where nothing is said. @source D-94 */
export const toggleType: FieldType = { ...booleanType, impliedDefault: () => false }
