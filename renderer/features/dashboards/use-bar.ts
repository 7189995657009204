// Owns the filters over all tiles of a dashboard: what they may be about, and keeping them in the address.
import { useMemo } from 'react'
import { useSearch } from 'wouter'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { navigate } from '../../lib/hash-location.ts'
import { displayFieldOf, fieldList, useObjects } from '../objects/index.ts'
import { objectOfTile } from './dashboard-item.ts'
import type { Tile } from './dashboard-item.ts'
import { readBar, sharedFields, writeBar } from './filter-bar-query.ts'
import type { BarFilter } from './filter-bar-query.ts'

/** The filters; `path` is where the dashboard is shown, `fields` what its tiles can be filtered by. */
export function useBar(
  path: string,
  fields: readonly FieldDefinition[],
  context: FieldContext,
): [bar: BarFilter, change: (bar: BarFilter) => void] {
  const search = useSearch()
  const bar = useMemo(() => readBar(search, fields, context), [search, fields, context])
  const change = (next: BarFilter): void => {
    const words = writeBar(next)
    navigate(words === '' ? path : `${path}?${words}`, { replace: true })
  }
  return [bar, change]
}

/** How many tiles show records of each object. */
export function objectsOfTiles(tiles: readonly Tile[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const name of tiles.map(objectOfTile)) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** The fields that some tile of the dashboard can be filtered by. */
export function useTileFields(tiles: readonly Tile[]): FieldDefinition[] {
  const { data: objects } = useObjects()
  return useMemo(() => {
    const shown = objectsOfTiles(tiles)
    const wanted = (objects ?? []).filter(({ name }) => shown.has(name))
    return sharedFields(
      wanted.map((object) =>
        fieldList(object)
          .filter((field) => !field.hidden)
          .map((field) => {
            const target = field.reference ? objects?.find(({ name }) => name === field.reference) : undefined
            return target ? { ...field, displayField: displayFieldOf(target) } : field
          }),
      ),
    )
  }, [tiles, objects])
}
