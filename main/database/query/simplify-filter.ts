// Takes what is always true or false out of a resolved filter. SQLite folds such terms while it plans and then may not
// use the index a statement names.
import type { FieldTest, ResolvedFilter } from '#shared/filter/resolved-filter.ts'

/** The filter every row passes. */
const always: ResolvedFilter = { kind: 'and', children: [] }
/** The filter no row passes. */
const never: ResolvedFilter = { kind: 'or', children: [] }

/** Whether no row can pass a simplified filter. */
export function isNever(filter: ResolvedFilter): boolean {
  return filter.kind === 'or' && filter.children.length === 0
}

/** Whether every row passes a simplified filter. */
export function isAlways(filter: ResolvedFilter): boolean {
  return filter.kind === 'and' && filter.children.length === 0
}

/** An equal filter without constants inside, and without conjunctions directly inside of conjunctions. */
export function simplifyFilter(filter: ResolvedFilter): ResolvedFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return simplifyList(filter.kind, filter.children)
    case 'not': {
      const child = simplifyFilter(filter.child)
      if (isAlways(child)) return never
      return isNever(child) ? always : { kind: 'not', child }
    }
    case 'condition':
      return canPass(filter.test) ? filter : never
    case 'search':
    case 'among':
      return filter
    case 'some':
    case 'related': {
      const child = simplifyFilter(filter.child)
      return isNever(child) ? never : { ...filter, child }
    }
  }
}

function simplifyList(kind: 'and' | 'or', given: readonly ResolvedFilter[]): ResolvedFilter {
  const children: ResolvedFilter[] = []
  for (const item of given) {
    const child = simplifyFilter(item)
    const decides = kind === 'and' ? isNever(child) : isAlways(child)
    if (decides) return child
    // A child of the same kind has its own children taken over; an empty one is neutral.
    if (child.kind === kind) children.push(...child.children)
    else children.push(child)
  }
  return children.length === 1 ? children[0]! : { kind, children }
}

function canPass(test: FieldTest): boolean {
  switch (test.test) {
    case 'in':
      return test.values.length > 0
    case 'any':
      return test.tests.some(canPass)
    case 'every':
      return test.tests.every(canPass)
    default:
      return true
  }
}
