// Reads $apply into a grouped list of the data engine (D-90): filter, groupby and aggregate.
import type { AggregateFunction } from '#shared/filter/aggregate.ts'
import type { Filter } from '#shared/filter/filter.ts'
import { allOf } from '#shared/filter/filter.ts'
import type { Aliases } from './filter-parser.ts'
import { readFilter } from './filter-parser.ts'
import { fieldNameOf } from './names.ts'
import type { TokenReader } from './token-reader.ts'
import { createTokenReader } from './token-reader.ts'

/** One value that records of a group share. */
export interface GroupKey {
  /** The dotted path of fields, which is its alias too. */
  readonly field: string
  /** The dotted path by the names of the request: navigation may have either (D-275). */
  readonly name: string
}

/** Records in groups, as a list query takes them. */
export interface ApplyPlan {
  /** On records, before they are grouped. */
  readonly filter: Filter | null
  /** Null when the records are not grouped. */
  readonly groups: {
    readonly by: readonly GroupKey[]
    readonly values: readonly {
      readonly function: AggregateFunction
      readonly field?: string
      readonly alias: string
    }[]
    readonly having: Filter | null
  } | null
}

const methods: Readonly<Record<string, AggregateFunction>> = {
  sum: 'sum',
  avg: 'avg',
  average: 'avg',
  min: 'min',
  max: 'max',
  countdistinct: 'count_distinct',
  count: 'count',
}

const missing: ReadonlySet<string> = new Set([
  'topcount',
  'topsum',
  'toppercent',
  'bottomcount',
  'bottomsum',
  'bottompercent',
  'concat',
  'compute',
  'expand',
  'search',
  'orderby',
  'top',
  'skip',
  'join',
  'outerjoin',
  'nest',
  'addnested',
  'ancestors',
  'descendants',
  'traverse',
])

/** Most transformations of one request: filters behind each other stand inside of each other. */
const maxTransformations = 16

/** Reads the transformations in their order. @throws invalid_query, not_implemented */
export function parseApply(text: string, aliases: Aliases): ApplyPlan {
  const reader = createTokenReader(text, '$apply')
  let filter: Filter | null = null
  let groups = null as ApplyPlan['groups']
  let count = 0
  do {
    if (++count > maxTransformations) throw reader.fail(`there are more than ${maxTransformations} transformations`)
    const written = reader.needName('a transformation')
    const word = written.toLowerCase()
    if (word === 'identity') continue
    if (missing.has(word)) throw reader.refuse(`The transformation "${written}"`)
    if (word !== 'filter' && word !== 'groupby' && word !== 'aggregate')
      throw reader.fail(`there is no transformation "${written.slice(0, 50)}"`)
    reader.needSign('(')
    if (word === 'filter') {
      const condition = readFilter(reader, aliases)
      if (groups === null) filter = allOf(filter, condition)
      else groups = { ...groups, having: allOf(groups.having, condition) }
    } else {
      if (groups !== null) throw reader.refuse('Grouping of groups')
      groups = word === 'groupby' ? readGroups(reader) : { by: [], values: readValues(reader), having: null }
    }
    reader.needSign(')')
  } while (reader.takeSign('/'))
  if (reader.peek().kind !== 'end') throw reader.fail('"/" is expected')
  return { filter, groups }
}

function readGroups(reader: TokenReader): NonNullable<ApplyPlan['groups']> {
  reader.needSign('(')
  const by: GroupKey[] = []
  do {
    const next = reader.peek()
    if (['rollup', '$all'].includes(next.text.toLowerCase())) throw reader.refuse(`"${next.text}"`)
    const path = readPath(reader)
    const field = path.map(fieldNameOf)
    by.push({ field: field.join('.'), name: [...path.slice(0, -1), field.at(-1)!].join('.') })
  } while (reader.takeSign(','))
  reader.needSign(')')
  if (!reader.takeSign(',')) return { by, values: [], having: null }
  if (!reader.takeWord('aggregate')) throw reader.refuse('Anything but aggregate inside of groupby')
  reader.needSign('(')
  const values = readValues(reader)
  reader.needSign(')')
  return { by, values, having: null }
}

function readValues(reader: TokenReader): NonNullable<ApplyPlan['groups']>['values'] {
  const values: { function: AggregateFunction; field?: string; alias: string }[] = []
  do {
    if (reader.peek().text === '$count') {
      reader.next()
      values.push({ function: 'count', alias: readAlias(reader) })
      continue
    }
    const field = readPath(reader).map(fieldNameOf).join('.')
    if (!reader.takeWord('with')) throw reader.refuse('A value without a method')
    const method = reader.needName('a method')
    const found = Object.hasOwn(methods, method.toLowerCase()) ? methods[method.toLowerCase()] : undefined
    if (found === undefined) throw reader.refuse(`The method "${method.slice(0, 50)}"`)
    if (reader.peek().text.toLowerCase() === 'from') throw reader.refuse('"from"')
    values.push({ function: found, field, alias: readAlias(reader) })
  } while (reader.takeSign(','))
  return values
}

function readPath(reader: TokenReader): string[] {
  const path: string[] = []
  do {
    const name = reader.needName('a field')
    if (name.startsWith('$')) throw reader.refuse(`"${name}" in a path`)
    path.push(name)
  } while (reader.takeSign('/'))
  return path
}

function readAlias(reader: TokenReader): string {
  if (!reader.takeWord('as')) throw reader.fail('"as" and a name are expected')
  return reader.needName('a name')
}
