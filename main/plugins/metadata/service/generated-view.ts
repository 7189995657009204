// Views worked out from an object's fields (D-114): the list and the form shown where nobody stored one. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { declaredTypeOf, isConcealed } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { titleCase } from '#shared/object-schema.ts'

/** The two kinds of view. */
export const viewKinds = ['list', 'form'] as const

/** A word of {@link viewKinds}. */
export type ViewKind = (typeof viewKinds)[number]

type Config = Record<string, unknown>

const maxColumns = 7
const pageSize = 25
const lastRank = 99
/** Place of a field among the columns of a list; null for none. What is most telling comes first. */
function rankOf(field: FieldSchema): number | null {
  const { long, listRank } = declaredTypeOf(field)
  return long || isConcealed(field) || listRank === null ? null : (listRank ?? lastRank)
}

/** A generated view without the caller's rights: pass the fields the caller may read. */
export function generateView(schema: ObjectSchema, kind: ViewKind, readable: (field: FieldSchema) => boolean): Config {
  const config = kind === 'list' ? listConfig(schema, readable) : formConfig(schema, readable)
  const label = kind === 'list' ? schema.pluralLabel : `Edit ${schema.label}`
  return viewAnswer({ object: schema.name, kind, name: `${schema.name}.${kind}`, label, generated: true, config })
}

/** What a stored view says nothing of and nobody can show it without: how it is laid out, and its columns or fields. */
export function missingParts(
  schema: ObjectSchema,
  kind: ViewKind,
  readable: (field: FieldSchema) => boolean,
  config: Readonly<Config>,
): Config {
  if (kind === 'list') {
    const { type, columns } = listConfig(schema, readable)
    return { type, columns }
  }
  const { type, sections, fields } = formConfig(schema, readable)
  return config['sections'] === undefined && config['fields'] === undefined ? { type, sections, fields } : { type }
}

/** The shape both stored and generated views answer: the configuration at top level and once more under its kind. */
export function viewAnswer(view: {
  object: string
  kind: ViewKind
  name: string
  label: string
  generated: boolean
  config: Readonly<Config>
}): Config {
  const { object, kind, name, label, generated, config } = view
  return { ...config, object, viewKind: kind, name, label, generated, [kind]: config }
}

function listConfig(schema: ObjectSchema, readable: (field: FieldSchema) => boolean): Config {
  const fields = schema.fields.filter(readable)
  const ranked = fields
    .filter((field) => !field.hidden && field !== schema.displayField && rankOf(field) !== null)
    .toSorted((a, b) => rankOf(a)! - rankOf(b)!)
  const display = readable(schema.displayField) ? [schema.displayField] : []
  return {
    type: 'grid',
    columns: [...display, ...ranked]
      .slice(0, maxColumns)
      .map(({ name, label, type, sortable }) => ({ field: name, label, type, sortable })),
    sort: [{ field: 'created_at', order: 'desc' }],
    searchableFields: schema.searchFields.filter(readable).map((field) => field.name),
    filterableFields: fields.filter((field) => !field.hidden && !isConcealed(field)).map((field) => field.name),
    pagination: { pageSize },
  }
}

function formConfig(schema: ObjectSchema, readable: (field: FieldSchema) => boolean): Config {
  const fields = schema.fields.filter((field) => readable(field) && !field.hidden)
  const groups = schema.definition.fieldGroups ?? []
  const groupOf = new Map(fields.map((field) => [field, schema.definition.fields[field.name]?.group]))
  const known = new Set(groups.map((group) => group.key))
  const loose = fields.filter((field) => !known.has(groupOf.get(field) ?? ''))
  const system = schema.visibleFields.filter((field) => field.system && readable(field))
  const sections = [
    section('general', 'General', loose),
    ...groups.map(({ key, label, collapsed }) => {
      const own = fields.filter((field) => groupOf.get(field) === key)
      return section(key, label ?? titleCase(key), own, collapsed)
    }),
    section('system', 'System', system),
  ].filter((one) => one.fields.length > 0)
  return {
    type: 'simple',
    label: `Edit ${schema.label}`,
    sections,
    fields: sections.flatMap((one) => one.fields),
  }
}

function section(name: string, label: string, fields: readonly FieldSchema[], collapsed?: boolean) {
  return {
    name,
    label,
    columns: 2,
    collapsible: collapsed !== undefined,
    collapsed: collapsed ?? false,
    fields: fields.map((field) => ({
      field: field.name,
      label: field.label,
      type: field.type,
      required: field.required,
      readonly: field.readonly || field.computed || field.system,
      colSpan: declaredTypeOf(field).long ? 2 : 1,
    })),
  }
}
