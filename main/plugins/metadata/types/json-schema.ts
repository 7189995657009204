// JSON Schemas of metadata types, made from the same shapes that saving checks (D-107).
import { z } from 'zod'
import type { MetadataType } from '#shared/contracts/metadata.ts'
import { fieldTypeNames, findFieldType } from '#shared/field-types/registry.ts'
import { commonFieldZod, objectZod } from '#shared/object-definition.ts'
import { analyticsZod } from './check-object-parts.ts'
import { typeEntry } from './type-entries.ts'
import { itemShape } from './type-schemas.ts'
import type { CompiledShape } from './type-schemas.ts'

type JsonSchema = Record<string, unknown>

/** An expression may be absent in any of these ways (D-93, D-97). */
const expressionSchema: JsonSchema = {
  anyOf: [
    { type: ['string', 'null'] },
    { type: 'object', required: ['source'], properties: { dialect: { const: 'cel' }, source: { type: 'string' } } },
  ],
}

const known = new Map<MetadataType, JsonSchema>()
/** The names of the field types that {@link known} was made from. */
let knownOf = ''

/** The JSON Schema 2020-12 of a type's items, with `$schema`, `title` and `description`. */
export function typeJsonSchema(type: MetadataType): JsonSchema {
  const names = fieldTypeNames().join()
  if (names !== knownOf) known.clear()
  knownOf = names
  let schema = known.get(type)
  if (schema === undefined) known.set(type, (schema = build(type)))
  return schema
}

function build(type: MetadataType): JsonSchema {
  const { label, description } = typeEntry(type)
  const body =
    type === 'object' ? objectJsonSchema() : type === 'field' ? fieldJsonSchema() : shapeJsonSchema(itemShape(type)!)
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: label, description, ...body }
}

function objectJsonSchema(): JsonSchema {
  const { properties, ...rest } = toJsonSchema(objectZod)
  const field = fieldJsonSchema()
  return {
    ...rest,
    properties: {
      ...(properties as JsonSchema),
      fields: { type: 'object', propertyNames: { pattern: '^[a-z][a-z0-9_]{0,62}$' }, additionalProperties: field },
      validations: inlineItems('validation'),
      hooks: inlineItems('hook'),
      triggers: inlineItems('trigger'),
      analytics: toJsonSchema(analyticsZod),
    },
  }
}

/** Items written inside of an object, which need not say what object they are about. */
function inlineItems(type: 'validation' | 'hook' | 'trigger'): JsonSchema {
  const { required, ...item } = shapeJsonSchema(itemShape(type)!)
  const needed = Array.isArray(required) ? required.filter((key) => key !== 'object') : []
  return { type: 'array', items: { ...item, ...(needed.length === 0 ? {} : { required: needed }) } }
}

/** The common keys with the field types as options; each type's own settings apply when `type` names it. */
function fieldJsonSchema(): JsonSchema {
  const { properties, ...common } = toJsonSchema(commonFieldZod)
  return {
    ...common,
    properties: {
      ...(properties as JsonSchema),
      type: { enum: fieldTypeNames() },
      conditionalRequired: expressionSchema,
      visibleOn: expressionSchema,
    },
    allOf: fieldTypeNames().map((name) => ({
      if: { properties: { type: { const: name } }, required: ['type'] },
      then: toJsonSchema(z.looseObject(findFieldType(name)!.settings)),
    })),
  }
}

/** The keys with the variants as conditions, and lists of keys of which one is needed. */
function shapeJsonSchema({ schema, variants, needs }: CompiledShape): JsonSchema {
  const conditions: JsonSchema[] = [...(variants?.cases ?? [])].map(([value, variant]) => ({
    if: when(variants!.by, [value]),
    then: toJsonSchema(variant),
  }))
  for (const { oneOf, when: values } of needs) {
    const anyOf = oneOf.map((key) => ({ required: [key] }))
    conditions.push(values === undefined ? { anyOf } : { if: when(variants?.by ?? 'type', values), then: { anyOf } })
  }
  const body = toJsonSchema(schema)
  return conditions.length === 0 ? body : { ...body, allOf: conditions }
}

function when(key: string, values: readonly string[]): JsonSchema {
  return { properties: { [key]: { enum: values } }, required: [key] }
}

/** Without the dialect, which the whole schema says once. */
function toJsonSchema(schema: z.ZodType): JsonSchema {
  const made = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' })
  const { $schema: _dialect, ...rest } = made as JsonSchema
  return rest
}
