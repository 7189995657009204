// Owns the shape of a dashboard as the screens read and write it. Members this version does not show pass through
// untouched. Pure.
import { chartTypes } from '../../components/charts/chart-types.ts'
import type { ChartType } from '../../components/charts/chart-types.ts'
import { listOf, textOf } from '../../lib/text-of.ts'

/** Kinds of tile as they are stored. @source D-112 */
export const tileTypes = ['metric', 'chart', 'table', 'list', 'text'] as const

/** A word of {@link tileTypes}. */
export type TileType = (typeof tileTypes)[number]

/** Where a tile stands, in columns and rows of the dashboard, from 0. */
export interface TilePlace {
  x: number
  y: number
  w: number
  h: number
}

type Members = Readonly<Record<string, unknown>>

/** A tile; further members are kept. */
export interface Tile {
  id: string
  type: TileType
  title?: string | undefined
  /** Body of an analytic query. @source D-116 */
  query?: Members | undefined
  /** Id of a stored view, `object.key`. */
  view?: string | undefined
  chartType?: ChartType | undefined
  /** Absent until the tile is placed. */
  layout?: TilePlace | undefined
  /** `text` of a text, `conditions` of the filter as they were typed. @source D-303 */
  options?: Members | undefined
  [key: string]: unknown
}

/** A dashboard; `item` is all that is stored. */
export interface Dashboard {
  name: string
  label: string
  columns: number
  tiles: readonly Tile[]
  item: Members
}

const standardColumns = 12

/** Reads an item of the metadata service; tiles without an id are left out. */
export function readDashboard(item: Members): Dashboard {
  const name = textOf(item, 'name')
  const columns = item['columns']
  return {
    name,
    label: textOf(item, 'label') || name,
    columns: typeof columns === 'number' && columns >= 1 ? columns : standardColumns,
    tiles: listOf(item, 'widgets').flatMap((widget) => {
      const id = textOf(widget, 'id')
      return id === '' ? [] : [readTile(id, widget)]
    }),
    item,
  }
}

function readTile(id: string, widget: Members): Tile {
  const { query, view, layout, options, title } = widget
  return {
    ...widget,
    id,
    type: tileTypes.find((word) => word === widget['type']) ?? 'text',
    title: typeof title === 'string' ? title : undefined,
    query: isMap(query) ? query : undefined,
    view: typeof view === 'string' ? view : undefined,
    chartType: chartTypes.find((word) => word === widget['chartType']),
    layout: isMap(layout) ? readPlace(layout) : undefined,
    options: isMap(options) ? options : undefined,
  }
}

function readPlace(layout: Members): TilePlace {
  const number = (key: string, least: number): number =>
    typeof layout[key] === 'number' ? Math.max(least, Math.floor(layout[key])) : least
  return { x: number('x', 0), y: number('y', 0), w: number('w', 1), h: number('h', 1) }
}

/** The item to store: what was read, with label and tiles as they are now. */
export function writeDashboard({ name, label, columns, tiles, item }: Dashboard): Record<string, unknown> {
  const widgets = tiles.map((tile) =>
    Object.fromEntries(Object.entries(tile).filter(([, value]) => value !== undefined)),
  )
  return { ...item, name, label, columns, widgets }
}

/** The object a tile shows records of; '' for a text. */
export function objectOfTile({ query, view, type }: Tile): string {
  if (type === 'text') return ''
  if (view !== undefined) return view.split('.')[0] ?? ''
  const cube = query?.['cube']
  if (typeof cube === 'string') return cube
  return (namesIn(query?.['measures'])[0] ?? namesIn(query?.['dimensions'])[0] ?? '').split('.')[0] ?? ''
}

/** The names in a member of a query. */
export function namesIn(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter((name) => typeof name === 'string')
}

/** Whether a value is a map. */
export function isMap(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
