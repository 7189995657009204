// The members of a cube: what a measure or dimension of a query means on an object (D-117, D-123). Pure.
import { clockPeriods, periods } from '#shared/calendar/periods.ts'
import { PlatformError, invalidQuery } from '#shared/errors.ts'
import { ExpressionError, compileExpression } from '#shared/expression/compile-expression.ts'
import type { ExpressionNode } from '#shared/expression/expression-node.ts'
import type { FieldSchema } from '#shared/field-types/field-schema.ts'
import { fieldTypeOf } from '#shared/field-types/registry.ts'
import { aggregateFunctions } from '#shared/filter/aggregate.ts'
import type { AggregateFunction } from '#shared/filter/aggregate.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import { resolvePath } from '#shared/filter/resolve-path.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { titleCase } from '#shared/object-schema.ts'

/** Lengths of the buckets a time dimension may be cut into (D-116). */
export const granularities = [...clockPeriods, ...periods].toSorted(
  (a, b) => granularityRank(a) - granularityRank(b),
) as readonly string[]

/** A value over each group. */
export interface Measure {
  readonly kind: 'measure'
  readonly function: AggregateFunction
  /** Dotted path of the field; null counts records. */
  readonly path: string | null
  /** Worked out per record in place of a field. */
  readonly expression?: ExpressionNode
  /** A filter of section 7 that the counted records must match. */
  readonly filter: unknown
  readonly title: string
  readonly type: string
}

/** A value records are grouped by; time dimensions may be cut into buckets. */
export interface Dimension {
  readonly kind: 'dimension'
  readonly path: string
  /** Worked out per record in place of a field; the path is then the member's name. */
  readonly expression?: ExpressionNode
  readonly field: FieldSchema
  /** Null for the value itself. */
  readonly granularity: string | null
  readonly title: string
  readonly type: 'string' | 'number' | 'boolean' | 'geo' | 'time'
}

/** A cube as members are looked up in it. */
export interface MemberScope {
  readonly schema: ObjectSchema
  readonly env: QueryEnv
}

type Definitions = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The measure a name means. @throws invalid_query */
export function resolveMeasure(scope: MemberScope, name: string, parameter: string): Measure {
  const found = firstOf(spellings(scope, name), (short) => findMeasure(scope, short))
  if (found === undefined) throw unknownMember(parameter, name)
  return found
}

/** The dimension a name means, with the bucket when the name ends with one. @throws invalid_query */
export function resolveDimension(scope: MemberScope, name: string, parameter: string): Dimension {
  const found = findDimension(scope, name)
  if (found === undefined) throw unknownMember(parameter, name)
  return found
}

/** The member a filter means: a dimension where the name is one, else a measure. @throws invalid_query */
export function resolveMember(scope: MemberScope, name: string, parameter: string): Measure | Dimension {
  return findDimension(scope, name) ?? resolveMeasure(scope, name, parameter)
}

/** The type word of a field as a dimension. */
export function dimensionType(field: FieldSchema): Dimension['type'] {
  if (isTime(field)) return 'time'
  const type = fieldTypeOf(field)
  if (type.storage === 'boolean') return 'boolean'
  if (type.dimension !== undefined) return type.dimension
  return field.sqlType === 'TEXT' ? 'string' : 'number'
}

/** Whether the field can be cut into buckets of time. */
export function isTime(field: FieldSchema): boolean {
  // A date that is computed on reading is grouped by nowhere.
  const { flags, calendar } = fieldTypeOf(field)
  if (!flags.groupable) return false
  return calendar === 'date' || calendar === 'datetime' || ['created_at', 'updated_at'].includes(field.name)
}

/** What an object adds to its cube (D-123), but for what stands on fields the caller may not read (D-25). */
export function definitionsOf(
  schema: ObjectSchema,
  kind: 'measures' | 'dimensions',
  canRead: (field: FieldSchema) => boolean,
): Definitions {
  const analytics = schema.definition.analytics as Readonly<Record<string, unknown>> | null | undefined
  const own = analytics?.[kind]
  if (typeof own !== 'object' || own === null) return {}
  const hidden = schema.visibleFields.filter((field) => !canRead(field)).map(({ name }) => name)
  if (hidden.length === 0) return own as Definitions
  const mention = new RegExp(`(?<![A-Za-z0-9_])(?:${hidden.join('|')})(?![A-Za-z0-9_])`)
  const entries = Object.entries(own as Definitions)
  return Object.fromEntries(entries.filter(([, { title: _title, ...rest }]) => !mention.test(JSON.stringify(rest))))
}

/** Whether the caller of a query may read a field of its cube. */
function reads({ schema, env }: MemberScope): (field: FieldSchema) => boolean {
  return (field) => field.system || env.canRead?.(schema.name, field.name) !== false
}

function findMeasure(scope: MemberScope, name: string): Measure | undefined {
  const defined = definitionsOf(scope.schema, 'measures', reads(scope))
  if (Object.hasOwn(defined, name)) return definedMeasure(name, defined[name]!)
  const all = (path: string | null, fn: AggregateFunction, label: string): Measure => ({
    kind: 'measure',
    function: fn,
    path,
    filter: null,
    title: `${scope.schema.label} ${label}`,
    type: 'number',
  })
  const field = findField(scope, name)
  // Records are counted, whatever a field is called: `count.sum` adds up a field of that name.
  if (name === 'count' || (name === 'count_all' && field === undefined)) return all(null, 'count', 'Count')
  // The longest function first: `count_distinct` ends with no other one, but a field may be named like one.
  for (const fn of aggregateFunctions.toSorted((a, b) => b.length - a.length)) {
    for (const separator of ['.', '_']) {
      const ending = `${separator}${fn}`
      if (!name.endsWith(ending) || name.length === ending.length) continue
      const path = name.slice(0, -ending.length)
      const target = findField(scope, path)
      if (target === undefined) continue
      const type = fn === 'min' || fn === 'max' ? measureType(target) : 'number'
      return { ...all(path, fn, `${target.label} ${functionTitles[fn]}`), type }
    }
  }
  if (field === undefined || fieldTypeOf(field).flags.aggregatable !== 'all') return undefined
  return all(name, 'sum', `${field.label} ${functionTitles.sum}`)
}

/** How a function is named in titles. */
export const functionTitles: Readonly<Record<AggregateFunction, string>> = {
  count: 'Count',
  sum: 'Sum',
  avg: 'Average',
  min: 'Minimum',
  max: 'Maximum',
  count_distinct: 'Distinct',
}

/** The type word of a smallest or largest value. */
export function measureType(field: FieldSchema): string {
  const type = dimensionType(field)
  return type === 'time' || type === 'number' ? type : 'string'
}

function definedMeasure(name: string, definition: Readonly<Record<string, unknown>>): Measure {
  const { type, field, title } = definition
  const fn = aggregateFunctions.find((word) => word === type) ?? (field === undefined ? 'count' : 'sum')
  return {
    kind: 'measure',
    function: fn,
    path: typeof field === 'string' ? field : null,
    ...computedBy(name, definition),
    filter: definition['filter'] ?? null,
    title: typeof title === 'string' ? title : titleCase(name),
    type: 'number',
  }
}

function findDimension(scope: MemberScope, name: string): Dimension | undefined {
  return firstOf(spellings(scope, name), (short) => {
    const plain = dimensionAt(scope, short)
    if (plain !== undefined) return plain
    const dot = short.lastIndexOf('.')
    const granularity = short.slice(dot + 1)
    if (dot < 1 || !granularities.includes(granularity)) return undefined
    const time = dimensionAt(scope, short.slice(0, dot))
    return time?.type === 'time' ? { ...time, granularity } : undefined
  })
}

function dimensionAt(scope: MemberScope, name: string): Dimension | undefined {
  const defined = definitionsOf(scope.schema, 'dimensions', reads(scope))
  const own = Object.hasOwn(defined, name) ? defined[name]! : undefined
  if (own?.['expression'] !== undefined) return computedDimension(scope, name, own)
  const path = own !== undefined && typeof own['field'] === 'string' ? own['field'] : name
  const field = findField(scope, path)
  if (field === undefined) return undefined
  const title = own?.['title']
  return {
    kind: 'dimension',
    path,
    field,
    granularity: null,
    title: typeof title === 'string' ? title : `${scope.schema.label} ${field.label}`,
    type: dimensionType(field),
  }
}

/** A dimension that an expression gives; it stands on the id until the query names its own column. */
function computedDimension({ schema }: MemberScope, name: string, own: Readonly<Record<string, unknown>>): Dimension {
  const { title, type } = own
  return {
    kind: 'dimension',
    path: name,
    ...computedBy(name, own),
    field: schema.byName.get('id')!,
    granularity: null,
    title: typeof title === 'string' ? title : titleCase(name),
    type: type === 'number' || type === 'boolean' ? type : 'string',
  }
}

/** @throws invalid_query for an expression that cannot be read */
function computedBy(name: string, definition: Readonly<Record<string, unknown>>): { expression?: ExpressionNode } {
  if (definition['expression'] === undefined) return {}
  try {
    return { expression: compileExpression(definition['expression']).node }
  } catch (error) {
    if (error instanceof ExpressionError) throw invalidQuery('cube', error.message, { path: name })
    throw error
  }
}

/** The field a path leads to, as far as the caller may read. */
export function findField({ schema, env }: MemberScope, name: string): FieldSchema | undefined {
  if (name === '' || name.split('.').includes('')) return undefined
  try {
    const { field, inner } = resolvePath(schema, name.split('.'), env, { parameter: 'member', path: name })
    return inner.length === 0 ? field : undefined
  } catch (error) {
    // An unknown or unreadable field is no member; everything else is a defect.
    if (error instanceof PlatformError) return undefined
    throw error
  }
}

/** A name as it stands, and without the cube's name in front. */
export function spellings({ schema }: Pick<MemberScope, 'schema'>, name: string): string[] {
  const prefix = `${schema.name}.`
  return name.startsWith(prefix) ? [name.slice(prefix.length), name] : [name]
}

function firstOf<T>(names: readonly string[], find: (name: string) => T | undefined): T | undefined {
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) return found
  }
  return undefined
}

function unknownMember(parameter: string, name: string): Error {
  return invalidQuery(parameter, `The cube has no member "${name.slice(0, 200)}".`, { path: name.slice(0, 200) })
}

function granularityRank(word: string): number {
  return ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'].indexOf(word)
}
