// The field type `multiselect`: several of the options.
import { z } from 'zod'
import type { FieldType } from './field-type.ts'
import { problem } from './field-type.ts'
import { jsonFromColumn, jsonToColumn, parseList, splitList } from './list-values.ts'
import { findOption, isWritableOption, optionDefinition } from './options.ts'
import { coerceTextOperand } from './textual.ts'

/** Option values without repetition, in the order given. @source D-94 */
export const multiselectType: FieldType = {
  family: 'list',
  elementType: 'select',
  expressionType: 'list',
  searchAs: 'labels',
  takesNewOptions: true,
  storage: 'json',
  collation: 'binary',
  flags: { search: 'default', sortable: false, groupable: true, aggregatable: 'none' },
  settings: { options: z.array(optionDefinition).max(1_000), maxItems: z.int().min(1).optional() },
  alwaysMultiple: true,
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'M',
  parse(value, field, env, stored) {
    const isStored = (option: string) => Array.isArray(stored) && stored.includes(option)
    return parseList(value, field, field.settings.maxItems ?? 1_000, (item, path) => {
      if (typeof item !== 'string') return problem(path, 'invalid_type', 'The value must be text.', item)
      if (isWritableOption(field, item, isStored) || env.newOptions?.get(field)?.has(item) === true) return item
      return problem(path, 'invalid_option', 'The value is not an active option.', item)
    })
  },
  fromText(text, field) {
    const list = splitList(text)
    return Array.isArray(list) ? list.map((item) => findOption(field, String(item)) ?? item) : list
  },
  toColumn: jsonToColumn,
  fromColumn: jsonFromColumn,
  coerceOperand: (value) => coerceTextOperand(value),
  jsonSchema(field) {
    const items = { type: 'string', enum: field.options.map((option) => option.value) }
    return { type: 'array', items, uniqueItems: true }
  },
}
