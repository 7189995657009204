// Owns what tiles and their kinds are called. Pure.
import { t } from '../../lib/strings.ts'
import type { StringKey } from '../../lib/strings.ts'
import { objectPluralLabel } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import { objectOfTile } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'

/** Kinds of tile as people choose them: the ways to draw a series are kinds of their own. */
export const tileKinds = ['number', 'bar', 'line', 'area', 'pie', 'table', 'list', 'text'] as const

/** A word of {@link tileKinds}. */
export type TileKind = (typeof tileKinds)[number]

/** The kind of a tile. */
export function kindOf({ type, chartType }: Tile): TileKind {
  if (type === 'metric') return 'number'
  return type === 'chart' ? (chartType ?? 'bar') : type
}

/** What makes a tile one of a kind. */
export function asKind(kind: TileKind): Pick<Tile, 'type' | 'chartType'> {
  if (kind === 'number') return { type: 'metric', chartType: undefined }
  if (kind === 'table' || kind === 'list' || kind === 'text') return { type: kind, chartType: undefined }
  return { type: 'chart', chartType: kind }
}

/** What a kind is called. */
export function kindLabel(kind: TileKind): string {
  return t(`dashboards.kind.${kind}` as StringKey)
}

/** The title of a tile: its own, else its kind and what it shows. */
export function tileTitle(tile: Tile, objects: readonly ObjectItem[]): string {
  if (tile.title !== undefined && tile.title.trim() !== '') return tile.title
  const object = objects.find(({ name }) => name === objectOfTile(tile))
  const kind = kindLabel(kindOf(tile))
  return object ? t('dashboards.tile.of', { kind, object: objectPluralLabel(object) }) : kind
}
