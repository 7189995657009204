// How much dearer than a plain comparison a filter is to a row. Pure; a hint for the cost model.
import { declaredTypeOf } from '#shared/field-types/registry.ts'
import type { FieldTest, ResolvedFilter } from '#shared/filter/resolved-filter.ts'

/** What a filter asks of each row it is shown. */
export interface FilterWeight {
  /** A condition crosses a relation: other tables are read. */
  readonly relational: boolean
  /** Texts are searched, or values inside of lists and JSON: ten to a hundred times a comparison. */
  readonly matching: boolean
  /** What is matched may be a page or a book: texts of several lines, JSON. */
  readonly bulky: boolean
}

/** The weight of plain comparisons. */
export const lightWeight: FilterWeight = { relational: false, matching: false, bulky: false }

/** Weighs a resolved filter. */
export function weighFilter(filter: ResolvedFilter): FilterWeight {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.map(weighFilter).reduce(heavier, lightWeight)
    case 'not':
      return weighFilter(filter.child)
    case 'search':
    case 'among':
      return lightWeight
    case 'related':
      return { ...weighFilter(filter.child), relational: true }
    case 'some': {
      const { relational } = weighFilter(filter.child)
      return { relational: relational || filter.hops.length > 0, matching: true, bulky: false }
    }
    case 'condition': {
      const { hops, field, inner, test, functions } = filter
      const reachesInside = inner.length > 0 || functions !== undefined || (field.multiple && test.test !== 'present')
      const matching = reachesInside || isMatching(test)
      return { relational: hops.length > 0, matching, bulky: matching && declaredTypeOf(field).long === true }
    }
  }
}

/** The weight of two filters together. */
export function heavier(one: FilterWeight, other: FilterWeight): FilterWeight {
  return {
    relational: one.relational || other.relational,
    matching: one.matching || other.matching,
    bulky: one.bulky || other.bulky,
  }
}

function isMatching(test: FieldTest): boolean {
  switch (test.test) {
    case 'contains':
    case 'startsWith':
    case 'endsWith':
    case 'like':
      return true
    case 'any':
    case 'every':
      return test.tests.some(isMatching)
    default:
      return false
  }
}
