// The field type `tags`: short free words, or options when the definition lists some.
import { z } from 'zod'
import { countCodePoints, normalizeText } from './code-points.ts'
import type { FieldType } from './field-type.ts'
import { problem } from './field-type.ts'
import { jsonFromColumn, jsonToColumn, parseList, splitList } from './list-values.ts'
import { findOption, isWritableOption, optionDefinition } from './options.ts'
import { coerceTextOperand } from './textual.ts'

const maxTagLength = 100
const maxTags = 100

/** Trimmed words without repetition, in the order given. @source D-94 */
export const tagsType: FieldType = {
  family: 'list',
  elementType: 'text',
  expressionType: 'list',
  searchAs: 'labels',
  storage: 'json',
  collation: 'binary',
  flags: { search: 'default', sortable: false, groupable: true, aggregatable: 'none' },
  settings: {
    options: z.array(optionDefinition).max(1_000).optional(),
    maxItems: z.int().min(1).max(maxTags).optional(),
  },
  alwaysMultiple: true,
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'M',
  parse(value, field, _env, stored) {
    const isStored = (tag: string) => Array.isArray(stored) && stored.includes(tag)
    return parseList(value, field, field.settings.maxItems ?? maxTags, (item, path) => {
      if (typeof item !== 'string') return problem(path, 'invalid_type', 'The value must be text.', item)
      const tag = normalizeText(item.trim())
      if (tag === '') return problem(path, 'min_length', 'A tag must not be blank.', item, 1)
      if (tag.includes('\0')) return problem(path, 'invalid_format', 'A tag must not have U+0000.', item)
      if (countCodePoints(tag) > maxTagLength) {
        return problem(path, 'max_length', `A tag has at most ${maxTagLength} characters.`, item, maxTagLength)
      }
      if (field.options.length > 0 && !isWritableOption(field, tag, isStored)) {
        return problem(path, 'invalid_option', 'The value is not an active option.', item)
      }
      return tag
    })
  },
  fromText(text, field) {
    const list = splitList(text)
    if (!Array.isArray(list) || field.options.length === 0) return list
    return list.map((item) => findOption(field, String(item)) ?? item)
  },
  toColumn: jsonToColumn,
  fromColumn: jsonFromColumn,
  coerceOperand: (value) => coerceTextOperand(typeof value === 'string' ? value.trim() : value),
  jsonSchema(field) {
    const options = field.options.length > 0 ? { enum: field.options.map((option) => option.value) } : {}
    return {
      type: 'array',
      items: { type: 'string', maxLength: maxTagLength, ...options },
      maxItems: maxTags,
      uniqueItems: true,
    }
  },
}
