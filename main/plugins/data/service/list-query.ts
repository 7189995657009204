// Sorts the parameters of a list request into protocol words and field conditions (D-72 to D-74).
import { invalidQuery } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { RecordQuery } from '../api.ts'

type Parameters = Readonly<Record<string, string | readonly string[]>>

/** A member of the query that one parameter fills. */
type Word = Exclude<keyof RecordQuery, 'conditions' | 'analytics' | 'parsed'>

/** Parameter to member of the query; aliases are listed after their canonical name, which wins (D-72). */
const words: readonly (readonly [member: Word, ...names: string[]])[] = [
  ['filter', 'filter', 'filters'],
  ['select', 'select', 'fields'],
  ['sort', 'sort', 'orderBy'],
  ['top', 'top', 'limit'],
  ['skip', 'skip', 'offset'],
  ['cursor', 'cursor'],
  ['expand', 'expand'],
  ['search', 'search'],
  ['searchFields', 'searchFields'],
  ['distinct', 'distinct'],
  ['count', 'count'],
  ['aggregations', 'aggregations'],
  ['groupBy', 'groupBy'],
  ['having', 'having'],
  ['deleted', 'deleted'],
]
const known = new Set(words.flatMap(([, ...names]) => names))
/** Read by the host before any route (D-201). */
const versionParameter = 'api-version'
const deprecated = new Map([
  ['filters', 'filter'],
  ['orderBy', 'sort'],
])
/** Words whose repetition means a list (D-13). */
const lists = new Set(['select', 'fields', 'expand', 'searchFields', 'sort', 'orderBy', 'groupBy'])
/** Words that are refused when they are said in two ways; of every other one the last counts. */
const narrowing = new Set(['filter', 'filters', 'search', 'having'])

/**
 * Reads query parameters; what is no protocol word becomes a field condition.
 * @throws invalid_query for `$`-prefixed names, and for two filters, searches or conditions of groups
 */
export function listQuery(ctx: RequestContext, parameters: Parameters): RecordQuery {
  const query: RecordQuery = {}
  const conditions: Record<string, string | readonly string[]> = Object.create(null) as Record<string, string>
  let conditioned = false
  for (const [member, ...names] of words) {
    const name = names.find((candidate) => parameters[candidate] !== undefined)
    if (name !== undefined) query[member] = one(name, parameters[name]!)
  }
  for (const [name, value] of Object.entries(parameters)) {
    if (known.has(name)) {
      const use = deprecated.get(name)
      if (use !== undefined) ctx.deprecations.push({ name, use })
      continue
    }
    if (name === versionParameter) continue
    const list = name.endsWith('[]') && lists.has(name.slice(0, -2)) ? name.slice(0, -2) : undefined
    if (list !== undefined) {
      const member = words.find(([, ...names]) => names.includes(list))![0]
      query[member] ??= one(list, value)
      continue
    }
    if (name.startsWith('$')) {
      throw invalidQuery(name, 'Names with a leading $ belong to the OData endpoint, /odata below the prefix.')
    }
    conditions[name] = value
    conditioned = true
  }
  if (conditioned) query.conditions = conditions
  return query
}

function one(name: string, value: string | readonly string[]): unknown {
  if (typeof value === 'string') return value
  if (lists.has(name)) return value.join(',')
  // What narrows a result must not be lost (D-73).
  if (narrowing.has(name) && new Set(value).size > 1) throw invalidQuery(name, 'Give this parameter once.')
  return value.at(-1)
}

const bodyWords: readonly (readonly [member: Word, ...names: string[]])[] = [
  ['filter', 'filter', 'where', 'filters'],
  ...words.slice(1),
]
const refusedBodyWords = ['joins', 'windowFunctions']

/**
 * Reads the body of POST query; unknown keys are ignored (D-08).
 * @throws invalid_query for `joins` and `windowFunctions`
 */
export function bodyQuery(body: Readonly<Record<string, unknown>>): RecordQuery {
  for (const name of refusedBodyWords) {
    if (Object.hasOwn(body, name)) throw invalidQuery(name, 'This query feature is not supported.')
  }
  const query: RecordQuery = {}
  for (const [member, ...names] of bodyWords) {
    const name = names.find((candidate) => Object.hasOwn(body, candidate) && body[candidate] !== undefined)
    if (name !== undefined) query[member] = body[name]
  }
  return query
}
