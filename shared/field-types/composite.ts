// The field types `composite` and `repeater`: one group of inner fields, or a list of such groups. Inner fields are checked
// by their own types, which come from the registry as a function, because the registry holds these two as well.
import { z } from 'zod'
import type { FieldError } from '#shared/errors.ts'
import type { FieldSchema } from './field-schema.ts'
import type { FieldType, JsonSchema, ParseEnv, ParseResult } from './field-type.ts'
import { parsed, problem, refused } from './field-type.ts'
import { jsonFromColumn, jsonToColumn } from './list-values.ts'
import { parseValue } from './parse-value.ts'

/** Finds the type of a compiled field. */
export type TypeOf = (field: FieldSchema) => FieldType

const maxRepeats = 500
const maxInnerFields = 100

/** Most levels of groups inside of groups, the outermost included. */
export const maxNesting = 3

const innerFields = z
  .record(z.string(), z.unknown())
  .refine((fields) => Object.keys(fields).length > 0, 'A group needs at least one inner field.')
  .refine(
    (fields) => Object.keys(fields).length <= maxInnerFields,
    `A group has at most ${maxInnerFields} inner fields.`,
  )

/** The type of one group: an object with every inner field, null where nothing was given. @source D-94 */
export function compositeType(typeOf: TypeOf): FieldType {
  return {
    ...groupBase,
    expressionType: 'map',
    settings: { fields: innerFields },
    innerPaths: true,
    parse(value, field, env, stored) {
      const result = parseGroup(typeOf, field.inner, value, env, stored)
      return result.ok ? result : { ok: false, errors: below(field.name, result.errors) }
    },
    coerceOperand: () => ({ ok: false, reason: 'A composite is compared by one of its fields.' }),
    jsonSchema: (field) => groupSchema(typeOf, field.inner),
  }
}

/** The type of a list of groups, in the order given. @source D-94 */
export function repeaterType(typeOf: TypeOf): FieldType {
  return {
    ...groupBase,
    expressionType: 'list',
    settings: {
      fields: innerFields,
      minItems: z.int().min(0).max(maxRepeats).optional(),
      maxItems: z.int().min(1).max(maxRepeats).optional(),
    },
    alwaysMultiple: true,
    parse(value, field, env, stored) {
      if (!Array.isArray(value)) return refused(field, 'invalid_type', 'The value must be a list.', value)
      const { minItems: least = 0, maxItems: most = maxRepeats } = field.settings
      if (value.length < least) {
        return refused(field, 'min_items', `The list has fewer than ${least} entries.`, undefined, least)
      }
      if (value.length > most) {
        return refused(field, 'max_items', `The list has more than ${most} entries.`, undefined, most)
      }
      const before: readonly unknown[] = Array.isArray(stored) ? stored : []
      const errors: FieldError[] = []
      const groups = value.map((item: unknown, index) => {
        const result = parseGroup(typeOf, field.inner, item, env, before[index])
        if (result.ok) return result.value
        errors.push(...below(`${field.name}.${index}`, result.errors))
        return null
      })
      return errors.length > 0 ? { ok: false, errors } : parsed(groups)
    },
    coerceOperand: () => ({ ok: false, reason: 'A repeater is not compared.' }),
    jsonSchema(field) {
      const { minItems = 0, maxItems = maxRepeats } = field.settings
      return { type: 'array', items: groupSchema(typeOf, field.inner), minItems, maxItems }
    },
  }
}

const groupBase = {
  listRank: null,
  holdsFields: true,
  storage: 'json',
  collation: 'binary',
  flags: { search: 'never', sortable: false, groupable: false, aggregatable: 'none' },
  blankIsNull: true,
  sqlType: () => 'TEXT',
  operators: () => 'N',
  fromText(text: string) {
    try {
      return JSON.parse(text) as unknown
    } catch {
      return undefined
    }
  },
  toColumn: jsonToColumn,
  fromColumn: jsonFromColumn,
} as const satisfies Partial<FieldType>

/** Checks one group; paths of problems begin at the group. A missing value takes the inner field's literal default. */
function parseGroup(
  typeOf: TypeOf,
  inner: readonly FieldSchema[],
  value: unknown,
  env: ParseEnv,
  stored: unknown,
): ParseResult {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, errors: [problem('', 'invalid_type', 'The value must be an object.', value)] }
  }
  const given = value as Record<string, unknown>
  const before = (typeof stored === 'object' && stored !== null ? stored : {}) as Record<string, unknown>
  const names = new Set(inner.map((field) => field.name))
  const errors: FieldError[] = Object.keys(given)
    .filter((key) => !names.has(key))
    .map((key) => problem(key, 'unknown_field', 'The group has no such field.', undefined))
  const group: Record<string, unknown> = {}
  for (const field of inner) {
    const raw = Object.hasOwn(given, field.name) ? given[field.name] : field.defaultValue
    const known = Object.hasOwn(before, field.name) ? before[field.name] : undefined
    const result = parseValue(typeOf(field), field, raw, env, known)
    if (result.ok) group[field.name] = result.value
    else errors.push(...result.errors)
  }
  return errors.length > 0 ? { ok: false, errors } : parsed(group)
}

function below(path: string, errors: readonly FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, field: error.field === '' ? path : `${path}.${error.field}` }))
}

function groupSchema(typeOf: TypeOf, inner: readonly FieldSchema[]): JsonSchema {
  const schemaOf = (field: FieldSchema): JsonSchema => {
    const schema = typeOf(field).jsonSchema(field)
    return field.required ? schema : { anyOf: [schema, { type: 'null' }] }
  }
  return {
    type: 'object',
    properties: Object.fromEntries(inner.map((field) => [field.name, schemaOf(field)])),
    required: inner.map((field) => field.name),
    additionalProperties: false,
  }
}
