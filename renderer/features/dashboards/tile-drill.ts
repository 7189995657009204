// Owns the way from a figure to the records behind it: the address of the grid with the conditions of tile, filters and
// group. Where one of them cannot be said there, there is no way. Pure.
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { tablePath } from '../../lib/record-address.ts'
import {
  dimensionCondition,
  isFilterGroup,
  madeConditions,
  readConditions,
  saysSame,
  writeQuery,
} from '../records/index.ts'
import type { FilterGroup, FilterNode } from '../records/index.ts'
import { isMap } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import type { TileAsk } from './tile-query.ts'

/** The filter of a tile as conditions: none, some, or null where it has no words in the filter of a grid. */
export function tileConditions(
  tile: Tile,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): FilterGroup | undefined | null {
  const { where, filters, having, timeDimensions } = tile.query ?? {}
  const isOther = [filters, having].some((part) => part !== undefined && JSON.stringify(part).length > 2)
  const ranged =
    Array.isArray(timeDimensions) && timeDimensions.some((each) => isMap(each) && each['dateRange'] != null)
  if (isOther || ranged) return null
  if (where === undefined || where === null) return undefined
  const typed = readConditions(tile.options?.['conditions'])
  if (typed && (!isMap(where) || saysSame(typed, where, fields, context))) return typed
  return isMap(where) ? madeConditions(where, fields, context) : null
}

/** Path of the grid with the records of a tile, of one of its groups where a row is named; undefined where none says it. */
export function drillPath(
  ask: Pick<TileAsk, 'object' | 'dimensions' | 'idOf'>,
  own: FilterGroup | undefined | null,
  bar: readonly FilterGroup[],
  fields: readonly FieldDefinition[],
  context: FieldContext,
  row?: Readonly<Record<string, unknown>>,
): string | undefined {
  if (own === null) return undefined
  const nodes: FilterNode[] = [own, ...bar].flatMap((group) => {
    if (!group) return []
    return group.any && group.conditions.length > 1 ? [group] : [...group.conditions]
  })
  for (const name of row ? ask.dimensions : []) {
    const dimension = ask.idOf[name] ?? name
    const condition = dimensionCondition(dimension, row?.[dimension], fields, context.timeZone)
    if (!condition) return undefined
    nodes.push(condition)
  }
  const distinct = nodes.filter(
    (node, at) => nodes.findIndex((other) => JSON.stringify(other) === JSON.stringify(node)) === at,
  )
  const filter = distinct.length === 0 ? undefined : { any: false, conditions: distinct }
  if (filter && depthOf(filter) > 3) return undefined
  return tablePath(ask.object, { view: writeQuery({ filter, sort: [], search: '', view: '' }) })
}

function depthOf({ conditions }: FilterGroup): number {
  return 1 + Math.max(0, ...conditions.map((node) => (isFilterGroup(node) ? depthOf(node) : 0)))
}
