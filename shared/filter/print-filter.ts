// Writes a filter tree in the canonical object form; parsing that form gives the same tree again.
import type { Filter } from './filter.ts'

/** The canonical object form (D-79): every condition names its operator, every conjunction is an `$and`. */
export function printFilter(filter: Filter): Record<string, unknown> {
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
    case 'condition':
      return { [filter.path.join('.')]: { [filter.operator]: filter.operand } }
  }
}
