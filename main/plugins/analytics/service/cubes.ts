// Describes objects as cubes: what can be measured, by what it can be grouped (D-120, D-123). Pure.
import type { Cube } from '#shared/contracts/analytics.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { AggregateFunction } from '#shared/filter/aggregate.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { titleCase } from '#shared/object-schema.ts'
import { definitionsOf, dimensionType, functionTitles, granularities, isTime, measureType } from './members.ts'

/** System fields people group by; the others say nothing over many records. */
const systemDimensions: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'created_by', 'owner'])

/** The cube of an object, without the fields the caller may not read. */
export function describeCube(schema: ObjectSchema, canRead: (field: FieldSchema) => boolean): Cube {
  const fields = schema.visibleFields.filter(
    (field) => canRead(field) && (!field.system || systemDimensions.has(field.name)) && !field.hidden,
  )
  const groupable = fields.filter((field) => fieldTypeOf(field).flags.groupable && !isTime(field))
  const options = schema.definition.analytics as { title?: string; public?: boolean } | null | undefined
  return {
    name: schema.name,
    title: options?.title ?? schema.pluralLabel,
    ...(schema.definition.description === undefined ? {} : { description: schema.definition.description }),
    public: options?.public ?? true,
    measures: [
      measure(schema, 'count', 'Count', 'number', 'count'),
      ...fields.flatMap((field) => measuresOf(schema, field)),
      ...definedMeasures(schema, canRead),
    ],
    dimensions: [
      ...groupable.map((field) => ({
        name: field.name,
        title: `${schema.label} ${field.label}`,
        shortTitle: field.label,
        type: dimensionType(field) as 'string' | 'number' | 'boolean' | 'geo',
      })),
      ...definedDimensions(schema, canRead),
    ],
    timeDimensions: fields.filter(isTime).map((field) => ({
      name: field.name,
      title: `${schema.label} ${field.label}`,
      shortTitle: field.label,
      type: 'time',
      granularities:
        fieldTypeOf(field).calendar === 'date' ? granularities.slice(granularities.indexOf('day')) : [...granularities],
    })),
    joins: fields
      .filter((field) => field.reference !== null && !field.multiple && field.type !== 'user')
      .map((field) => ({ name: field.name, target: field.reference!, relationship: 'belongs_to' })),
    segments: [],
  }
}

function measuresOf(schema: ObjectSchema, field: FieldSchema): Cube['measures'] {
  const { aggregatable, groupable } = fieldTypeOf(field).flags
  const functions: AggregateFunction[] = [
    ...(aggregatable === 'all' ? (['sum', 'avg', 'min', 'max'] as const) : []),
    ...(aggregatable === 'range' ? (['min', 'max'] as const) : []),
    ...(groupable && !field.multiple ? (['count_distinct'] as const) : []),
  ]
  return functions.map((fn) => {
    const type = fn === 'min' || fn === 'max' ? measureType(field) : 'number'
    return measure(schema, `${field.name}.${fn}`, `${field.label} ${functionTitles[fn]}`, type, fn)
  })
}

function measure(
  schema: ObjectSchema,
  name: string,
  shortTitle: string,
  type: string,
  aggregation: string,
): Cube['measures'][number] {
  return { name, title: `${schema.label} ${shortTitle}`, shortTitle, type, aggregation }
}

function definedMeasures(schema: ObjectSchema, canRead: (field: FieldSchema) => boolean): Cube['measures'] {
  return Object.entries(definitionsOf(schema, 'measures', canRead)).map(([name, { title, type, format }]) => ({
    ...measure(schema, name, titleOf(title, name), 'number', typeof type === 'string' ? type : 'count'),
    title: titleOf(title, name),
    ...(typeof format === 'string' ? { format } : {}),
  }))
}

function definedDimensions(schema: ObjectSchema, canRead: (field: FieldSchema) => boolean): Cube['dimensions'] {
  return Object.entries(definitionsOf(schema, 'dimensions', canRead)).map(([name, { title, type }]) => ({
    name,
    title: titleOf(title, name),
    shortTitle: titleOf(title, name),
    type: type === 'number' || type === 'boolean' || type === 'geo' ? type : 'string',
  }))
}

function titleOf(title: unknown, name: string): string {
  return typeof title === 'string' ? title : titleCase(name)
}
