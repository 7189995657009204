// Compares two versions of an object and says what changes (D-100). Pure; counting and applying are elsewhere.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { matchFields } from './match-fields.ts'
import type { PhysicalIndex } from './physical-indexes.ts'
import { physicalIndexes } from './physical-indexes.ts'
import { conversionOf } from './retype.ts'
import type { ChangeKind, PlannedChange, SchemaPlan } from './schema-plan.ts'
import { quoteName } from './sql-text.ts'

/**
 * Plans the way from one version of an object to the next. An object's own rename is a different name of `after`.
 * @param before null for a new object
 * @param after null to delete the object
 * @source D-100
 */
export function diffObject(before: ObjectSchema | null, after: ObjectSchema | null): SchemaPlan {
  if (!before && !after) return { before, after, changes: [] }
  if (!before) return { before, after, changes: after!.abstract ? [] : [change('add_object', { to: after!.name })] }
  if (!after) {
    const deletion = change('delete_object', {
      from: before.name,
      destructive: true,
      loses: true,
      count: countAll(before),
    })
    return { before, after, changes: before.abstract ? [] : [deletion] }
  }
  if (before.abstract !== after.abstract) return { before, after, changes: [abstractChange(before, after)] }
  const changes: PlannedChange[] = []
  const matched = matchFields(before, after)
  if (before.name !== after.name) changes.push(change('rename_object', { from: before.name, to: after.name }))
  else if (presentation(before) !== presentation(after)) changes.push(change('change_object', {}))
  const kept = new Set(matched.values())
  for (const field of before.fields) {
    if (kept.has(field)) continue
    changes.push(
      change('delete_field', {
        field: field.name,
        from: field.type,
        destructive: true,
        loses: true,
        count: countWhere(before, `${quoteName(field.column)} IS NOT NULL`),
        oldField: field,
      }),
    )
  }
  for (const field of after.fields) {
    const old = matched.get(field)
    if (old) changes.push(...diffField(before, old, after, field))
    else
      changes.push(change('add_field', { field: field.name, to: field.type, newField: field, count: countAll(before) }))
  }
  if (!before.abstract) changes.push(...diffIndexes(before, after))
  return { before, after, changes }
}

function diffField(before: ObjectSchema, old: FieldSchema, after: ObjectSchema, field: FieldSchema): PlannedChange[] {
  const changes: PlannedChange[] = []
  const name = field.name
  const pair = { field: name, oldField: old, newField: field }
  const column = quoteName(old.column)
  const present = () => countWhere(before, `${column} IS NOT NULL`)
  if (old.name !== name) changes.push(change('rename_field', { ...pair, from: old.name, to: name, count: present() }))
  const conversion = conversionOf(old, field)
  const isRewritten = conversion === 'convert' || conversion === 'replace'
  if (conversion !== 'same') {
    const work = isRewritten ? { work: { old, next: field } } : {}
    changes.push(change('retype_field', { ...pair, from: shape(old), to: shape(field), count: present(), ...work }))
  }
  if (!old.required && field.required) {
    changes.push(change('tighten_field', { ...pair, to: 'required', count: countWhere(before, `${column} IS NULL`) }))
  }
  const stricter = isRewritten ? [] : stricterRules(old, field)
  if (stricter.length > 0) changes.push(change('tighten_field', { ...pair, to: stricter, judge: field }))
  const isLooser = old.caseSensitive && !field.caseSensitive && !isRewritten
  if (field.unique && (!old.unique || isLooser)) {
    changes.push(
      change('add_unique', {
        ...pair,
        count: countDuplicates(before, [keyOf({ ...old, caseSensitive: field.caseSensitive })]),
      }),
    )
  }
  for (const option of isRewritten ? [] : removedOptions(old, field)) {
    const isUsed = old.multiple ? `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?)` : `${column} = ?`
    const count = countWhere(before, isUsed, [option])
    // Without consent the option stays, taking no new values: only with it are values lost.
    changes.push(change('remove_option', { ...pair, from: option, count, loses: true, work: { old, next: field } }))
  }
  if (changes.length === 0 && definitionText(before, old) !== definitionText(after, field)) {
    changes.push(change('change_field', pair))
  }
  return changes
}

/** Rules whose change may make stored values wrong, in the order of their names here. */
const ruleKeys = [
  'minLength',
  'maxLength',
  'pattern',
  'min',
  'max',
  'precision',
  'maxItems',
  'minItems',
  'maxRating',
  'schemes',
  'schema',
  'fields',
] as const

function stricterRules(old: FieldSchema, field: FieldSchema): string[] {
  if (field.computed || old.type !== field.type || fieldTypeOf(field).concealed !== undefined) return []
  const text = (value: unknown): string => JSON.stringify(value) ?? ''
  return ruleKeys.filter(
    (key) => field.settings[key] !== undefined && text(field.settings[key]) !== text(old.settings[key]),
  )
}

function diffIndexes(before: ObjectSchema, after: ObjectSchema): PlannedChange[] {
  const text = (index: PhysicalIndex): string => JSON.stringify([index.table, index.name, index.keys])
  const old = new Map(physicalIndexes(before).map((index) => [text(index), index]))
  const next = new Map(physicalIndexes(after).map((index) => [text(index), index]))
  const label = (index: PhysicalIndex): string => index.fields.map((field) => field.name).join(',')
  return [
    ...[...old]
      .filter(([key]) => !next.has(key))
      .map(([, index]) => change('remove_index', { from: label(index), index })),
    ...[...next].filter(([key]) => !old.has(key)).map(([, index]) => change('add_index', { to: label(index), index })),
    ...after.indexes
      .filter(
        (index) =>
          index.unique && !before.indexes.some((known) => known.unique && promiseOf(known) === promiseOf(index)),
      )
      .map(({ fields, where }) => change('add_unique', { to: fields, where, count: uniqueCount(before, fields) })),
  ]
}

function promiseOf({ fields, where }: ObjectSchema['indexes'][number]): string {
  return JSON.stringify([fields, where])
}

/** Counts only over fields the old table has; a new field holds the same value everywhere and is the caller's concern. */
function uniqueCount(before: ObjectSchema, fields: readonly string[]): Statement<{ records: number }> | null {
  const found = fields.flatMap((name) => before.byName.get(name) ?? [])
  return found.length < fields.length ? null : countDuplicates(before, found.map(keyOf))
}

/** What a field's values are told apart by. */
function keyOf(field: FieldSchema): string {
  return field.caseSensitive ? quoteName(field.column) : `cairn_fold(${quoteName(field.column)})`
}

function change(kind: ChangeKind, parts: Partial<PlannedChange>): PlannedChange {
  return { change: kind, records: 0, lossy: 0, destructive: false, loses: false, count: null, ...parts }
}

function abstractChange(before: ObjectSchema, after: ObjectSchema): PlannedChange {
  if (before.abstract) return change('add_object', { to: after.name })
  return change('delete_object', { from: before.name, destructive: true, loses: true, count: countAll(before) })
}

function shape(field: FieldSchema): string {
  return field.multiple && field.reference !== null ? `${field.type}[]` : field.type
}

function removedOptions(old: FieldSchema, field: FieldSchema): string[] {
  if (old.options.length === 0 || field.options.length === 0) return []
  const kept = new Set(field.options.map((option) => option.value))
  return old.options.map((option) => option.value).filter((value) => !kept.has(value))
}

function definitionText(schema: ObjectSchema, field: FieldSchema): string {
  return JSON.stringify(schema.definition.fields[field.name])
}

const structural = new Set(['fields', 'indexes', 'name', 'renamedFrom'])

function presentation(schema: ObjectSchema): string {
  return JSON.stringify(Object.entries(schema.definition).filter(([key]) => !structural.has(key)))
}

function countAll(schema: ObjectSchema): Statement<{ records: number }> {
  return { sql: `SELECT count(*) AS "records" FROM ${quoteName(schema.table)}`, parameters: [] }
}

function countWhere(
  schema: ObjectSchema,
  condition: string,
  parameters: readonly unknown[] = [],
): Statement<{ records: number }> {
  const sql = `SELECT count(*) AS "records" FROM ${quoteName(schema.table)} WHERE ${condition}`
  return { sql, parameters }
}

/** Counts live records whose tuple occurs more than once. */
function countDuplicates(schema: ObjectSchema, columns: readonly string[]): Statement<{ records: number }> {
  const present = columns.map((column) => `${column} IS NOT NULL`).join(' AND ')
  const groups = `SELECT count(*) AS n FROM ${quoteName(schema.table)} WHERE "deleted_at" IS NULL AND ${present} GROUP BY ${columns.join(', ')} HAVING count(*) > 1`
  return { sql: `SELECT coalesce(sum(n), 0) AS "records" FROM (${groups})`, parameters: [] }
}
