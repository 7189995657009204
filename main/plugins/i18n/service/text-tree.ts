// Trees of texts: laying one over another, cutting parts out, and the labels of an object as their authors stored them, in the
// shape of D-180: what every language starts from. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { FieldLabels } from '../api.ts'

/** Texts by key, to any depth. */
export type TextTree = Readonly<Record<string, unknown>>

/** `over` on top of `base`; maps merge, everything else replaces. Keys are data and reach no prototype. */
export function layTree(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over === undefined ? base : over
  const members = new Map<string, unknown>(Object.entries(base))
  for (const [key, value] of Object.entries(over)) members.set(key, layTree(members.get(key), value))
  return Object.fromEntries(members)
}

/** Only what the dotted paths name; paths that lead nowhere are left out. */
export function pickPaths(tree: TextTree, paths: readonly string[]): TextTree {
  return paths.reduce<TextTree>((picked, path) => {
    const keys = path.split('.')
    const value = keys.reduce<unknown>((at, key) => (isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined), tree)
    if (value === undefined) return picked
    const branch = keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value)
    return layTree(picked, branch) as TextTree
  }, {})
}

/** Whether the value is a map of texts. */
export function isTree(value: unknown): value is TextTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

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
