// Reads the body of an analytic query: its members' names, their order and the page (D-116). Pure; what the names mean
// is not known here.
import { invalidQuery } from '#shared/errors.ts'

/** A dimension of time with its bucket and its range. */
export interface TimeDimension {
  readonly dimension: string
  /** Null: the range filters, nothing is grouped. */
  readonly granularity: string | null
  readonly dateRange: string | readonly [string, string] | null
}

/** A query with every member spelt as the caller did. */
export interface AnalyticsQuery {
  readonly cube: string
  readonly measures: readonly string[]
  readonly dimensions: readonly string[]
  readonly timeDimensions: readonly TimeDimension[]
  /** Still unread: D-118. */
  readonly filters: readonly unknown[]
  /** A filter of section 7. */
  readonly where: unknown
  /** A filter of section 7 over measures. */
  readonly having: unknown
  readonly order: readonly { readonly member: string; readonly direction: 'asc' | 'desc' }[]
  readonly limit: number
  readonly offset: number
  readonly timezone: string | null
  /** Whether the number of groups is wanted. */
  readonly total: boolean
  /** The query as it was sent. */
  readonly given: Record<string, unknown>
}

type Map = Readonly<Record<string, unknown>>

/** Rows of one answer when `limit` is not given, and at most. */
export const rowLimits = { standard: 1_000, largest: 50_000 } as const

/** @throws invalid_query */
export function readQuery(body: Map): AnalyticsQuery {
  const given = isMap(body['query']) ? { ...body['query'] } : { ...body }
  if (given['cube'] === undefined && body['cube'] !== undefined) given['cube'] = body['cube']
  const measures = names(given['measures'], 'measures')
  const dimensions = names(given['dimensions'], 'dimensions')
  const timeDimensions = list(given['timeDimensions'], 'timeDimensions').map(readTimeDimension)
  const order = readOrder(given['order'])
  return {
    cube: readCube(given['cube'], [...measures, ...dimensions, ...timeDimensions.map((item) => item.dimension)]),
    measures,
    dimensions,
    timeDimensions,
    filters: list(given['filters'], 'filters'),
    where: given['where'] ?? null,
    having: given['having'] ?? null,
    order,
    limit: integer(given['limit'], 'limit', rowLimits.standard, 1, rowLimits.largest),
    offset: integer(given['offset'], 'offset', 0, 0, Number.MAX_SAFE_INTEGER),
    timezone: readZone(given['timezone']),
    total: given['total'] === true,
    given,
  }
}

/** A cube that is not named is the first part every member begins with. */
function readCube(cube: unknown, members: readonly string[]): string {
  if (typeof cube === 'string' && cube !== '') return cube
  if (cube !== undefined && cube !== null) throw invalidQuery('cube', 'The cube must be a name.', { path: '' })
  const prefixes = new Set(members.map((member) => (member.includes('.') ? member.slice(0, member.indexOf('.')) : '')))
  const [only] = prefixes
  if (prefixes.size !== 1 || only === undefined || only === '') {
    throw invalidQuery('cube', 'Name a cube, or put its name in front of every member.', { path: '' })
  }
  return only
}

function readTimeDimension(entry: unknown, at: number): TimeDimension {
  const path = `${at}`
  if (!isMap(entry)) throw invalidQuery('timeDimensions', 'An entry must be an object.', { path })
  const { dimension, granularity = null, dateRange = null } = entry
  if (typeof dimension !== 'string') {
    throw invalidQuery('timeDimensions', 'An entry needs a dimension.', { path: `${path}.dimension` })
  }
  if (granularity !== null && typeof granularity !== 'string') {
    throw invalidQuery('timeDimensions', 'The granularity must be a word.', { path: `${path}.granularity` })
  }
  return { dimension, granularity, dateRange: readRange(dateRange, `${path}.dateRange`) }
}

function readRange(range: unknown, path: string): TimeDimension['dateRange'] {
  if (range === null || typeof range === 'string') return range
  const isPair = Array.isArray(range) && range.length === 2 && range.every((end) => typeof end === 'string')
  if (isPair) return range as unknown as readonly [string, string]
  throw invalidQuery('timeDimensions', 'A range is a name or a pair of dates.', { path })
}

function readOrder(order: unknown): { member: string; direction: 'asc' | 'desc' }[] {
  if (order === undefined || order === null) return []
  const entries = Array.isArray(order)
    ? order.map((entry: unknown): [unknown, unknown] => (Array.isArray(entry) ? [entry[0], entry[1]] : [entry, 'asc']))
    : isMap(order)
      ? Object.entries(order)
      : [[order, 'asc'] as [unknown, unknown]]
  return entries.map(([member, direction = 'asc'], at) => {
    if (typeof member !== 'string') throw invalidQuery('order', 'An entry names a member.', { path: `${at}` })
    if (direction !== 'asc' && direction !== 'desc') {
      throw invalidQuery('order', 'The direction must be asc or desc.', { path: `${at}` })
    }
    return { member, direction }
  })
}

function readZone(zone: unknown): string | null {
  if (zone === undefined || zone === null || zone === '') return null
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone as string }).resolvedOptions().timeZone
  } catch {
    // Its only failure is an unknown zone.
    throw invalidQuery('timezone', 'There is no such time zone.', { path: '' })
  }
}

function names(value: unknown, parameter: string): string[] {
  return list(value, parameter).map((name, at) => {
    if (typeof name === 'string' && name !== '') return name
    throw invalidQuery(parameter, 'A member is a name.', { path: `${at}` })
  })
}

function list(value: unknown, parameter: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value)) return value
  throw invalidQuery(parameter, 'The value must be a list.', { path: '' })
}

function integer(value: unknown, parameter: string, standard: number, least: number, most: number): number {
  if (value === undefined || value === null) return standard
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number
  throw invalidQuery(parameter, `The value must be a whole number from ${least} to ${most}.`, { path: '', limit: most })
}

function isMap(value: unknown): value is Map {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
