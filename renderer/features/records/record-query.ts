// Owns what a view of records shows (filter, order, search) as it stands in the address and as the API is asked.
// Pure; the meaning of operators is the field registry's.
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition, FilterOperator } from '../../fields/index.ts'
import { listToText, parseList } from '../../fields/list-text.ts'
import { locale } from '../../lib/language.ts'
import { readTerms, readTotals, termWord } from './group-terms.ts'
import type { GroupTerm, TotalTerm } from './group-terms.ts'

/** One condition; `texts` are the operands as typed. */
export interface RecordFilter {
  field: string
  /** Word of an operator of the field, see {@link operatorWord}. */
  operator: string
  texts: readonly string[]
}

/** Several conditions: all of them must hold, or any one of them. */
export interface FilterGroup {
  any: boolean
  conditions: readonly FilterNode[]
}

/** A part of a filter that has no words in the editor, in the object form of D-79. */
export interface WrittenFilter {
  written: Readonly<Record<string, unknown>>
}

/** What a group holds: conditions, groups inside of it, and what only scripts and packages can say. */
export type FilterNode = RecordFilter | FilterGroup | WrittenFilter

/** How deep groups lie in each other, the outermost counted. */
export const maxGroupDepth = 3

/** Whether a node is a group. */
export function isFilterGroup(node: FilterNode): node is FilterGroup {
  return 'conditions' in node
}

/** Whether a node has no words in the editor. */
export function isWritten(node: FilterNode): node is WrittenFilter {
  return 'written' in node
}

/** All conditions of a filter, those of inner groups too, in the order they are read in. */
export function conditionsOf(filter: FilterGroup | undefined): (RecordFilter | WrittenFilter)[] {
  return (filter?.conditions ?? []).flatMap((node) => (isFilterGroup(node) ? conditionsOf(node) : [node]))
}

/** Heights of rows in pixels, as a view keeps them. */
export const rowHeights = [28, 36, 56] as const

/** A height of {@link rowHeights}. */
export type RowHeight = (typeof rowHeights)[number]

/** One term of the order. */
export interface SortTerm {
  field: string
  order: 'asc' | 'desc'
}

/** What is shown. */
export interface RecordQuery {
  filter: FilterGroup | undefined
  sort: readonly SortTerm[]
  search: string
  /** Id of the stored view this began with; empty for all records. */
  view: string
  /** Levels of headings between the rows, the outermost first; absent for none. */
  group?: readonly GroupTerm[] | undefined
  /** What is worked out of columns; absent for nothing. */
  totals?: readonly TotalTerm[] | undefined
  /** Options of the kind of view that differ from the stored ones; absent where nothing was changed. */
  options?: ViewOptions | undefined
  /** Day a calendar stands at, `YYYY-MM-DD`; absent for today. */
  day?: string | undefined
  /** Number of columns at the start that do not scroll sideways; absent: the first one. */
  frozen?: number | undefined
  /** Height of the rows; absent: the low one, the middle one under a finger. */
  rowHeight?: RowHeight | undefined
  /** Whose marks and order of days the operands have, where that is somebody else's locale: see {@link inOwnWords}. */
  typedIn?: string | undefined
}

/** What a kind of view is told beside the query, for example which field makes the columns of a kanban. */
export type ViewOptions = Readonly<Record<string, string>>

/**
 * Reads the search part of an address, for example `f=latitude.gte.60&s=-name&q=bay&g=state`; what cannot be read is left out.
 * One condition stands readable in `f`, several as JSON in `w`.
 */
export function readQuery(search: string): RecordQuery {
  const params = new URLSearchParams(search)
  const group = readTerms(params.get('g'))
  const totals = readTotals(params.get('t'))
  const options = params.get('o')
  const day = /^\d{4}-\d\d-\d\d$/.exec(params.get('d') ?? '')?.[0]
  const frozen = readFrozen(params.get('z'))
  const rowHeight = readRowHeight(Number(params.get('h')))
  const typedIn = readLocale(params.get('l'))
  return {
    filter: readGroup(params.get('w')) ?? readSingle(params),
    sort: (params.get('s') ?? '')
      .split(',')
      .filter((term) => term !== '' && term !== '-')
      .map((term) =>
        term.startsWith('-')
          ? { field: term.slice(1), order: 'desc' as const }
          : { field: term, order: 'asc' as const },
      ),
    search: params.get('q') ?? '',
    view: params.get('v') ?? '',
    ...(group === undefined ? {} : { group }),
    ...(totals === undefined ? {} : { totals }),
    ...(options === null ? {} : { options: readOptions(options) }),
    ...(day === undefined ? {} : { day }),
    ...(frozen === undefined ? {} : { frozen }),
    ...(rowHeight === undefined ? {} : { rowHeight }),
    ...(typedIn === undefined || typedIn === locale ? {} : { typedIn }),
  }
}

function readLocale(text: string | null): string | undefined {
  try {
    return text === null ? undefined : Intl.getCanonicalLocales(text)[0]
  } catch {
    return undefined // damaged: read as one's own
  }
}

/** Options as the address has them, for example `groupByField.genre,sumField.pages`; what cannot be read is left out. */
function readOptions(text: string): ViewOptions {
  return Object.fromEntries(
    text.split(',').flatMap((word) => {
      const at = word.indexOf('.')
      return at > 0 && at < word.length - 1 ? [[word.slice(0, at), word.slice(at + 1)]] : []
    }),
  )
}

function readFrozen(text: string | null): number | undefined {
  return text !== null && /^\d{1,2}$/.test(text) ? Number(text) : undefined
}

/** The height a number stands for; undefined when it is none. */
export function readRowHeight(value: unknown): RowHeight | undefined {
  return rowHeights.find((height) => height === value)
}

/**
 * Conditions as a view or an address keeps them: the joining word, then conditions and groups. A group's second element is
 * a list or an object, a condition's the word of its operator; an object is a part that has no words. Undefined when
 * nothing of it can be read.
 */
export function readConditions(value: unknown, depth = 1): FilterGroup | undefined {
  if (!Array.isArray(value) || depth > maxGroupDepth) return undefined
  const [word, ...rest] = value as unknown[]
  const conditions = rest.flatMap((entry): FilterNode[] => {
    if (isMap(entry)) return [{ written: entry }]
    if (!Array.isArray(entry)) return []
    const [field, operator, ...texts] = entry as unknown[]
    if (typeof operator === 'object') {
      const group = readConditions(entry, depth + 1)
      return group ? [group] : []
    }
    if (typeof field !== 'string' || typeof operator !== 'string') return []
    return [{ field, operator, texts: texts.filter((text) => typeof text === 'string') }]
  })
  return conditions.length === 0 ? undefined : { any: word === 'any', conditions }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Conditions in the form that {@link readConditions} reads. */
export function writeConditions({ any, conditions }: FilterGroup): unknown[] {
  return [
    any ? 'any' : 'all',
    ...conditions.map((node) => {
      if (isWritten(node)) return node.written
      return isFilterGroup(node) ? writeConditions(node) : [node.field, node.operator, ...node.texts]
    }),
  ]
}

function readGroup(text: string | null): FilterGroup | undefined {
  if (text === null) return undefined
  try {
    return readConditions(JSON.parse(text))
  } catch {
    return undefined // damaged: the view shows everything
  }
}

function readSingle(params: URLSearchParams): FilterGroup | undefined {
  const condition = /^([a-z][a-z0-9_]*)\.([a-zA-Z]+)(?:\.([\s\S]*))?$/.exec(params.get('f') ?? '')
  if (!condition) return undefined
  const [, field = '', operator = '', first] = condition
  const second = params.get('f2')
  const texts = first === undefined ? [] : second === null ? [first] : [first, second]
  return { any: false, conditions: [{ field, operator, texts }] }
}

/** Writes the search part of an address, empty for the default view. */
export function writeQuery(query: RecordQuery): string {
  const { filter, sort, search, view, group, totals, options, day, frozen, rowHeight } = query
  const params = new URLSearchParams()
  if (view !== '') params.set('v', view)
  const [only] = filter?.conditions ?? []
  if (filter && only && 'field' in only && filter.conditions.length === 1) {
    const [first, second] = only.texts
    params.set('f', [only.field, only.operator, ...(first === undefined ? [] : [first])].join('.'))
    if (second !== undefined) params.set('f2', second)
  } else if (filter && only) {
    params.set('w', JSON.stringify(writeConditions(filter)))
  }
  if (sort.length > 0) params.set('s', sortText(sort))
  if (search !== '') params.set('q', search)
  if (group !== undefined && group.length > 0) params.set('g', group.map(termWord).join(','))
  if (totals !== undefined && totals.length > 0) {
    params.set('t', totals.map(({ field, fn }) => `${field}.${fn}`).join(','))
  }
  if (options !== undefined) {
    const words = Object.entries(options).filter(([, value]) => value !== '')
    params.set('o', words.map(([key, value]) => `${key}.${value}`).join(','))
  }
  if (day !== undefined) params.set('d', day)
  if (frozen !== undefined) params.set('z', String(frozen))
  if (rowHeight !== undefined) params.set('h', String(rowHeight))
  const typed = conditionsOf(filter).flatMap((node) => (isWritten(node) ? [] : node.texts))
  if (typed.some((text) => ofLocale.test(text))) params.set('l', query.typedIn ?? locale)
  return params.toString()
}

/** Digits that say something else, or nothing, to another locale: marks that are no machine's, or three digits after a point. */
const ofLocale = /[^\P{Nd}0-9]|\d[^\d\p{L}:.-]+\d|\.\d{3}(?!\d)|\d\.\d+\./u

/** A query with its operands as whoever reads it types them, in whatever locale they were typed. */
export function inOwnWords(query: RecordQuery, fields: readonly FieldDefinition[], context: FieldContext): RecordQuery {
  const { typedIn, ...rest } = query
  if (typedIn === undefined) return query
  return { ...rest, filter: rest.filter && retyped(rest.filter, typedIn, fields, context) }
}

function retyped(
  group: FilterGroup,
  typedIn: string,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): FilterGroup {
  const conditions = group.conditions.map((node): FilterNode => {
    if (isWritten(node)) return node
    if (isFilterGroup(node)) return retyped(node, typedIn, fields, context)
    const known = operatorOf(node, fields)
    const operand = known?.operator.operand
    if (!known || (operand !== 'value' && operand !== 'list' && operand !== 'range')) return node
    const single: FieldDefinition = { ...known.field, required: false, multiple: false }
    const type = fieldTypeOf(single)
    const own = (text: string): string => {
      const result = type.parse(text, single, { ...context, locale: typedIn })
      // What is no value there is none here either, and stays to be mended.
      return result.ok && result.value !== null ? type.toText(result.value, single, context) : text
    }
    const texts =
      operand === 'list' ? node.texts.map((text) => listToText(parseList(text).map(own))) : node.texts.map(own)
    return { ...node, texts }
  })
  return { ...group, conditions }
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

/** The conditions with one more; it replaces the one on the same field where all of them must hold. */
export function narrowed(filter: FilterGroup | undefined, added: RecordFilter): FilterGroup {
  const kept = filter === undefined || filter.any ? [] : filter.conditions
  return {
    any: false,
    conditions: [...kept.filter((node) => !('field' in node) || node.field !== added.field), added],
  }
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

/**
 * The filter of several conditions; those whose field or operands are no longer usable are left out.
 * Undefined when nothing is left. @source D-79
 */
export function buildGroup(
  { any, conditions }: FilterGroup,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): Record<string, unknown> | undefined {
  const filters = conditions.flatMap((node): Readonly<Record<string, unknown>>[] => {
    if (isWritten(node)) return [node.written]
    if (isFilterGroup(node)) {
      const group = buildGroup(node, fields, context)
      return group === undefined ? [] : [group]
    }
    const known = operatorOf(node, fields)
    const built = known && buildFilter(known.field, known.operator, node.texts, context, '')
    return built?.ok === true ? [built.filter] : []
  })
  if (filters.length <= 1) return filters[0]
  return { [any ? '$or' : '$and']: filters }
}

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
