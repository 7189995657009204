// Owns loading the rows of a view: blocks of records by position, counted once per query.
import { useCallback, useEffect, useState } from 'react'
import { useBlockRows } from '../../components/grid/index.ts'
import type { BlockRequest, BlockRows, GridRecord } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { sortText } from './record-query.ts'
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

/** The rows of a query, and a text that identifies it. */
export function useRecordRows(query: RowsQuery): BlockRows<GridRecord> & { queryKey: string } {
  const { object, filter, sort, search, expand } = query
  // Nothing is on screen of an empty view, so nothing would be loaded anew: such a view becomes a new query instead.
  const [round, setRound] = useState(0)
  const queryKey = JSON.stringify([object, filter, sort, search, expand, round])
  const load = useCallback(async ({ query: key, skip, top, count, signal }: BlockRequest) => {
    const [name, where, order, text, paths] = JSON.parse(key) as [
      string,
      Record<string, unknown> | null,
      SortTerm[],
      string,
      string[],
    ]
    const answer = await call('listRecords', {
      params: { object: name },
      query: {
        top,
        ...(skip > 0 ? { skip } : {}),
        ...(count ? { count: true } : {}),
        ...(where ? { filter: JSON.stringify(where) } : {}),
        ...(order.length > 0 ? { sort: sortText(order) } : {}),
        ...(text === '' ? {} : { search: text }),
        ...(paths.length > 0 ? { expand: paths.join(',') } : {}),
      },
      signal,
    })
    return { rows: answer.records, total: answer.total }
  }, [])
  const rows = useBlockRows<GridRecord>(queryKey, load)
  const { cache } = rows
  useEffect(() => {
    const refresh = (): void => {
      const { total } = cache.snapshot()
      if (total === undefined || total === 0) setRound((current) => current + 1)
      else cache.refresh()
    }
    const stops = [onRecordsChanged(object, refresh), onHostBack(refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [object, cache])
  return { ...rows, queryKey }
}
