// Compares two compiled objects and says what the change means for stored records (D-100). Reads counts, writes nothing.
import { platformError } from '#shared/errors.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Reads } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import { quoteIdentifier as quote } from './identifiers.ts'
import { findDuplicates } from './unique.ts'

/** What a step does to the table. */
export type ObjectChange =
  | 'add_object'
  | 'delete_object'
  | 'rename_object'
  | 'add_field'
  | 'delete_field'
  | 'rename_field'
  | 'retype_field'
  | 'require_field'
  | 'add_unique'
  | 'change_indexes'

/** One step of a plan (D-100). */
export interface ObjectPlanStep {
  readonly change: ObjectChange
  readonly field?: string
  readonly from?: unknown
  readonly to?: unknown
  /** Records concerned. */
  readonly records: number
  readonly destructive: boolean
  /** Values that would be lost. */
  readonly lossy: number
}

/** Families inside which a field changes its type without losing a value (D-100). */
const families: readonly (readonly string[])[] = [
  ['number', 'currency', 'percent'],
  ['text', 'textarea', 'markdown', 'email', 'url', 'phone'],
  ['select'],
  ['boolean'],
]

/**
 * Works out the steps from one schema to another; null stands for "no object".
 * Fields are matched by uid, so a renamed field is the same field.
 * @throws not_implemented for a change of type outside the families; conflict when a field to become unique has duplicates
 */
export function planObjectChange(
  read: Pick<Reads, 'get' | 'all'>,
  previous: ObjectSchema | null,
  next: ObjectSchema | null,
): ObjectPlanStep[] {
  if (previous === null || previous.abstract) {
    return next === null || next.abstract ? [] : [step('add_object', 0, { to: next.name })]
  }
  const rows = count(read, previous.table)
  if (next === null || next.abstract) {
    return [step('delete_object', rows, { from: previous.name, destructive: true, lossy: rows })]
  }
  const steps: ObjectPlanStep[] = []
  if (previous.name !== next.name) steps.push(step('rename_object', rows, { from: previous.name, to: next.name }))
  const before = new Map(previous.fields.map((field) => [field.uid, field]))
  const kept = new Set<string>()
  for (const field of next.fields) {
    const old = before.get(field.uid)
    if (old === undefined) {
      steps.push(step('add_field', rows, { field: field.name, to: field.type }))
      continue
    }
    kept.add(old.uid)
    steps.push(...planField(read, previous, old, field, rows))
  }
  for (const old of previous.fields) {
    if (kept.has(old.uid)) continue
    const lossy = countSet(read, previous.table, old)
    steps.push(step('delete_field', rows, { field: old.name, from: old.type, destructive: true, lossy }))
  }
  if (JSON.stringify(previous.indexes) !== JSON.stringify(next.indexes)) {
    steps.push(step('change_indexes', rows, { from: previous.indexes.length, to: next.indexes.length }))
  }
  return steps
}

function planField(
  read: Pick<Reads, 'get' | 'all'>,
  schema: ObjectSchema,
  old: FieldSchema,
  field: FieldSchema,
  rows: number,
): ObjectPlanStep[] {
  const steps: ObjectPlanStep[] = []
  if (old.name !== field.name)
    steps.push(step('rename_field', rows, { field: field.name, from: old.name, to: field.name }))
  const retyped = old.type !== field.type || old.sqlType !== field.sqlType || old.multiple !== field.multiple
  if (retyped) {
    if (!isCompatible(old, field) && countSet(read, schema.table, old) > 0) {
      throw platformError('not_implemented', { reason: 'retype', field: field.name, from: old.type, to: field.type })
    }
    steps.push(step('retype_field', rows, { field: field.name, from: old.type, to: field.type }))
  }
  if (field.required && !old.required) {
    const violators = rows === 0 ? 0 : rows - countSet(read, schema.table, old)
    steps.push(step('require_field', violators, { field: field.name, from: false, to: true }))
  }
  if (field.unique && !old.unique) {
    const duplicates = findDuplicates(read, schema, old)
    if (duplicates.length > 0) {
      throw platformError('conflict', {
        duplicates,
        fieldErrors: [
          { field: `fields.${field.name}.unique`, code: 'not_unique', message: 'Records share values of this field.' },
        ],
      })
    }
    steps.push(step('add_unique', rows, { field: field.name, from: false, to: true }))
  }
  return steps
}

function isCompatible(old: FieldSchema, field: FieldSchema): boolean {
  if (old.multiple !== field.multiple) return false
  if (old.extraColumns.length !== field.extraColumns.length) return false
  if (old.type === field.type) return true
  return families.some((family) => family.includes(old.type) && family.includes(field.type))
}

function step(
  change: ObjectChange,
  records: number,
  rest: Partial<Omit<ObjectPlanStep, 'change' | 'records'>>,
): ObjectPlanStep {
  return { change, records, destructive: false, lossy: 0, ...rest }
}

function count(read: Pick<Reads, 'get'>, table: string): number {
  return read.get<{ n: number }>(statement(`SELECT count(*) AS n FROM ${quote(table)}`))!.n
}

function countSet(read: Pick<Reads, 'get'>, table: string, field: FieldSchema): number {
  return read.get<{ n: number }>(statement(`SELECT count(${quote(field.column)}) AS n FROM ${quote(table)}`))!.n
}
