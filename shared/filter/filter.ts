// The filter language as a tree. Every input form of D-79 and D-80 parses into it; nothing in it is resolved yet.
import type { DateMacro } from '#shared/calendar/macros.ts'
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import type { ValueStep } from './value-functions.ts'

/** Another field of the same record as operand (D-85). */
export interface FieldMacro {
  readonly $field: string
}

/** The caller as operand (D-85). */
export interface UserMacro {
  readonly $user: 'id'
}

/** One operand: a JSON scalar or a macro. Lists belong to `$in`, `$nin`, `$any`, `$all` and `$between`. */
export type Operand = string | number | boolean | DateMacro | FieldMacro | UserMacro

/** A condition on one field; `path` is the field's name, or names along relations, or a path inside a JSON value. */
export interface FilterCondition {
  readonly kind: 'condition'
  readonly path: readonly string[]
  readonly operator: FilterOperator
  /** Boolean for `$null`, a list for the list operators, a range name for `$during`. */
  readonly operand: Operand | readonly Operand[]
  /** Applied to the value before it is tested, the innermost first; no form of D-79 and D-80 writes them. */
  readonly functions?: readonly ValueStep[]
}

/**
 * Some element of a list passes a filter; in it {@link elementName} is the element, and leads on where that is a link. No
 * form of D-79 and D-80 writes it.
 */
export interface FilterSome {
  readonly kind: 'some'
  readonly path: readonly string[]
  readonly child: Filter
}

/** The name of an element in the filter of {@link FilterSome}. */
export const elementName = '$it'

/** Full-text condition on the record; `fields` narrows it, empty means every searchable field. */
export interface FilterSearch {
  readonly kind: 'search'
  readonly query: string
  readonly fields: readonly string[]
}

/**
 * Writes a statement that selects ids; `bind` places a value and answers what stands for it in the text. `own` is the id
 * that is asked about, as SQL, where it is that of one record: no others need be selected.
 */
export type IdSource = (bind: (value: string | number) => string, own?: string) => string

/** Part of a right, never of a request: the value of an own field is among the ids a statement selects. */
export interface FilterAmong {
  readonly kind: 'among'
  readonly field: string
  readonly ids: IdSource
}

/** Part of a right, never of a request: the record a single-valued relation names passes a filter, deleted or not. */
export interface FilterRelated {
  readonly kind: 'related'
  readonly field: string
  readonly child: Filter
}

/** A filter. `and` of nothing is true, `or` of nothing is false. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly children: readonly Filter[] }
  | { readonly kind: 'not'; readonly child: Filter }
  | FilterCondition
  | FilterSome
  | FilterSearch
  | FilterAmong
  | FilterRelated

/** The filter every record passes. */
export const matchAll: Filter = Object.freeze({ kind: 'and', children: [] })

/** The filter no record passes. */
export const matchNone: Filter = Object.freeze({ kind: 'or', children: [] })

/** The conjunction of the given filters; null and {@link matchAll} are left out. */
export function allOf(...filters: readonly (Filter | null | undefined)[]): Filter {
  const children = filters.filter((filter): filter is Filter => {
    return filter !== null && filter !== undefined && !(filter.kind === 'and' && filter.children.length === 0)
  })
  return children.length === 1 ? children[0]! : { kind: 'and', children }
}
