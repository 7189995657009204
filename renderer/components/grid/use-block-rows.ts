// Owns the link between a block cache and a component: the cache lives as long as the component. Its count and its failure
// redraw the component; rows that arrive are told to whoever draws them.

import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { createBlockCache } from './blocks.ts'
import type { BlockCache, BlockLoader } from './blocks.ts'
import type { RowChanges } from './grid-types.ts'

/** Rows of the current query; spread `getRow`, `rowCount`, `changes` and `onVisibleRange` into a grid. */
export interface BlockRows<Row> {
  cache: BlockCache<Row>
  /** Number of all matches; undefined until it is known. */
  total: number | undefined
  error: unknown
  rowCount: number
  changes: BlockChanges
  getRow(index: number): Row | undefined
  onVisibleRange(first: number, end: number): void
  loadRows(first: number, end: number): Promise<Row[]>
}

/** What changes with every block. */
export interface BlockChanges extends RowChanges {
  loading(): boolean
}

// While the count is unknown one screen of loading rows is shown, so that there is something to ask rows for.
const ROWS_BEFORE_COUNT = 30

/** Keeps a cache over a load function; `query` names what is loaded (object, filter, sort, search), null for nothing. */
export function useBlockRows<Row>(query: string | null, load: BlockLoader<Row>): BlockRows<Row> {
  const cache = useMemo(() => createBlockCache<Row>(), [])
  const { snapshot } = cache
  const current = useSyncExternalStore(cache.subscribe, () => snapshot().query)
  const total = useSyncExternalStore(cache.subscribe, () => snapshot().total)
  const error = useSyncExternalStore(cache.subscribe, () => snapshot().error)
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
      changes: {
        subscribe: cache.subscribe,
        version: () => cache.snapshot().version,
        loading: () => cache.snapshot().loading,
      },
    }),
    [cache],
  )
  const rowCount = current === query ? (total ?? ROWS_BEFORE_COUNT) : ROWS_BEFORE_COUNT
  return { cache, total, error, rowCount, ...stable }
}
