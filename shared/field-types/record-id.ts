// The type of the system field `id`. No definition may name it.
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'
import { parseUuid } from './uuid.ts'

/** A record's own id; a create may bring one. @source D-09, D-51 */
export const recordIdType: FieldType = {
  storage: 'plain',
  collation: 'binary',
  flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'none' },
  settings: {},
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'O',
  parse(value, field) {
    const id = parseUuid(value)
    return id === null ? refused(field, 'invalid_uuid', 'The value is not a UUID.', value) : parsed(id)
  },
  fromText: (text) => text.trim(),
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand(value) {
    return typeof value === 'string'
      ? { ok: true, value: value.toLowerCase() }
      : { ok: false, reason: 'The operand must be an id.' }
  },
  jsonSchema: () => ({ type: 'string', format: 'uuid' }),
}
