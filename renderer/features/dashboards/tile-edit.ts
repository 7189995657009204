// Owns what choosing an object, a kind or a filter makes of a tile. Pure.
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { buildGroup, groupChoices, writeConditions } from '../records/index.ts'
import type { FilterGroup } from '../records/index.ts'
import { namesIn, objectOfTile } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import { asKind } from './tile-words.ts'
import type { TileKind } from './tile-words.ts'

type Members = Readonly<Record<string, unknown>>

/** Ways to order the groups of a tile. */
export const tileOrders = ['', 'most', 'least', 'first', 'last'] as const

/** A word of {@link tileOrders}; '' is the usual order. */
export type TileOrder = (typeof tileOrders)[number]

/** A tile that shows nothing yet but knows its kind, and its object where there is one. */
export function newTile(
  kind: TileKind,
  taken: readonly Tile[],
  object: string,
  fields: readonly FieldDefinition[],
): Tile {
  const ids = new Set(taken.map(({ id }) => id))
  let number = taken.length + 1
  while (ids.has(`tile_${number}`)) number += 1
  const tile: Tile = { id: `tile_${number}`, ...asKind(kind) }
  if (kind === 'text') return { ...tile, options: { text: '' } }
  return withKind({ ...tile, query: { cube: object } }, kind, fields)
}

/** The tile as one of another kind; what both kinds have stays. */
export function withKind(tile: Tile, kind: TileKind, fields: readonly FieldDefinition[]): Tile {
  const next: Tile = { ...tile, ...asKind(kind) }
  if (kind === 'text') return { ...next, options: { text: '', ...tile.options } }
  if (kind === 'list' || (kind === 'table' && tile.view !== undefined)) return next
  const { dimensions, order, limit, ...kept } = tile.query ?? {}
  const cube = objectOfTile({ ...tile, type: 'chart' })
  const measures = namesIn(kept['measures']).length > 0 ? kept['measures'] : ['count']
  const query = { ...kept, cube, measures }
  const plain = { ...next, view: undefined }
  if (kind === 'number') return { ...plain, query }
  const first = groupFor(kind, fields)
  const grouped =
    namesIn(dimensions).length > 0 ? { dimensions, order, limit } : first === undefined ? {} : { dimensions: [first] }
  return { ...plain, query: withoutUndefined({ ...query, ...grouped }) }
}

/** The tile over another object: what it measured and filtered of the other one goes. */
export function withObject(tile: Tile, kind: TileKind, object: string, fields: readonly FieldDefinition[]): Tile {
  const { conditions: _typed, ...options } = tile.options ?? {}
  return withKind({ ...tile, view: undefined, options, query: { cube: object } }, kind, fields)
}

/** The tile with members of its query changed; undefined takes one away. */
export function withQuery(tile: Tile, change: Members): Tile {
  return { ...tile, query: withoutUndefined({ ...tile.query, ...change }) }
}

/** The tile under a filter, kept as the API reads it and as it was typed. @source D-303 */
export function withFilter(
  tile: Tile,
  filter: FilterGroup | undefined,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): Tile {
  const { conditions: _typed, ...options } = tile.options ?? {}
  return {
    ...withQuery(tile, { where: filter && buildGroup(filter, fields, context) }),
    options: filter ? { ...options, conditions: writeConditions(filter) } : options,
  }
}

/** The order of a tile's groups; '' for one that has no word here, too. */
export function orderOf({ query }: Tile): TileOrder {
  const [pair] = Array.isArray(query?.['order']) ? (query['order'] as unknown[]) : []
  const [member, direction] = Array.isArray(pair) ? (pair as unknown[]) : []
  if (member === namesIn(query?.['measures'])[0]) return direction === 'asc' ? 'least' : 'most'
  if (member === namesIn(query?.['dimensions'])[0]) return direction === 'desc' ? 'last' : 'first'
  return ''
}

/** The tile with its groups in an order. */
export function withOrder(tile: Tile, order: TileOrder): Tile {
  const [measure] = namesIn(tile.query?.['measures'])
  const [dimension] = namesIn(tile.query?.['dimensions'])
  const member = order === 'most' || order === 'least' ? measure : dimension
  if (order === '' || member === undefined) return withQuery(tile, { order: undefined })
  return withQuery(tile, { order: [[member, order === 'most' || order === 'last' ? 'desc' : 'asc']] })
}

/** The tile with another measure or group; an order by the other one would not stand. */
export function withMember(tile: Tile, change: { measure?: string; dimension?: string }): Tile {
  const order = orderOf(tile)
  const { measure, dimension } = change
  const next = withQuery(tile, {
    ...(measure === undefined ? {} : { measures: [measure] }),
    ...(dimension === undefined ? {} : { dimensions: [dimension] }),
  })
  return withOrder(next, order)
}

/** What a line is drawn over is time, where there is any. */
function groupFor(kind: TileKind, fields: readonly FieldDefinition[]): string | undefined {
  const choices = groupChoices(fields).map(({ value }) => value)
  const time = choices.find((value) => value.endsWith('.month'))
  return kind === 'line' || kind === 'area' ? (time ?? choices[0]) : choices[0]
}

function withoutUndefined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
