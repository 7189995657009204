// The compiled, immutable form of an object: what the data engine and the renderer work with.
// Pure: no database, no rights. Definitions are checked in object-definition.ts before they come here.
import type { FieldDefinition, ObjectDefinition } from './object-definition.ts'
import type { FieldOption, FieldSchema, FieldSettings } from './field-types/field-schema.ts'
import type { FieldType } from './field-types/field-type.ts'
import { declaredTypeOf, fieldTypeOf } from './field-types/registry.ts'
import type { AnalysedFormula } from './formulas/analyse-formulas.ts'
import { analyseFormulas } from './formulas/analyse-formulas.ts'

/** What an object offers (D-92, `enable`), with defaults applied. */
export interface EnableFlags {
  readonly trackHistory: boolean
  readonly searchable: boolean
  readonly apiEnabled: boolean
  /** Null for all operations. */
  readonly apiMethods: readonly string[] | null
  readonly files: boolean
  readonly feeds: boolean
  readonly trash: boolean
  readonly clone: boolean
  readonly sync: boolean
}

/** A declared index. */
export interface DeclaredIndex {
  readonly name: string | null
  readonly fields: readonly string[]
  readonly unique: boolean
  /** Filter in the object form; null for every record. */
  readonly where: unknown
}

/** An object ready for use: defaults applied, fields ordered, nothing left to look up. */
export interface ObjectSchema {
  readonly name: string
  /** Stable over renames. */
  readonly uid: string
  /** Physical table, `o_<object>` (D-92). */
  readonly table: string
  readonly label: string
  readonly pluralLabel: string
  /** Defined fields in display order, without system fields. */
  readonly fields: readonly FieldSchema[]
  /** The fields of D-51: id first, deleted_by last. */
  readonly systemFields: readonly FieldSchema[]
  /** id and the other system fields that every record shows, then the defined fields; without deleted_at, deleted_by. */
  readonly visibleFields: readonly FieldSchema[]
  /** Every field by name, system fields included. */
  readonly byName: ReadonlyMap<string, FieldSchema>
  /** The field whose value names a record; `id` when there is no better one. */
  readonly displayField: FieldSchema
  /** Fields of the search index in order (D-88); empty when the object is not searchable. */
  readonly searchFields: readonly FieldSchema[]
  readonly indexes: readonly DeclaredIndex[]
  readonly enable: EnableFlags
  readonly sharingModel: 'private' | 'read' | 'read_write' | 'full'
  readonly active: boolean
  readonly isSystem: boolean
  /** True: a base for others, without a table. */
  readonly abstract: boolean
  readonly definition: ObjectDefinition
}

/** The stable ids of an object and its fields; the metadata service keeps them beside the item. */
export interface ObjectUids {
  readonly object: string
  /** By field name. */
  readonly fields: Readonly<Record<string, string>>
}

const systemTypes: readonly (readonly [name: string, type: string, label: string])[] = [
  ['id', 'id', 'Id'],
  ['created_at', 'datetime', 'Created at'],
  ['updated_at', 'datetime', 'Updated at'],
  ['created_by', 'user', 'Created by'],
  ['updated_by', 'user', 'Updated by'],
  ['owner', 'user', 'Owner'],
  ['deleted_at', 'datetime', 'Deleted at'],
  ['deleted_by', 'user', 'Deleted by'],
]

const systemFields: readonly FieldSchema[] = Object.freeze(
  systemTypes.map(([name, type, label]) => systemField(name, type, label)),
)

/** Name of the table that holds the records of an object (D-92). */
export function objectTable(name: string): string {
  return `o_${name}`
}

/**
 * Compiles a checked definition. Without uids the definition's own `uid` keys count, else names stand in for them
 * (renderer, tests); the host always passes uids.
 * @source D-51, D-92, D-93
 */
export function compileObject(definition: ObjectDefinition, uids?: ObjectUids): ObjectSchema {
  const formulas = new Map(analyseFormulas(definition.fields).formulas.map((formula) => [formula.field, formula]))
  const fields = Object.entries(definition.fields).map(([name, field]) =>
    compileField(
      name,
      withFormula(field, formulas.get(name)),
      uids?.fields[name] ?? field.uid ?? name,
      definition.name,
    ),
  )
  const byName = new Map([...systemFields, ...fields].map((field) => [field.name, field]))
  const label = definition.label ?? titleCase(definition.name)
  const enable = compileEnable(definition)
  const displayField = chooseDisplayField(definition, fields, byName)
  return Object.freeze({
    name: definition.name,
    uid: uids?.object ?? definition.uid ?? definition.name,
    table: objectTable(definition.name),
    label,
    pluralLabel: definition.pluralLabel ?? `${label}s`,
    fields: Object.freeze(fields),
    systemFields,
    visibleFields: Object.freeze([...systemFields.slice(0, 6), ...fields]),
    byName,
    displayField,
    searchFields: enable.searchable ? Object.freeze(chooseSearchFields(definition, fields, byName, displayField)) : [],
    indexes: (definition.indexes ?? []).map((index) => ({
      name: index.name ?? null,
      fields: index.fields,
      unique: index.unique ?? false,
      where: index.where ?? null,
    })),
    enable,
    sharingModel: definition.sharingModel ?? 'read_write',
    active: definition.active ?? true,
    isSystem: definition.isSystem ?? false,
    abstract: definition.abstract ?? false,
    definition,
  })
}

/** `first_name` as `First Name`. */
export function titleCase(name: string): string {
  return name
    .split('_')
    .filter((word) => word !== '')
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join(' ')
}

/** A formula with what its expression tells: the type it answers, and whether it exists on reading only. */
function withFormula(definition: FieldDefinition, formula: AnalysedFormula | undefined): FieldDefinition {
  if (formula === undefined) return definition
  const { returnType, computedOnRead } = formula
  return { ...definition, returnType, computedOnRead } as FieldDefinition
}

function compileField(name: string, definition: FieldDefinition, uid: string, object: string): FieldSchema {
  const settings = definition as FieldSettings
  const type = fieldTypeOf({ type: definition.type, settings })
  const keys = definition as FieldDefinition & { options?: readonly unknown[]; reference?: string }
  const unique = (definition.unique ?? false) || (definition.externalId ?? false)
  const multiple = type.alwaysMultiple === true || (type.canBeMultiple === true && definition.multiple === true)
  const options = (keys.options ?? []).map(compileOption)
  return Object.freeze({
    name,
    uid,
    type: definition.type,
    column: name,
    sqlType: type.sqlType(settings),
    extraColumns: (type.extraColumns?.(settings) ?? []).map(({ suffix, sqlType }) => ({
      name: `${name}${suffix}`,
      sqlType,
    })),
    label: definition.label ?? titleCase(name),
    system: false,
    computed: type.computed === true,
    required: (definition.required ?? false) || type.alwaysRequired === true,
    unique,
    // Every delete of a record asks who points at it.
    index:
      (definition.index ?? false) || unique || (!multiple && (type.relation === true || definition.type === 'record')),
    externalId: definition.externalId ?? false,
    searchable: type.flags.search !== 'never' && (definition.searchable ?? type.flags.search === 'default'),
    sortable: type.flags.sortable && !multiple && (definition.sortable ?? true),
    hidden: definition.hidden ?? false,
    readonly: definition.readonly ?? false,
    multiple,
    caseSensitive: !type.ignoresCase && (definition.caseSensitive ?? true),
    defaultValue: definition.defaultValue ?? impliedDefault(definition, type, options),
    options,
    reference: referenceOf(definition.type, keys.reference, object),
    inner: compileInner(settings, object),
    settings,
  })
}

/** The object a relation leads to: users are an object of their own, a tree stays in its object. */
function referenceOf(type: string, reference: string | undefined, object: string): string | null {
  if (type === 'user') return 'user'
  return type === 'tree' ? object : (reference ?? null)
}

function compileInner({ fields }: FieldSettings, object: string): readonly FieldSchema[] {
  if (fields === undefined) return []
  return Object.freeze(
    Object.entries(fields).map(([name, inner]) => compileField(name, inner as FieldDefinition, name, object)),
  )
}

function impliedDefault(definition: FieldDefinition, type: FieldType, options: readonly FieldOption[]): unknown {
  const chosen = options.filter((option) => option.default === true).map((option) => option.value)
  if (chosen.length === 0) return type.computed ? undefined : type.impliedDefault?.(definition)
  return type.alwaysMultiple === true ? chosen : chosen[0]
}

function compileOption(option: unknown): FieldOption {
  if (typeof option === 'string') return { value: option, label: titleCase(option) || option }
  const given = option as FieldOption
  return { ...given, label: given.label ?? (titleCase(given.value) || given.value) }
}

function compileEnable(definition: ObjectDefinition): EnableFlags {
  const given = definition.enable ?? {}
  return Object.freeze({
    trackHistory: given.trackHistory ?? true,
    searchable: given.searchable ?? true,
    apiEnabled: given.apiEnabled ?? true,
    apiMethods: given.apiMethods ?? null,
    files: given.files ?? true,
    feeds: given.feeds ?? true,
    trash: given.trash ?? true,
    clone: given.clone ?? true,
    sync: given.sync ?? true,
  })
}

function chooseDisplayField(
  definition: ObjectDefinition,
  fields: readonly FieldSchema[],
  byName: ReadonlyMap<string, FieldSchema>,
): FieldSchema {
  for (const name of [definition.displayNameField, 'name', 'title', 'label', 'subject']) {
    const field = name === undefined ? undefined : byName.get(name)
    // What is concealed names nothing.
    if (field && fieldTypeOf(field).concealed === undefined) return field
  }
  return fields.find((field) => field.type === 'text') ?? systemFields[0]!
}

function chooseSearchFields(
  definition: ObjectDefinition,
  fields: readonly FieldSchema[],
  byName: ReadonlyMap<string, FieldSchema>,
  displayField: FieldSchema,
): FieldSchema[] {
  const indexable = (field: FieldSchema | undefined): field is FieldSchema =>
    field !== undefined && fieldTypeOf(field).flags.search !== 'never'
  const named = definition.search?.fields
  if (named && named.length > 0) return [...new Set(named)].map((name) => byName.get(name)).filter(indexable)
  const marked = fields.filter((field) => definition.fields[field.name]?.searchable === true && indexable(field))
  if (marked.length > 0) return marked
  return fields.filter(
    (field) =>
      indexable(field) &&
      (field === displayField || declaredTypeOf(field).searchedUnasked) &&
      definition.fields[field.name]?.searchable !== false,
  )
}

function systemField(name: string, type: string, label: string): FieldSchema {
  return Object.freeze({
    name,
    uid: name,
    type,
    column: name,
    sqlType: 'TEXT' as const,
    extraColumns: [],
    label,
    system: true,
    computed: true,
    required: name === 'id' || name === 'created_at' || name === 'updated_at',
    unique: name === 'id',
    index: name === 'id',
    externalId: false,
    searchable: false,
    sortable: true,
    hidden: false,
    readonly: true,
    multiple: false,
    caseSensitive: true,
    defaultValue: undefined,
    options: [],
    reference: type === 'user' ? 'user' : null,
    inner: [],
    settings: {},
  })
}
