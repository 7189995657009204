// The words of a schema change (D-100): what differs between two definitions, and what each difference destroys.
import type { Reads, Statement } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { ColumnWork, ConversionReport } from './column-work.ts'
import { measureWorks } from './column-work.ts'
import type { ConversionEnv } from './convert-value.ts'
import { readValue } from './convert-value.ts'
import type { PhysicalIndex } from './physical-indexes.ts'
import { quoteName } from './sql-text.ts'
import { fieldColumns } from './table-ddl.ts'

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
  /** Whether it needs consent; of a conversion known after counting. */
  destructive: boolean
  /** Values that would be lost, whole or in part; filled in by counting. */
  lossy: number
  /** Of a conversion: values that arrive whole. */
  converted?: number
  /** Of a conversion: values that become null. */
  nulled?: number
  /** Of a conversion: the first 100 records whose value does not arrive whole. */
  failures?: { id: string; value: unknown }[]
}

/** A change with what is needed to count and to apply it. */
export interface PlannedChange extends SchemaChange {
  /** Counts the records; null when the change concerns none. What only a query can ask is put in before counting. */
  count: Statement<{ records: number }> | null
  /** Of a unique index: its filter as it is written. */
  readonly where?: unknown
  /** True when every counted value is lost. */
  readonly loses: boolean
  /** Values that are looked at one by one, before and while the change is made. */
  readonly work?: ColumnWork
  /** Of a conversion into a unique field: values that several live records would share, at most 20. */
  repeated?: readonly { readonly value: SqlValue; readonly count: number }[]
  /** A rule whose violators are counted by asking the new field. */
  readonly judge?: FieldSchema
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
  /** Unique fields are only claimed: records that share values are told of, and keep the change from nothing. */
  readonly isClaim?: boolean
}

/** The plan in the form of D-100, without what only the engine reads. */
export function showPlan(plan: SchemaPlan): SchemaChange[] {
  return plan.changes.map(({ change, field, from, to, records, destructive, lossy, converted, nulled, failures }) => ({
    change,
    ...(field === undefined ? {} : { field }),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    records,
    destructive,
    lossy,
    ...(converted === undefined ? {} : { converted }),
    ...(nulled === undefined ? {} : { nulled }),
    ...(failures === undefined ? {} : { failures }),
  }))
}

/** Fields whose values get new columns when the counted plan is applied, each once. */
export function worksOf(plan: SchemaPlan): ColumnWork[] {
  const works = new Map<string, ColumnWork>()
  for (const { change, work, records } of plan.changes) {
    // Options nobody uses go without a look at the values.
    if (work === undefined || (change === 'remove_option' && records === 0)) continue
    if (!works.has(work.next.name)) works.set(work.next.name, work)
  }
  return [...works.values()]
}

/** Fills in `records`, `lossy` and the reports of every change by counting; rows are read at once. */
export function countPlan(plan: SchemaPlan, reads: Pick<Reads, 'all' | 'get'>, env: ConversionEnv): void {
  for (const count of countings(plan, env)) {
    if (count.statement !== undefined) count.take(reads.get(count.statement)?.records ?? 0)
    else for (let row: number | null = 0; row !== null;) row = count.slice(reads, row, 10_000)
  }
  finishPlan(plan)
}

/** One step of counting a plan: a statement whose answer is taken, or slices until one answers null. */
export type Counting =
  | { readonly statement: Statement<{ records: number }>; readonly take: (records: number) => void }
  | {
      readonly statement?: undefined
      readonly slice: (reads: Pick<Reads, 'all'>, after: number, limit: number) => number | null
    }

/** The steps of counting a plan; {@link finishPlan} must follow them. */
export function countings(plan: SchemaPlan, env: ConversionEnv): Counting[] {
  const table = plan.before?.table
  const steps = plan.changes.flatMap((change): Counting[] => {
    const { count, judge, oldField } = change
    return [
      ...(count === null ? [] : [{ statement: count, take: (records: number) => void (change.records = records) }]),
      ...(judge === undefined || oldField === undefined || table === undefined
        ? []
        : [{ slice: judgeRows(table, change, env) }]),
    ]
  })
  const rewritten = plan.changes.filter(({ change, work }) => change === 'retype_field' && work !== undefined)
  if (rewritten.length === 0 || table === undefined) return steps
  const { reports: measured, slice } = measureWorks(
    table,
    rewritten.map((change) => change.work!),
    env,
  )
  rewritten.forEach((change, i) => reports.set(change, measured[i]!))
  return [...steps, { slice }]
}

const reports = new WeakMap<PlannedChange, ConversionReport>()

/** Draws the conclusions from what was counted. */
export function finishPlan(plan: SchemaPlan): void {
  for (const change of plan.changes) {
    const report = reports.get(change)
    if (report === undefined) {
      change.lossy = change.loses ? change.records : 0
      // Where nothing lies nothing is destroyed (D-101).
      change.destructive &&= change.lossy > 0
      continue
    }
    change.converted = report.converted
    change.nulled = report.nulled
    change.failures = report.failures
    change.lossy = report.nulled + report.shortened
    change.destructive = change.lossy > 0
    change.repeated = [...(report.live?.values() ?? [])]
      .flatMap((within) => [...within])
      .filter(([, count]) => count > 1)
      .slice(0, 20)
      .map(([value, count]) => ({ value, count }))
  }
}

/** Counts the values that the new field's rules would refuse. */
function judgeRows(
  table: string,
  change: PlannedChange,
  env: ConversionEnv,
): (Counting & { statement?: undefined })['slice'] {
  const field = change.judge!
  const old = change.oldField!
  const type = fieldTypeOf(field)
  const columns = fieldColumns(old).map((column) => column.name)
  const sql = `SELECT "rowid" AS "$row", ${columns.map(quoteName).join(', ')} FROM ${quoteName(table)}
    WHERE "rowid" > ? AND ${quoteName(old.column)} IS NOT NULL ORDER BY "rowid" LIMIT ?`
  change.records = 0
  return (reads, after, limit) => {
    const rows = reads.all<Record<string, SqlValue>>(statement(sql, [after, limit]))
    for (const row of rows) {
      const value = readValue(
        old,
        columns.map((column) => row[column]!),
      )
      if (value !== null && !type.parse(value, field, env, value).ok) change.records += 1
    }
    return rows.length < limit ? null : Number(rows.at(-1)!['$row'])
  }
}
