// What comes back from backups while a definition is saved: a table, a field's columns, or the values of a conversion.
import type { FieldDefinition, ObjectDefinition } from '#shared/object-definition.ts'
import { compileObject } from '#shared/object-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ColumnWork, FillSource } from '#main/database/schema/column-work.ts'
import { createConverter } from '#main/database/schema/convert-value.ts'
import type { ConversionEnv } from '#main/database/schema/convert-value.ts'
import type { SchemaPlan } from '#main/database/schema/schema-plan.ts'
import { fieldColumns } from '#main/database/schema/table-ddl.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'

/** A field of a backup on its way back. */
export interface ReturningField {
  /** Its columns, main column first. */
  readonly columns: readonly string[]
  /** What the conversion that is taken back had made of the field. */
  readonly made?: FieldDefinition
}

/** Backups of one object on their way back. */
export interface Returning {
  readonly objectUid: string
  /** The table of a whole object. */
  readonly table?: string
  /** The fields that come back, by the name they come back under. */
  readonly fields?: ReadonlyMap<string, ReturningField>
}

/** The plan with the work a returning field needs although its definition alone would not ask for it. */
export function withReturningWork(plan: SchemaPlan, returning: Returning | undefined): SchemaPlan {
  return [...(returning?.fields?.keys() ?? [])].reduce(withFieldWork, plan)
}

function withFieldWork(plan: SchemaPlan, field: string): SchemaPlan {
  const { before, after, changes } = plan
  const next = after?.byName.get(field)
  const old = before?.fields.find((field) => field.uid === next?.uid)
  if (next === undefined || old === undefined) return plan
  if (changes.some(({ change, work }) => change === 'retype_field' && work?.next.name === next.name)) return plan
  const work = { old, next }
  const change = { change: 'retype_field' as const, field: next.name, oldField: old, newField: next, work }
  const uncounted = { records: 0, lossy: 0, destructive: false, loses: false, count: null }
  // Words about the same field that have work of their own give way to it.
  const others = changes.filter((other) => other.work?.next.name !== next.name)
  return { before, after, changes: [...others, { ...change, ...uncounted }] }
}

/** The columns of fields that come back into a place where nothing stands. */
export function returningColumns(returning: Returning, after: ObjectSchema): ReadonlyMap<string, readonly string[]> {
  const fields = [...(returning.fields ?? [])].filter(([field]) => after.byName.has(field))
  return new Map(fields.map(([field, { columns }]) => [field, columns]))
}

/**
 * Where the values of a field come from whose conversion is taken back: the old value where the record holds nothing, or
 * still holds what the conversion made of it; else the present value converted back.
 */
export function returningSource(
  returning: Returning | undefined,
  work: ColumnWork,
  to: readonly string[],
  env: ConversionEnv,
): FillSource | undefined {
  const field = work.next.name
  const { columns, made } = returning?.fields?.get(field) ?? {}
  if (columns === undefined) return undefined
  const present = fieldColumns(work.old).map((column) => column.name)
  const forward = createConverter(work.next, work.old, env)
  const back = createConverter(work.old, work.next, env)
  // The field may have been converted again since, without a loss that would have been kept.
  const between = made === undefined ? undefined : compileOne(field, made)
  const first = between === undefined ? undefined : createConverter(work.next, between, env)
  const second = between === undefined ? undefined : createConverter(between, work.old, env)
  return {
    from: [...present, ...columns],
    to,
    convert(values) {
      const now = values.slice(0, present.length)
      const kept = values.slice(present.length)
      const isUnchanged =
        // What the server computed is nobody's word.
        work.old.computed ||
        now[0] === null ||
        isSame(forward(kept).columns, now) ||
        (first !== undefined && second !== undefined && isSame(second(first(kept).columns).columns, now))
      if (isUnchanged) return { columns: kept, outcome: 'kept' }
      return back(now)
    },
  }
}

function compileOne(name: string, definition: FieldDefinition): FieldSchema {
  return compileObject({ name: 'one', fields: { [name]: definition } } as ObjectDefinition).fields[0]!
}

function isSame(left: readonly SqlValue[], right: readonly SqlValue[]): boolean {
  return left.length === right.length && left.every((value, i) => value === right[i])
}
