// The columns a schema change rewrites: what each conversion would lose, counted before anything is written, and the
// rewriting itself, slice by slice into new columns (D-100). Knows SQL and values, no definitions of metadata.
import type { Reads, Tx } from '#main/kernel/database.ts'
import { statement } from '#main/kernel/database.ts'
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import { foldCase } from '#shared/filter/fold-case.ts'
import { createConverter, readValue } from './convert-value.ts'
import type { ConversionEnv, Converter, Outcome } from './convert-value.ts'
import { quoteName } from './sql-text.ts'
import { fieldColumns } from './table-ddl.ts'

/** One field whose values get new columns. */
export interface ColumnWork {
  readonly old: FieldSchema
  readonly next: FieldSchema
}

/** What a conversion does to the stored values. */
export interface ConversionReport {
  /** Values that arrive whole. */
  converted: number
  /** Values that become null. */
  nulled: number
  /** Values of which a part is lost. */
  shortened: number
  /** The first of those that do not arrive whole; values are cut at 200 characters. */
  readonly failures: { id: string; value: unknown }[]
  /** How many live records of each organization get each value, where values have to be unique; null where not. */
  readonly live: Map<SqlValue, Map<SqlValue, number>> | null
}

/** Most failures a report names. @source D-100 */
export const maxFailures = 100
const maxFailureLength = 200

/** Counts what converting fields would do. */
export interface Measuring {
  /** In the order of the works. */
  readonly reports: readonly ConversionReport[]
  /** Looks at the rows after `after`, at most `limit` with a value; the last one looked at, or null at the end. */
  slice(reads: Pick<Reads, 'all'>, after: number, limit: number): number | null
}

/** Begins to count what converting fields of a table would do, in one walk for all of them. */
export function measureWorks(table: string, works: readonly ColumnWork[], env: ConversionEnv): Measuring {
  const parts = works.map((work) => ({
    work,
    columns: fieldColumns(work.old).map((column) => column.name),
    convert: createConverter(work.old, work.next, env),
    report: {
      converted: 0,
      nulled: 0,
      shortened: 0,
      failures: [],
      live: work.next.unique ? new Map() : null,
    } as ConversionReport,
  }))
  const columns = parts.flatMap((part) => part.columns)
  const present = works.map((work) => `${quoteName(work.old.column)} IS NOT NULL`).join(' OR ')
  const sql = `SELECT "rowid" AS "$row", "id" AS "$id", "deleted_at" AS "$deleted", ${env.organization ?? 'NULL'} AS "$organization", ${columns.map(quoteName).join(', ')} FROM ${quoteName(table)}
    WHERE "rowid" > ? AND (${present}) ORDER BY "rowid" LIMIT ?`
  return {
    reports: parts.map((part) => part.report),
    slice(reads, after, limit) {
      const rows = reads.all<Record<string, SqlValue>>(statement(sql, [after, limit]))
      for (const row of rows) {
        for (const part of parts) {
          const values = part.columns.map((column) => row[column]!)
          if (values[0] === null) continue
          const { outcome, columns: made } = part.convert(values)
          const { live } = part.report
          if (live !== null && row['$deleted'] === null && made[0] !== null) {
            const key = part.work.next.caseSensitive ? made[0]! : foldCase(String(made[0]))
            const organization = row['$organization']!
            const within = live.get(organization) ?? new Map<SqlValue, number>()
            live.set(organization, within.set(key, (within.get(key) ?? 0) + 1))
          }
          count(part.report, outcome, () => ({ id: String(row['$id']), value: readValue(part.work.old, values) }))
        }
      }
      return rows.length < limit ? null : Number(rows.at(-1)!['$row'])
    },
  }
}

function count(report: ConversionReport, outcome: Outcome, failure: () => { id: string; value: unknown }): void {
  if (outcome === 'kept') {
    report.converted += 1
    return
  }
  if (outcome === 'lost') report.nulled += 1
  else report.shortened += 1
  if (report.failures.length === maxFailures) return
  const { id, value } = failure()
  report.failures.push({ id, value: shortened(value) })
}

/** Names of the columns that take the converted values of the nth work. */
export function freshColumns(token: string, position: number, field: FieldSchema): string[] {
  return fieldColumns(field).map((_, i) => `$n${token}_${position}_${i}`)
}

/** Names of the columns that keep the values as they were. */
export function retiredColumns(token: string, position: number, field: FieldSchema): string[] {
  return fieldColumns(field).map((_, i) => `$b${token}_${position}_${i}`)
}

/** Fills the new columns of all works of a table, slice by slice. */
export interface Filling {
  /** Rewrites the rows after `after`, at most `limit`; the last one, or null at the end. */
  slice(tx: Pick<Tx, 'all' | 'run'>, after: number, limit: number): number | null
}

/** What fills a field: the columns it is read from and how they become the new one's. */
export interface FillSource {
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly convert: Converter
}

/** Begins to fill new columns from the present ones. */
export function fillColumns(table: string, sources: readonly FillSource[]): Filling {
  const from = [...new Set(sources.flatMap((source) => source.from))]
  const to = sources.flatMap((source) => source.to)
  const present = from.map((column) => `${quoteName(column)} IS NOT NULL`).join(' OR ')
  const read = `SELECT "rowid" AS "$row", ${from.map(quoteName).join(', ')} FROM ${quoteName(table)}
    WHERE "rowid" > ? AND (${present}) ORDER BY "rowid" LIMIT ?`
  const write = `UPDATE ${quoteName(table)} SET ${to.map((column) => `${quoteName(column)} = ?`).join(', ')} WHERE "rowid" = ?`
  return {
    slice(tx, after, limit) {
      if (sources.length === 0) return null
      const rows = tx.all<Record<string, SqlValue>>(statement(read, [after, limit]))
      for (const row of rows) {
        const values = sources.flatMap((source) => source.convert(source.from.map((column) => row[column]!)).columns)
        if (values.some((value) => value !== null)) tx.run(statement(write, [...values, row['$row']]))
      }
      return rows.length < limit ? null : Number(rows.at(-1)!['$row'])
    },
  }
}

/** The ordinary source of a work: the old field's columns. */
export function sourceOf(work: ColumnWork, to: readonly string[], env: ConversionEnv): FillSource {
  const from = fieldColumns(work.old).map((column) => column.name)
  return { from, to, convert: createConverter(work.old, work.next, env) }
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= maxFailureLength) return value
  return text.slice(0, maxFailureLength)
}
