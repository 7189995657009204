// Owns the link between a block cache and a component: the cache lives as long as the component, its changes redraw it.

import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createBlockCache } from './blocks.ts'
import type { BlockCache, BlockLoader, BlockSnapshot } from './blocks.ts'

/** Rows of the current query; spread `getRow`, `rowCount`, `rowsVersion` and `onVisibleRange` into a grid. */
export interface BlockRows<Row> {
  cache: BlockCache<Row>
  snapshot: BlockSnapshot
  rowCount: number
  rowsVersion: number
  getRow(index: number): Row | undefined
  onVisibleRange(first: number, end: number): void
  loadRows(first: number, end: number): Promise<Row[]>
}

// While the count is unknown one screen of loading rows is shown, so that there is something to ask rows for.
const ROWS_BEFORE_COUNT = 30

/** Keeps a cache over a load function; `query` names what is loaded (object, filter, sort, search), null for nothing. */
export function useBlockRows<Row>(query: string | null, load: BlockLoader<Row>): BlockRows<Row> {
  const cache = useMemo(() => createBlockCache<Row>(), [])
  const snapshot = useSyncExternalStore(cache.subscribe, cache.snapshot)
  useEffect(() => {
    if (query === null) cache.stop()
    else if (cache.setQuery(query, load)) cache.show(0, ROWS_BEFORE_COUNT)
  }, [cache, query, load])
  useEffect(() => () => cache.stop(), [cache])
  const stable = useMemo(
    () => ({
      getRow: (index: number) => cache.row(index),
      onVisibleRange: (first: number, end: number) => cache.show(first, end),
      loadRows: (first: number, end: number) => cache.rows(first, end),
    }),
    [cache],
  )
  const current = snapshot.query === query
  const rowCount = current ? (snapshot.total ?? ROWS_BEFORE_COUNT) : ROWS_BEFORE_COUNT
  return { cache, snapshot, rowCount, rowsVersion: snapshot.version, ...stable }
}
