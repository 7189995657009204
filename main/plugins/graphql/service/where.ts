// Filters as clients of GraphQL write them, into the filter language (D-79). Pure: fields are judged by the data service.
import { invalidQuery } from '#shared/errors.ts'
import { operatorOf } from './value-kinds.ts'

/** What a key of a filter stands for: a word, a field, or the related record with a filter of its own. */
export type WhereMember =
  | { readonly kind: 'and' | 'or' | 'not' }
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'relation'; readonly field: string; readonly where: () => WhereShape }

/** The keys of one filter type. */
export type WhereShape = ReadonlyMap<string, WhereMember>

type Condition = Record<string, unknown>

/**
 * Writes a filter in the object form; every object in it has one key.
 * @param path relation fields that lead to the record the filter is about
 * @throws invalid_query for words without a value: they must not widen what is found
 */
export function filterOf(where: unknown, shape: WhereShape, path: readonly string[] = []): Condition {
  const conditions: Condition[] = []
  for (const [key, value] of Object.entries(where as Record<string, unknown>)) {
    const member = shape.get(key)!
    if (member.kind === 'and' || member.kind === 'or') {
      conditions.push({ [`$${member.kind}`]: listOf(value, key).map((one) => filterOf(one, shape, path)) })
    } else if (member.kind === 'not') {
      conditions.push({ $not: filterOf(value ?? missing(key), shape, path) })
    } else if ('field' in member) {
      const name = [...path, member.field].join('.')
      if (value === null) conditions.push({ [name]: { $null: true } })
      else if (member.kind === 'relation') conditions.push(filterOf(value, member.where(), [...path, member.field]))
      else conditions.push(...operandsOf(name, value as Record<string, unknown>))
    }
  }
  return conditions.length === 1 ? conditions[0]! : { $and: conditions }
}

function operandsOf(name: string, operators: Readonly<Record<string, unknown>>): Condition[] {
  return Object.entries(operators).map(([operator, operand]) => ({ [name]: { [operatorOf(operator)]: operand } }))
}

function listOf(value: unknown, key: string): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : missing(key)
}

function missing(key: string): never {
  throw invalidQuery('where', `"${key}" needs a value.`, { path: key })
}
