// What the SQL writers pass along: the table they speak of, the values bound so far, and the hooks of the caller.
import type { SqlValue } from '#shared/field-types/field-schema.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ResolvedFilter } from '#shared/filter/resolved-filter.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { quoteLiteral } from '../schema/sql-text.ts'

/** The condition of a full-text search on a table. */
export interface SearchCondition {
  /** A condition on `<alias>."rowid"` or `<alias>."id"`; its parameters are bound in order. */
  readonly sql: string
  readonly parameters: readonly unknown[]
  /**
   * A JOIN that replaces the condition and an expression to sort by, best first. Null when the search has no ranking:
   * blank, or exclusions only.
   */
  readonly relevance?: {
    readonly joinSql: string
    /** The statement behind the JOIN: `row` numbers, their `document` and `rank`, in no order. Has the same parameters. */
    readonly matchesSql: string
    /** Answers the rank of one document, also when its record has another by now; bound to the same and its number. */
    readonly rankOfDocumentSql: string
    readonly parameters: readonly unknown[]
    readonly rankSql: string
    readonly documentSql: string
  } | null
}

/** Supplies the full-text condition (the search service does). */
export type SearchHook = (schema: ObjectSchema, search: ResolvedSearch, alias: string) => SearchCondition

/** A search with its fields. */
export type ResolvedSearch = Extract<ResolvedFilter, { kind: 'search' }>

/** State while one statement is written. Text and parameters must be produced in the same order. */
export interface Scope {
  readonly schema: ObjectSchema
  readonly alias: string
  readonly env: QueryEnv
  readonly parameters: unknown[]
  readonly search: SearchHook | undefined
  /** Shared by all scopes of a statement; numbers the aliases. */
  readonly counter: { next: number }
  /** True: values become literals of the text, for text that is used more than once. */
  readonly inline?: boolean
  /** True: related records are asked for by their id, row by row, instead of as a set; for statements over one row. */
  readonly rowByRow?: boolean
}

/** The scope of a statement's main table, alias `t0`. */
export function rootScope(schema: ObjectSchema, env: QueryEnv, search?: SearchHook): Scope {
  return { schema, alias: 't0', env, parameters: [], search, counter: { next: 1 } }
}

/** A scope on another table of the same statement. */
export function innerScope(scope: Scope, schema: ObjectSchema): Scope {
  return { ...scope, schema, alias: `t${scope.counter.next++}` }
}

/** Binds a value and answers its placeholder, or its literal where nothing may be bound. */
export function bind(scope: Scope, value: unknown): string {
  if (scope.inline === true) return quoteLiteral(value as SqlValue)
  scope.parameters.push(value)
  return '?'
}

/**
 * Binds a value that a column has to equal. The sign changes nothing but SQLite's mind: a statement with ORDER BY in which a
 * column equals a bare parameter is planned anew at every run, for the sake of the value (a list of twenty: 97 µs, 73 so).
 */
export function bindEqual(scope: Scope, value: unknown): string {
  return scope.inline === true ? bind(scope, value) : `+${bind(scope, value)}`
}

/**
 * Binds a number of rows. A bare parameter behind LIMIT has the statement planned anew at every run too (one record by a
 * filter: 24 µs, 5 so). A literal would not, but makes a text per page size and leads to another plan: for a page of few
 * rows SQLite sorts along an index that does nothing.
 */
export function bindLimit(scope: Scope, rows: number): string {
  return `(${bind(scope, rows)} + 0)`
}

/** A column of the scope's table; names are of the form of D-92, quoted because they may be SQL words. */
export function column(scope: Scope, name: string): string {
  return `${scope.alias}."${name}"`
}
