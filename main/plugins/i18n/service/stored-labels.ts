// Labels as their authors stored them, in the shape of D-180: what every language starts from. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FieldLabels } from '../api.ts'
import type { TextTree } from './tree.ts'

/** The labels of an object and of its readable fields. */
export function storedLabels(schema: ObjectSchema, canRead: (field: FieldSchema) => boolean): TextTree {
  const { description } = schema.definition
  return {
    label: schema.label,
    pluralLabel: schema.pluralLabel,
    ...(description === undefined ? {} : { description }),
    fields: Object.fromEntries(schema.fields.filter(canRead).map((field) => [field.name, fieldLabels(schema, field)])),
  }
}

function fieldLabels(schema: ObjectSchema, field: FieldSchema): FieldLabels {
  const { help, inlineHelpText, placeholder } = schema.definition.fields[field.name] ?? {}
  const helpText = help ?? inlineHelpText
  return {
    label: field.label,
    ...(helpText === undefined ? {} : { help: helpText }),
    ...(placeholder === undefined ? {} : { placeholder }),
    ...(field.options.length === 0
      ? {}
      : { options: Object.fromEntries(field.options.map(({ value, label }) => [value, label])) }),
  }
}
