// What the data service asks of full-text search. Types only. Everything is synchronous and inside the record's write.
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Tx } from '#main/kernel/database.ts'

/** A row of an object's table: column names to values. */
export type SearchRow = Readonly<Record<string, SqlValue>>

/** The full-text index of every searchable object (D-88). Objects that are not searchable are passed over. */
export interface SearchService {
  /** Makes or rebuilds the index after a definition was saved; `previous` is null for a new object. */
  ensure(tx: Tx, schema: ObjectSchema, previous: ObjectSchema | null): void
  drop(tx: Tx, schema: ObjectSchema): void
  /** Indexes a new or revived record; its row is in the table already. */
  add(tx: Tx, schema: ObjectSchema, row: SearchRow): void
  /** Follows a change; does nothing when no searched column changed. */
  change(tx: Tx, schema: ObjectSchema, before: SearchRow, after: SearchRow): void
  /** Takes a deleted record out; its row may be gone already. */
  remove(tx: Tx, schema: ObjectSchema, row: SearchRow): void
  /**
   * The condition that a row of the object's table, under `alias`, matches the text in the given fields.
   * @throws invalid_query when the object is not searchable
   */
  condition(
    schema: ObjectSchema,
    text: string,
    fields: readonly FieldSchema[],
    alias: string,
  ): { readonly sql: string; readonly parameters: readonly unknown[] }
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    search: SearchService
  }
}
