// Owns loading the rows of a view: blocks of records by position, counted once per query.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { useBlockRows } from '../../components/grid/index.ts'
import type { BlockChanges, BlockRequest, GridRecord } from '../../components/grid/index.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { createBlockLoader } from './load-block.ts'
import type { SortTerm } from './record-query.ts'

/** What rows are asked for. */
export interface RowsQuery {
  object: string
  filter: Record<string, unknown> | undefined
  sort: readonly SortTerm[]
  search: string
  /** Fields whose linked records are wanted instead of their ids. */
  expand: readonly string[]
}

/** Rows as a grid and its tools use them, grouped or not. */
export interface RecordRows {
  /** Text that identifies the query. */
  queryKey: string
  rowCount: number
  /** Where rows that arrive are told; they do not draw the screen anew. */
  changes: BlockChanges
  getRow(index: number): GridRecord | undefined
  onVisibleRange(first: number, end: number): void
  loadRows(first: number, end: number): Promise<GridRecord[]>
  /** Replaces loaded rows for which `change` returns a different object; returns how many there were. */
  patch(change: (row: GridRecord) => GridRecord): number
  /** Where a record that stood at a place is now, as far as it is loaded and not far away. */
  follow(id: string, place: number): number | undefined
  /** Keeps showing what is there but asks for it again. */
  reload(): unknown
  /** Loads again what failed. */
  retry(): void
  /** Number of records; undefined until it is known, or where the rows do not tell. */
  total: number | undefined
  /** What went wrong last. */
  error: unknown
  /** Whether there is nothing to show because of that. */
  failed: boolean
}

/** Places before and after one among which a moved record is looked for. */
const reach = 200

/** The rows of a query in one list; nothing is loaded while it is off. */
export function useRecordRows(query: RowsQuery, isOn: boolean): RecordRows {
  const { object, filter, sort, search, expand } = query
  // Nothing is on screen of an empty view, so nothing would be loaded anew: such a view becomes a new query instead.
  const [round, setRound] = useState(0)
  const queryKey = JSON.stringify([object, filter, sort, search, expand, round])
  const loader = useRef<{ key: string; block: ReturnType<typeof createBlockLoader> }>(undefined)
  const load = useCallback(async (request: BlockRequest) => {
    const [name, where, order, text, paths] = JSON.parse(request.query) as [
      string,
      Record<string, unknown> | null,
      SortTerm[],
      string,
      string[],
    ]
    if (loader.current?.key !== request.query) {
      const block = createBlockLoader({ object: name, sort: order, search: text, expand: paths })
      loader.current = { key: request.query, block }
    }
    return loader.current.block.load(request, where ?? undefined, '')
  }, [])
  const { cache, ...rows } = useBlockRows<GridRecord>(isOn ? queryKey : null, load)
  useEffect(() => {
    // What happened while it was off was told to nobody.
    if (isOn && cache.snapshot().total !== undefined) cache.refresh()
  }, [isOn, cache])
  const reload = useCallback((): void => {
    const { total } = cache.snapshot()
    if (total === undefined || total === 0) setRound((current) => current + 1)
    else cache.refresh()
  }, [cache])
  const follow = useCallback(
    (id: string, place: number): number | undefined => {
      for (let step = 0; step <= reach * 2; step++) {
        // 0, 1, -1, 2, -2 …: the nearest place first.
        const near = step % 2 === 0 ? place - step / 2 : place + (step + 1) / 2
        if (near >= 0 && cache.row(near)?.['id'] === id) return near
      }
      return undefined
    },
    [cache],
  )
  useEffect(() => {
    if (!isOn) return
    const stops = [onRecordsChanged(object, reload), onHostBack(reload)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [object, reload, isOn])
  const { total, error } = rows
  return {
    ...rows,
    queryKey,
    patch: cache.patch,
    follow,
    reload,
    retry: cache.retry,
    failed: error !== undefined && error !== null && total === undefined,
  }
}

/** The record at a line, kept true; undefined while it is loaded, and without a line. */
export function useRowAt(
  rows: Pick<RecordRows, 'changes' | 'getRow'>,
  line: number | undefined,
): GridRecord | undefined {
  return useSyncExternalStore(rows.changes.subscribe, () => (line === undefined ? undefined : rows.getRow(line)))
}
