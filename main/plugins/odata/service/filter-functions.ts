// The functions of expressions: those the tree of filters has, those it can work out at once, and those it lacks. Pure.
import type { FilterOperator } from '#shared/field-types/operator-classes.ts'
import type { ValueFunction } from '#shared/filter/value-functions.ts'
import type { Literal } from './filter-values.ts'

/** Functions of one value. */
export const valueFunctions: Readonly<Record<string, ValueFunction>> = {
  tolower: 'lower',
  toupper: 'upper',
  trim: 'trim',
  length: 'length',
  year: 'year',
  month: 'month',
  day: 'day',
  hour: 'hour',
  minute: 'minute',
  second: 'second',
  date: 'date',
  time: 'time',
  round: 'round',
  floor: 'floor',
  ceiling: 'ceiling',
}

/** Functions that ask something of a text and another one. */
export const textTests: Readonly<Record<string, FilterOperator>> = {
  contains: '$contains',
  startswith: '$startsWith',
  endswith: '$endsWith',
}

/** Functions without arguments. */
export const constants: Readonly<Record<string, Literal['value']>> = {
  now: { $now: '' },
  mindatetime: '0001-01-01T00:00:00.000Z',
  maxdatetime: '9999-12-31T23:59:59.999Z',
}

/** Words of the protocol that no filter here has. */
export const missingFunctions: ReadonlySet<string> = new Set([
  'substringof',
  'matchespattern',
  'hassubset',
  'hassubsequence',
  'fractionalseconds',
  'totalseconds',
  'totaloffsetminutes',
  'cast',
  'isof',
  'case',
  'geo.distance',
  'geo.intersects',
  'geo.length',
])

/** Operators of the protocol that no filter here has. */
export const missingOperators: ReadonlySet<string> = new Set(['has'])

/** A function of a value that stands in the request; undefined when it does not take that. */
export function applyToLiteral(name: ValueFunction, value: Literal['value']): Literal['value'] | undefined {
  if (value === null) return null
  if (typeof value === 'object') return name === 'date' && '$now' in value ? { $today: '' } : undefined
  if (typeof value === 'number') {
    if (name === 'floor') return Math.floor(value)
    if (name === 'ceiling') return Math.ceil(value)
    return name === 'round' ? Math.sign(value) * Math.round(Math.abs(value)) : undefined
  }
  if (typeof value !== 'string') return undefined
  if (name === 'lower') return value.toLowerCase()
  if (name === 'upper') return value.toUpperCase()
  if (name === 'trim') return value.trim()
  return name === 'length' ? [...value].length : partOf(name, value)
}

const places: Partial<Record<ValueFunction, readonly [start: number, length: number]>> = {
  year: [0, 4],
  month: [5, 2],
  day: [8, 2],
  hour: [11, 2],
  minute: [14, 2],
  second: [17, 2],
}

/** A part of a timestamp or a day in UTC. */
function partOf(name: ValueFunction, text: string): Literal['value'] | undefined {
  const instant = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? new Date(text.length === 10 ? text : withZone(text)) : null
  if (instant === null || Number.isNaN(instant.getTime())) return undefined
  const iso = instant.toISOString()
  if (name === 'date') return iso.slice(0, 10)
  if (name === 'time') return iso.slice(11, 19)
  const place = places[name]
  return place === undefined ? undefined : Number(iso.slice(place[0], place[0] + place[1]))
}

function withZone(text: string): string {
  return /(?:Z|[+-]\d{2}:\d{2})$/i.test(text) ? text : `${text}Z`
}
