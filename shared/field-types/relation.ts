// What relation types share: ids, one or several. Whether the target exists is the caller's question.
import { z } from 'zod'
import { namePattern } from '#shared/object-names.ts'
import type { FieldSchema, FieldSettings } from './field-schema.ts'
import type { FieldType, FieldTypeTraits, OperandResult, ParseResult } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn, jsonToColumn, parseList, splitList } from './list-values.ts'

/** Most ids a relation with `multiple` holds. */
export const maxRelatedIds = 1_000

/** The definition keys of links to records of a named object. */
export const relationSettings = {
  reference: z.string().regex(namePattern),
  referenceFilters: z.unknown().optional(),
  relationshipName: z.string().regex(namePattern).optional(),
} as const

/** What the delete of a record does to records that point at it (D-61), with the default of the type. */
export function deleteBehaviorOf(field: FieldSchema): NonNullable<FieldSettings['deleteBehavior']> {
  return field.settings.deleteBehavior ?? (field.type === 'master_detail' ? 'cascade' : 'set_null')
}

/** What differs inside the family. */
export interface RelationTraits {
  readonly settings: FieldType['settings']
  /** The normalised id, or null for a value that cannot be one. */
  readonly readId: (value: unknown) => string | null
  readonly coerceId: FieldType['coerceOperand']
}

/** Makes a field type whose value is an id, or a list of ids when the field is declared `multiple`. */
export function relationType(traits: RelationTraits, more: FieldTypeTraits = {}): FieldType {
  return {
    listRank: 1,
    ...more,
    storage: 'plain',
    collation: 'binary',
    flags: { search: 'never', sortable: true, groupable: true, aggregatable: 'none' },
    settings: traits.settings,
    relation: true,
    canBeMultiple: true,
    blankIsNull: true,
    sqlType: () => 'TEXT',
    operators: (field) => (field.multiple ? 'M' : 'E'),
    parse(value, field): ParseResult {
      if (field.multiple) {
        return parseList(value, field, field.settings.maxItems ?? maxRelatedIds, (item, path) => {
          return traits.readId(item) ?? problem(path, 'invalid_reference', 'The value is not a record id.', item)
        })
      }
      const id = traits.readId(value)
      return id === null ? refused(field, 'invalid_reference', 'The value is not a record id.', value) : parsed(id)
    },
    fromText: (text, field) => (field.multiple ? splitList(text) : text.trim()),
    toColumn: (value, field) => (field.multiple ? jsonToColumn(value) : (value as string | null)),
    fromColumn: (value, field) => (field.multiple ? jsonFromColumn(value) : value),
    coerceOperand: traits.coerceId,
    jsonSchema: (field) => {
      const id = { type: 'string' }
      return field.multiple ? { type: 'array', items: id, uniqueItems: true } : id
    },
  }
}

/** The refusal of an operand that is no id. */
export function notAnId(field: FieldSchema): OperandResult {
  return { ok: false, reason: `The operand for "${field.name}" must be a record id.` }
}
