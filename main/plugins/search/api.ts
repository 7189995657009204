// What other plugins may ask of the search service. Types only.
import type { FieldSchema, SqlValue } from '#shared/field-types/field-schema.ts'
import type { SearchOperator } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { SearchCondition } from '#main/database/query/scope.ts'
import type { Tx } from '#main/kernel/database.ts'

/** A row of an object's table as SQLite holds it, by column. */
export type SearchRow = Readonly<Record<string, SqlValue | undefined>>

/**
 * The search service. Index rows are kept in the transaction of the record's change: the record writer calls `add`,
 * `change`, `hide`, `show` and `remove`, which touch the index only when a searched column is concerned.
 */
export interface SearchService {
  /**
   * Creates, keeps or rebuilds the index of an object so that it fits its searched fields. Up to 1,000 records are
   * indexed at once, more in the background after COMMIT.
   * @param previous the object before the change, null for a new one
   */
  ensure(tx: Tx, schema: ObjectSchema, previous: ObjectSchema | null): void
  /** Removes the index of an object. */
  drop(tx: Tx, schema: ObjectSchema): void
  /** Indexes a new row. Call after it is stored. */
  add(tx: Tx, schema: ObjectSchema, row: SearchRow): void
  /** Follows a change of a live row. `stored` must be the row exactly as it was indexed. Call before or after storing. */
  change(tx: Tx, schema: ObjectSchema, stored: SearchRow, row: SearchRow): void
  /** Takes a live row that goes into the trash out of searches at once; its words leave the index like replaced texts. */
  hide(tx: Tx, schema: ObjectSchema, row: SearchRow): void
  /** Indexes a row that comes back from the trash. Call with the row as it is now. */
  show(tx: Tx, schema: ObjectSchema, row: SearchRow): void
  /**
   * Takes all words of a row out that is removed for good, live or in the trash. Call before it leaves the table.
   * @param later true leaves its words to {@link clearStale}, which the caller awaits before it calls the row gone
   * @returns true when only {@link clearStale} takes some of its words out although `later` is not set: call it as well
   */
  remove(tx: Tx, schema: ObjectSchema, row: SearchRow, later?: boolean): boolean
  /**
   * Resolves when no words of removed or hidden rows, or of replaced texts, are left in the object's index.
   * Searches go on meanwhile.
   * @throws service_unavailable when the host stops before; a repeated call goes on with it
   */
  clearStale(schema: ObjectSchema): Promise<void>
  /**
   * The condition of a search (D-88). Blank text is true for every row; text without a letter or digit matches none.
   * @param fields the searched fields; a subset narrows, all of `schema.searchFields` is the default
   * @param alias the alias or quoted name of the object's table in the statement
   * @param operator whether every term must match (the default) or one is enough
   * @throws invalid_query when the object or a field is not searchable, or there are too many terms
   * @throws service_unavailable while the index is being built
   */
  condition(
    schema: ObjectSchema,
    text: string,
    fields: readonly FieldSchema[] | undefined,
    alias: string,
    operator?: SearchOperator,
  ): SearchCondition
  /** Rebuilds every index from the records, in slices. */
  reindexAll(): Promise<void>
  /** Resolves when no index is being built and the words of replaced texts have left all indexes. */
  settled(): Promise<void>
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    search: SearchService
  }
}
