// Writes a filter tree in its canonical form; parsing that form gives the same tree again.
import type { Filter } from './filter.ts'
import { patternOperator } from './filter-reader.ts'

/**
 * The canonical form: the object form (D-79) in which every condition names its operator and every conjunction is an
 * `$and`; a pattern is a condition of the array form (D-80), the only one that has it. Functions and conditions on elements
 * have no form that is read again: theirs only tells filters apart.
 */
export function printFilter(filter: Filter): Record<string, unknown> | readonly unknown[] {
  switch (filter.kind) {
    case 'and':
      return { $and: filter.children.map(printFilter) }
    case 'or':
      return { $or: filter.children.map(printFilter) }
    case 'not':
      return { $not: printFilter(filter.child) }
    case 'search':
      if (filter.fields.length === 0) return { $search: filter.query }
      return { [filter.fields[0]!]: { $search: filter.query } }
    case 'some':
      return { $some: { [filter.path.join('.')]: printFilter(filter.child) } }
    case 'condition':
      if (filter.functions !== undefined) {
        const { functions, ...plain } = filter
        return { $of: [functions, printFilter(plain)] }
      }
      if (filter.operator === patternOperator) return [filter.path.join('.'), 'like', filter.operand]
      return { [filter.path.join('.')]: { [filter.operator]: filter.operand } }
    case 'among':
    case 'related':
      throw new Error('Conditions of rights have no written form.')
  }
}
