// Owns which filter operators each class of field offers and which operand each needs.
// Knows the operator names of the filter language (D-79, D-85, D-94); builds no filters and shows nothing.

import type { FieldMessageKey } from './field-messages.ts'

/** What the value editor of a condition has to ask for. */
export type OperandKind = 'none' | 'value' | 'list' | 'range' | 'period' | 'text'

/** One choice in the operator menu of the filter builder. */
export interface FilterOperator {
  /** Unique within a field; the menu's value. */
  id: string
  /** Operator of the filter language. */
  operator: string
  label: FieldMessageKey
  operand: OperandKind
  /** Fixed operand of operators that ask for none, for example `$null: true`. */
  fixed?: unknown
}

const op = (operator: string, operand: OperandKind, label?: FieldMessageKey): FilterOperator => ({
  id: operator,
  operator,
  operand,
  label: label ?? (`operator.${operator}` as FieldMessageKey),
})

const empty: readonly FilterOperator[] = [
  { id: 'empty', operator: '$null', operand: 'none', fixed: true, label: 'operator.empty' },
  { id: 'notEmpty', operator: '$null', operand: 'none', fixed: false, label: 'operator.notEmpty' },
]

const equality = [op('$eq', 'value'), op('$ne', 'value'), op('$in', 'list'), op('$nin', 'list')]
const order = [
  op('$gt', 'value'),
  op('$gte', 'value'),
  op('$lt', 'value'),
  op('$lte', 'value'),
  op('$between', 'range'),
]
const substring = [
  op('$contains', 'text'),
  op('$notContains', 'text'),
  op('$startsWith', 'text'),
  op('$endsWith', 'text'),
]

/** Operators by class of field. @source D-94 */
export const operatorClasses = {
  equality: [...equality, ...empty],
  /** As D-94, without `$between` and the rest of order: rarely meant for words, still valid in the API. */
  text: [...substring, ...equality, ...empty],
  longText: [...substring, op('$eq', 'value'), op('$ne', 'value'), ...empty],
  order: [...equality.slice(0, 2), ...order, ...equality.slice(2), ...empty],
  date: [
    op('$during', 'period'),
    op('$eq', 'value', 'operator.date.$eq'),
    op('$ne', 'value', 'operator.date.$ne'),
    op('$lt', 'value', 'operator.date.$lt'),
    op('$lte', 'value', 'operator.date.$lte'),
    op('$gt', 'value', 'operator.date.$gt'),
    op('$gte', 'value', 'operator.date.$gte'),
    op('$between', 'range'),
    ...empty,
  ],
  boolean: [op('$eq', 'value'), ...empty],
  multiple: [
    op('$any', 'list'),
    op('$all', 'list'),
    op('$contains', 'value', 'operator.$has'),
    op('$notContains', 'value', 'operator.$hasNot'),
    ...empty,
  ],
  none: [...empty],
} as const satisfies Record<string, readonly FilterOperator[]>

/** Periods `$during` knows by name; `last_N_days` and `next_N_days` take a number. @source D-85 */
export const periods = [
  'today',
  'yesterday',
  'tomorrow',
  'this_week',
  'last_week',
  'next_week',
  'this_month',
  'last_month',
  'next_month',
  'this_quarter',
  'last_quarter',
  'next_quarter',
  'this_year',
  'last_year',
  'next_year',
  'last_N_days',
  'next_N_days',
] as const
