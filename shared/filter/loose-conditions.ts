// Query parameters that are no words of the protocol: each is an equality condition on a field (D-73). Such a condition
// is looser than the filter language, because a query string has no types: it means "has the element" on a field of
// several values, and the JSON scalar that looks like the text inside of a JSON value.
import { parseDecimal } from '#shared/field-types/decimal.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Filter, FilterCondition, Operand } from './filter.ts'
import { parseLooseConditions } from './parse-filter.ts'
import type { QueryEnv } from './query-env.ts'
import { resolveFilter } from './resolve-filter.ts'
import { resolvePath } from './resolve-path.ts'

/** Parameters by name; a repeated one has a list. */
export type LooseConditions = Readonly<Record<string, string | readonly string[]>>

/**
 * The filter of loose conditions, checked one by one so that a refusal names its parameter.
 * @throws invalid_query with `{parameter}` for an unknown name: a mistyped condition must never widen a result
 * @source D-73
 */
export function readLooseConditions(schema: ObjectSchema, given: LooseConditions, env: QueryEnv): Filter {
  const conditions = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, listed(schema, name, value, env)]),
  )
  const filter = fit(schema, parseLooseConditions(conditions), env)
  for (const [name, value] of Object.entries(conditions)) {
    resolveFilter(schema, fit(schema, parseLooseConditions({ [name]: value }), env), env, name)
  }
  return filter
}

/** Client libraries write a list with commas, which no option and no id has: of fields of these it is one. */
function listed(schema: ObjectSchema, name: string, value: string | readonly string[], env: QueryEnv) {
  const texts = [value].flat()
  if (!texts.some((text) => text.includes(','))) return value
  const { field, inner } = resolvePath(schema, name.split('.'), env, { parameter: name, path: name })
  if (inner.length > 0 || (field.options.length === 0 && field.reference === null)) return value
  return texts.flatMap((text) => text.split(',')).map((text) => text.trim())
}

function fit(schema: ObjectSchema, filter: Filter, env: QueryEnv): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, children: filter.children.map((child) => fit(schema, child, env)) }
    case 'condition':
      return fitCondition(schema, filter, env)
    default:
      return filter
  }
}

function fitCondition(schema: ObjectSchema, condition: FilterCondition, env: QueryEnv): Filter {
  const { path, operator, operand } = condition
  if (operator !== '$eq' && operator !== '$in') return condition
  const name = path.join('.')
  const { field, inner } = resolvePath(schema, path, env, { parameter: name, path: name })
  const operands = (Array.isArray(operand) ? operand : [operand]) as readonly Operand[]
  if (inner.length > 0) return { kind: 'condition', path, operator: '$in', operand: operands.flatMap(scalarsOf) }
  return field.multiple ? { kind: 'condition', path, operator: '$any', operand: operands } : condition
}

/** The JSON scalars a text may stand for. */
function scalarsOf(operand: Operand): Operand[] {
  if (typeof operand !== 'string') return [operand]
  if (operand === 'true' || operand === 'false') return [operand, operand === 'true']
  const number = parseDecimal(operand)
  return number === null ? [operand] : [operand, number]
}
