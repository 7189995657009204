// The field type `select`: one of the options.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { parsed, refused } from './field-type.ts'
import { findOption, isWritableOption, optionDefinition } from './options.ts'
import { coerceTextOperand } from './textual.ts'

/** One option's value. @source D-94 */
export const selectType: FieldType = {
  family: 'choice',
  listRank: 0,
  searchAs: 'labels',
  takesNewOptions: true,
  storage: 'plain',
  collation: 'options',
  flags: { search: 'default', sortable: true, groupable: true, aggregatable: 'none' },
  settings: { options: z.array(optionDefinition).max(1_000) },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'O',
  parse(value, field, env, stored) {
    if (typeof value !== 'string') return refused(field, 'invalid_type', 'The value must be text.', value)
    if (isWritableOption(field, value, (option) => option === stored)) return parsed(value)
    if (env.newOptions?.get(field)?.has(value) === true) return parsed(value)
    return refused(field, 'invalid_option', 'The value is not an active option.', value)
  },
  fromText: (text, field) => findOption(field, text) ?? text,
  toColumn: (value) => value as string | null,
  fromColumn: (value) => value,
  coerceOperand: (value) => coerceTextOperand(value),
  jsonSchema: (field) => ({ type: 'string', enum: field.options.map((option) => option.value) }),
}
