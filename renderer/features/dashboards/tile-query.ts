// Owns what a tile asks of analytics, and what its answer says as a series: at most twelve groups and the rest as one. Pure.
import { findFieldType } from '../../fields/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { readDimension } from '../records/index.ts'
import type { Tile } from './dashboard-item.ts'
import { isMap, namesIn, objectOfTile } from './dashboard-item.ts'

/** Groups of a drawing that are told apart; more would be no picture. */
export const maxGroups = 12
/** Lengths of time of a line; a line reads well with many. */
const maxBuckets = 120
/** Groups asked for where the tile does not say how many. */
const askedGroups = 1_000

type Row = Readonly<Record<string, unknown>>

/** What a tile asks; members are spelt without the name of the object. */
export interface TileAsk {
  object: string
  body: Record<string, unknown>
  measures: readonly string[]
  /** What is grouped by, as rows name it. */
  dimensions: readonly string[]
  /** For a link, the member that tells the groups apart: two records may be called alike. */
  idOf: Readonly<Record<string, string>>
  /** Whether the tile says how many groups it shows. */
  limited: boolean
}

/** One group of a series. */
export interface SeriesPoint {
  /** Null for the rest of all groups. */
  row: Row | null
  figure: number | null
}

/** The question behind a tile, narrowed by a further filter; undefined where it has none. */
export function askOf(
  tile: Tile,
  fields: readonly FieldDefinition[],
  narrowing: Record<string, unknown> | undefined,
): TileAsk | undefined {
  const { query } = tile
  const object = objectOfTile(tile)
  if (query === undefined || object === '') return undefined
  const bare = (name: string): string => (name.startsWith(`${object}.`) ? name.slice(object.length + 1) : name)
  const measures = namesIn(query['measures']).map(bare)
  const plain = namesIn(query['dimensions']).map(bare)
  const timed = listOf(query['timeDimensions']).flatMap(({ dimension, granularity }) =>
    typeof dimension === 'string' && typeof granularity === 'string' ? [`${bare(dimension)}.${granularity}`] : [],
  )
  const idOf: Record<string, string> = {}
  for (const name of plain) {
    const link = linkOf(name, fields)
    if (link !== undefined && !plain.includes(link)) idOf[name] = link
  }
  const dimensions = [...timed, ...plain]
  const { where, limit } = query
  const both = [where, narrowing].filter((part) => part !== undefined && part !== null)
  return {
    object,
    measures: measures.length === 0 && dimensions.length === 0 ? ['count'] : measures,
    dimensions,
    idOf,
    limited: typeof limit === 'number',
    body: {
      ...query,
      cube: object,
      measures: measures.length === 0 && dimensions.length === 0 ? ['count'] : measures,
      dimensions: [...plain, ...Object.values(idOf)],
      ...(dimensions.length > 0 && typeof limit !== 'number' ? { limit: askedGroups } : {}),
      where: both.length > 1 ? { $and: both } : both[0],
    },
  }
}

/** The link field whose shown text a dimension is. */
function linkOf(dimension: string, fields: readonly FieldDefinition[]): string | undefined {
  const [name = '', rest] = dimension.split('.')
  const field = fields.find((candidate) => candidate.name === name)
  if (rest === undefined || !field || field.multiple === true) return undefined
  return findFieldType(field.type)?.link === 'object' && field.displayField === rest ? name : undefined
}

/** What of an answer is drawn; `left` is how many groups are not told apart. */
export function seriesOf(
  ask: TileAsk,
  rows: readonly Row[],
  fields: readonly FieldDefinition[],
): { points: SeriesPoint[]; left: number } {
  const [measure = ''] = ask.measures
  const figureOf = (row: Row): number | null => (typeof row[measure] === 'number' ? row[measure] : null)
  const points = rows.map((row) => ({ row, figure: figureOf(row) }))
  const isTime = readDimension(ask.dimensions[0] ?? '', fields)?.bucket !== undefined
  if (isTime) return { points: points.slice(-maxBuckets), left: Math.max(0, points.length - maxBuckets) }
  if (points.length <= maxGroups) return { points, left: 0 }
  const rest = points.slice(maxGroups)
  const isWhole = !ask.limited && rows.length < askedGroups
  // Sums of sums are sums; an average of averages would be none.
  if (!isWhole || !isAdditive(measure)) return { points: points.slice(0, maxGroups), left: rest.length }
  const other = { row: null, figure: rest.reduce((sum, { figure }) => sum + (figure ?? 0), 0) }
  return { points: [...points.slice(0, maxGroups), other], left: 0 }
}

/** Whether figures of groups add up to the figure of all. */
export function isAdditive(measure: string): boolean {
  return measure === 'count' || measure.endsWith('.sum')
}

function listOf(value: unknown): readonly Row[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isMap) : []
}
