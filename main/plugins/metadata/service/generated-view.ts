// Views worked out from an object's fields (D-114): the list and the form shown where nobody stored one. Pure.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { titleCase } from '#shared/object-schema.ts'

/** The two kinds of view. */
export const viewKinds = ['list', 'form'] as const

/** A word of {@link viewKinds}. */
export type ViewKind = (typeof viewKinds)[number]

type Config = Record<string, unknown>

const maxColumns = 7
const pageSize = 25
const longText: ReadonlySet<string> = new Set(['textarea', 'markdown', 'html', 'richtext', 'code', 'json'])
const secret: ReadonlySet<string> = new Set(['password', 'secret'])
const neverColumn: ReadonlySet<string> = new Set([
  ...longText,
  ...secret,
  'vector',
  'address',
  'location',
  'composite',
  'repeater',
  'signature',
  'qrcode',
])
/** What a list shows first after the display field, most telling first. */
const columnRanks: readonly ReadonlySet<string>[] = [
  new Set(['select', 'radio']),
  new Set(['lookup', 'master_detail', 'tree', 'user', 'record']),
  new Set(['date', 'datetime', 'time']),
  new Set(['number', 'currency', 'percent', 'progress', 'slider', 'rating', 'summary', 'formula']),
]

/** A generated view without the caller's rights: pass the fields the caller may read. */
export function generateView(schema: ObjectSchema, kind: ViewKind, readable: (field: FieldSchema) => boolean): Config {
  const config = kind === 'list' ? listConfig(schema, readable) : formConfig(schema, readable)
  const label = kind === 'list' ? schema.pluralLabel : `Edit ${schema.label}`
  return viewAnswer({ object: schema.name, kind, name: `${schema.name}.${kind}`, label, generated: true, config })
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
  const candidates = fields.filter(
    (field) => !field.hidden && !neverColumn.has(field.type) && field !== schema.displayField,
  )
  const ranked = candidates
    .map((field, order) => ({ field, order, rank: columnRanks.findIndex((types) => types.has(field.type)) }))
    .map((entry) => ({ ...entry, rank: entry.rank === -1 ? columnRanks.length : entry.rank }))
    .toSorted((a, b) => a.rank - b.rank || a.order - b.order)
    .map(({ field }) => field)
  const display = readable(schema.displayField) ? [schema.displayField] : []
  return {
    type: 'grid',
    columns: [...display, ...ranked]
      .slice(0, maxColumns)
      .map(({ name, label, type, sortable }) => ({ field: name, label, type, sortable })),
    sort: [{ field: 'created_at', order: 'desc' }],
    searchableFields: schema.searchFields.filter(readable).map((field) => field.name),
    filterableFields: fields.filter((field) => !field.hidden && !secret.has(field.type)).map((field) => field.name),
    pagination: { pageSize },
  }
}

function formConfig(schema: ObjectSchema, readable: (field: FieldSchema) => boolean): Config {
  const fields = schema.fields.filter((field) => readable(field) && !field.hidden)
  const groups = schema.definition.fieldGroups ?? []
  const groupOf = new Map(fields.map((field) => [field, schema.definition.fields[field.name]?.group]))
  const known = new Set(groups.map((group) => group.key))
  const sections = [
    section(
      'general',
      'General',
      fields.filter((field) => !known.has(groupOf.get(field) ?? '')),
    ),
    ...groups.map((group) =>
      section(
        group.key,
        group.label ?? titleCase(group.key),
        fields.filter((field) => groupOf.get(field) === group.key),
        group.collapsed,
      ),
    ),
    section(
      'system',
      'System',
      schema.visibleFields.filter((field) => field.system && readable(field)),
    ),
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
      colSpan: longText.has(field.type) ? 2 : 1,
    })),
  }
}
