// The operator classes of D-94: which operators of D-79 a field type allows.

/** Every operator a condition can hold after parsing. `$exists` becomes `$null`; `$like` is the pattern form of D-80. */
export const filterOperators = [
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$between',
  '$contains',
  '$notContains',
  '$startsWith',
  '$endsWith',
  '$like',
  '$any',
  '$all',
  '$null',
  '$during',
] as const

/** An operator of {@link filterOperators}. */
export type FilterOperator = (typeof filterOperators)[number]

const equality = ['$eq', '$ne', '$in', '$nin', '$null'] as const
const order = [...equality, '$gt', '$gte', '$lt', '$lte', '$between'] as const
const matching = ['$contains', '$notContains', '$startsWith', '$endsWith', '$like'] as const

/**
 * Operators by class: E equality, O order, T text, P text without order, M multi-value, N null only, D date, X none.
 * @source D-94
 */
export const operatorClasses = {
  E: new Set<FilterOperator>(equality),
  O: new Set<FilterOperator>(order),
  T: new Set<FilterOperator>([...order, ...matching]),
  P: new Set<FilterOperator>([...equality, ...matching]),
  M: new Set<FilterOperator>(['$contains', '$notContains', '$in', '$any', '$all', '$null']),
  N: new Set<FilterOperator>(['$null']),
  D: new Set<FilterOperator>([...order, '$during']),
  X: new Set<FilterOperator>(),
} as const

/** The letter of an operator class. */
export type OperatorClass = keyof typeof operatorClasses
