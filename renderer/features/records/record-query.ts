// Owns what a view of records shows (filter, order, search) as it stands in the address and as the API is asked.
// Pure; the meaning of operators is the field registry's.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition, FilterOperator } from '../../fields/index.ts'
import { parseList } from '../../fields/list-text.ts'

/** One condition; `texts` are the operands as typed. */
export interface RecordFilter {
  field: string
  /** Word of an operator of the field, see {@link operatorWord}. */
  operator: string
  texts: readonly string[]
}

/** One term of the order. */
export interface SortTerm {
  field: string
  order: 'asc' | 'desc'
}

/** What is shown. */
export interface RecordQuery {
  filter: RecordFilter | undefined
  sort: readonly SortTerm[]
  search: string
}

/** Reads the search part of an address, for example `f=latitude.gte.60&s=-name&q=bay`; what cannot be read is left out. */
export function readQuery(search: string): RecordQuery {
  const params = new URLSearchParams(search)
  const condition = /^([a-z][a-z0-9_]*)\.([a-zA-Z]+)(?:\.([\s\S]*))?$/.exec(params.get('f') ?? '')
  const [, field = '', operator = '', first] = condition ?? []
  const second = params.get('f2')
  return {
    filter: condition
      ? { field, operator, texts: first === undefined ? [] : second === null ? [first] : [first, second] }
      : undefined,
    sort: (params.get('s') ?? '')
      .split(',')
      .filter((term) => term !== '' && term !== '-')
      .map((term) =>
        term.startsWith('-')
          ? { field: term.slice(1), order: 'desc' as const }
          : { field: term, order: 'asc' as const },
      ),
    search: params.get('q') ?? '',
  }
}

/** Writes the search part of an address, empty for the default view. */
export function writeQuery({ filter, sort, search }: RecordQuery): string {
  const params = new URLSearchParams()
  if (filter) {
    const [first, second] = filter.texts
    params.set('f', [filter.field, filter.operator, ...(first === undefined ? [] : [first])].join('.'))
    if (second !== undefined) params.set('f2', second)
  }
  if (sort.length > 0) params.set('s', sortText(sort))
  if (search !== '') params.set('q', search)
  return params.toString()
}

/** The word of an operator in an address: its id without the sign that every one of them begins with. */
export function operatorWord(operator: FilterOperator): string {
  return operator.id.replace(/^\$/, '')
}

/** The order as the API writes it. @source D-78 */
export function sortText(sort: readonly SortTerm[]): string {
  return sort.map((term) => (term.order === 'desc' ? `-${term.field}` : term.field)).join(',')
}

/** The order after a click on a header: `additive` keeps the other terms, null takes the field out. */
export function changeSort(
  sort: readonly SortTerm[],
  field: string,
  order: 'asc' | 'desc' | null,
  additive: boolean,
): SortTerm[] {
  const others = additive ? sort.filter((term) => term.field !== field) : []
  return order === null ? others : [...others, { field, order }]
}

/** The operator of a condition, or undefined when the field or the operator does not exist (any more). */
export function operatorOf(
  filter: RecordFilter,
  fields: readonly FieldDefinition[],
): { field: FieldDefinition; operator: FilterOperator } | undefined {
  const field = fields.find((candidate) => candidate.name === filter.field)
  const operator =
    field &&
    fieldTypeOf(field)
      .operators(field)
      .find((candidate) => operatorWord(candidate) === filter.operator)
  return field && operator ? { field, operator } : undefined
}

/** A condition as the API takes it, or why the typed operands cannot be used. */
export type FilterResult = { ok: true; filter: Record<string, unknown> } | { ok: false; message: string }

/** Builds the filter of one condition. @source D-79 */
export function buildFilter(
  field: FieldDefinition,
  operator: FilterOperator,
  texts: readonly string[],
  context: FieldContext,
  needValue: string,
): FilterResult {
  const wrap = (operand: unknown): FilterResult => ({
    ok: true,
    filter: { [field.name]: { [operator.operator]: operand } },
  })
  if (operator.operand === 'none') return wrap(operator.fixed ?? true)
  const [first = '', second = ''] = texts
  if (first.trim() === '') return { ok: false, message: needValue }
  if (operator.operand === 'text' || operator.operand === 'period') return wrap(first)
  // An operand is one value also where the field holds a list.
  const single: FieldDefinition = { ...field, required: false, multiple: false }
  const type = fieldTypeOf(field)
  const values: unknown[] = []
  const operands =
    operator.operand === 'list' ? parseList(first) : operator.operand === 'range' ? [first, second] : [first]
  for (const text of operands) {
    if (text.trim() === '') return { ok: false, message: needValue }
    const result = type.parse(text, single, context)
    if (!result.ok) return result
    values.push(Array.isArray(result.value) ? result.value[0] : result.value)
  }
  return wrap(operator.operand === 'value' ? values[0] : values)
}
