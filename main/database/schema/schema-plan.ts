// The words of a schema change (D-100): what differs between two definitions, and what each difference destroys.
import type { Statement } from '#main/kernel/database.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { PhysicalIndex } from './physical-indexes.ts'

/** Kinds of change. */
export type ChangeKind =
  | 'add_object'
  | 'delete_object'
  | 'rename_object'
  | 'change_object'
  | 'add_field'
  | 'delete_field'
  | 'rename_field'
  | 'retype_field'
  | 'change_field'
  | 'tighten_field'
  | 'add_unique'
  | 'remove_option'
  | 'add_index'
  | 'remove_index'

/** One change as the API shows it (D-100). */
export interface SchemaChange {
  readonly change: ChangeKind
  readonly field?: string
  readonly from?: unknown
  readonly to?: unknown
  /** Records that hold a value the change touches, or violate the new rule; filled in by counting. */
  records: number
  readonly destructive: boolean
  /** Values that would be lost; filled in by counting. */
  lossy: number
}

/** A change with what is needed to count and to apply it. */
export interface PlannedChange extends SchemaChange {
  /** Counts the records; null when the change concerns none. */
  readonly count: Statement<{ records: number }> | null
  /** True when every counted value is lost. */
  readonly loses: boolean
  /** Not possible yet: applying it answers `not_implemented`. */
  readonly unsupported?: boolean
  readonly oldField?: FieldSchema
  readonly newField?: FieldSchema
  readonly index?: PhysicalIndex
}

/** Everything that differs, in the order it is applied. */
export interface SchemaPlan {
  /** Null when the object is new. */
  readonly before: ObjectSchema | null
  /** Null when the object is deleted. */
  readonly after: ObjectSchema | null
  readonly changes: readonly PlannedChange[]
}

/** The plan in the form of D-100, without what only the engine reads. */
export function showPlan(plan: SchemaPlan): SchemaChange[] {
  return plan.changes.map(({ change, field, from, to, records, destructive, lossy }) => ({
    change,
    ...(field === undefined ? {} : { field }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    records,
    destructive,
    lossy,
  }))
}

/** Fills in `records` and `lossy` of every change by counting. */
export function countPlan(
  plan: SchemaPlan,
  get: (statement: Statement<{ records: number }>) => { records: number } | undefined,
): void {
  for (const change of plan.changes) {
    if (!change.count) continue
    change.records = get(change.count)?.records ?? 0
    change.lossy = change.loses ? change.records : 0
  }
}
