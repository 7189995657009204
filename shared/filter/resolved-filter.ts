// The filter tree after resolution: fields instead of names, column values instead of operands. Made by
// resolve-filter.ts; read by the SQL writer and by in-memory matchers.
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import type { ObjectSchema } from '../object-schema.ts'
import type { IdSource } from './filter.ts'
import type { ResolvedPath } from './resolve-path.ts'
import type { AppliedFunction } from './value-functions.ts'

/** How the terms of a search are joined (D-74). */
export type SearchOperator = 'and' | 'or'

/** A bound operand; booleans occur inside of JSON values only, columns hold 0 and 1. */
export type TestValue = string | number | boolean

/** The comparisons of order and equality. */
export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte'

/** What one field value must satisfy. Null satisfies nothing. Negations are nodes of the tree. */
export type FieldTest =
  | { readonly test: Comparison; readonly value: TestValue }
  | { readonly test: 'in'; readonly values: readonly TestValue[] }
  /** `from` inclusive, `before` exclusive. */
  | { readonly test: 'range'; readonly from: TestValue; readonly before: TestValue }
  | { readonly test: 'contains' | 'startsWith' | 'endsWith'; readonly text: string }
  /** `%` any run, `_` any one code point; ignores case like contains. */
  | { readonly test: 'like'; readonly pattern: string }
  /** A multi-value field has any or all of the elements. */
  | { readonly test: 'hasAny' | 'hasAll'; readonly values: readonly string[] }
  /** Not null; for a multi-value field also not the empty list. */
  | { readonly test: 'present' }
  | { readonly test: 'field'; readonly comparison: Comparison; readonly other: FieldSchema }
  | { readonly test: 'any' | 'every'; readonly tests: readonly FieldTest[] }

/** A condition on one path. */
export interface ResolvedCondition extends ResolvedPath {
  readonly kind: 'condition'
  readonly test: FieldTest
  /** Applied to the column's value, which `field` then stands for; absent: the value itself is tested. */
  readonly functions?: readonly AppliedFunction[]
}

/** Some element of a list passes a filter. */
export interface ResolvedSome extends ResolvedPath {
  readonly kind: 'some'
  /** The elements as an object of one field. */
  readonly elements: ObjectSchema
  readonly child: ResolvedFilter
}

/** A filter ready for SQL. */
export type ResolvedFilter =
  | { readonly kind: 'and' | 'or'; readonly children: readonly ResolvedFilter[] }
  | { readonly kind: 'not'; readonly child: ResolvedFilter }
  | ResolvedCondition
  | ResolvedSome
  | {
      readonly kind: 'search'
      readonly query: string
      readonly fields: readonly FieldSchema[]
      /** Whether every term must match or one is enough. */
      readonly operator: SearchOperator
    }
  | { readonly kind: 'among'; readonly field: FieldSchema; readonly ids: IdSource }
  | {
      readonly kind: 'related'
      readonly field: FieldSchema
      readonly target: ObjectSchema
      readonly child: ResolvedFilter
    }
