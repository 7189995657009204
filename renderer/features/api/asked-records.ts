// Owns what an example asks for, and reading a filter of the data endpoints as a tree that other languages are written
// from. Pure.
import { evaluateDateRange } from '#shared/calendar/macros.ts'

/** What an example asks for. */
export interface AskedRecords {
  /** Origin of the host, without a slash at its end. */
  readonly baseUrl: string
  /** The API prefix (D-01). */
  readonly prefix: string
  readonly object: string
  readonly fields: readonly AskedField[]
  /** In the object form of D-79; undefined for all records. */
  readonly filter: Readonly<Record<string, unknown>> | undefined
  readonly sort: readonly { readonly field: string; readonly order: 'asc' | 'desc' }[]
  /** Empty for no search. */
  readonly search: string
  /** Records at most. */
  readonly top: number
  /** Zone of the workspace: what periods mean in a language that has no words for them. */
  readonly timeZone: string
}

/** A field that is shown. */
export interface AskedField {
  readonly name: string
  /** Whether it holds ids of other records, or of people. */
  readonly leadsOn: boolean
  readonly multiple: boolean
  /** Whether it holds days or instants. */
  readonly dated: boolean
}

/** A filter as a tree. */
export type FilterTree =
  | { readonly kind: 'and' | 'or'; readonly children: readonly FilterTree[] }
  | { readonly kind: 'not'; readonly child: FilterTree }
  | {
      readonly kind: 'condition'
      readonly path: readonly string[]
      readonly operator: string
      readonly operand: unknown
    }

/** A filter, or a part of one, that another language has no words for. */
export class NoWords extends Error {}

/** Reads the object form of a filter. @throws NoWords */
export function readFilterTree(filter: Readonly<Record<string, unknown>>): FilterTree {
  const children = Object.entries(filter).flatMap(([key, value]): FilterTree[] => {
    if (key === '$and' || key === '$or') {
      if (!Array.isArray(value)) throw new NoWords(key)
      return [{ kind: key === '$and' ? 'and' : 'or', children: value.map((one) => readFilterTree(mapOf(one, key))) }]
    }
    if (key === '$not') return [{ kind: 'not', child: readFilterTree(mapOf(value, key)) }]
    if (key.startsWith('$')) throw new NoWords(key)
    const path = key.split('.')
    if (value === null) return [{ kind: 'condition', path, operator: '$null', operand: true }]
    if (typeof value !== 'object' || Array.isArray(value))
      return [{ kind: 'condition', path, operator: '$eq', operand: value }]
    return Object.entries(value).map(([operator, operand]) => ({ kind: 'condition', path, operator, operand }))
  })
  return children.length === 1 ? children[0]! : { kind: 'and', children }
}

function mapOf(value: unknown, key: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NoWords(key)
  return value as Readonly<Record<string, unknown>>
}

/** The days a named period covers at this moment, the second one outside of it. @throws NoWords @source D-85 */
export function daysOf(period: unknown, timeZone: string): { readonly from: string; readonly before: string } {
  const range = typeof period === 'string' ? evaluateDateRange(period, { now: Date.now(), timeZone }) : null
  if (range === null) throw new NoWords('$during')
  return range
}

/** The field a path begins with; undefined for one that is not shown. */
export function askedField({ fields }: Pick<AskedRecords, 'fields'>, name: string): AskedField | undefined {
  return fields.find((field) => field.name === name)
}
