// Owns a number of records that are shown all at once: asked for like a grid's, kept true while others write.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { sortText, useLiveRows } from '../records/index.ts'
import type { SortTerm } from '../records/index.ts'

/** What is asked for. */
export interface ListQuery {
  object: string
  filter: Readonly<Record<string, unknown>> | undefined
  sort: readonly SortTerm[]
  search: string
  expand: readonly string[]
  /** Most records that are answered. */
  top: number
  /** False asks for nothing. */
  isOn?: boolean
}

/** The records. */
export interface RecordList {
  /** Empty until they are known. */
  records: readonly GridRecord[]
  /** Number of all that match; undefined until it is known. */
  total: number | undefined
  error: unknown
  /** Whether there is nothing to show because of that. */
  failed: boolean
  reload(): unknown
  patch(change: (row: GridRecord) => GridRecord): number
}

interface Answer {
  records: GridRecord[]
  total: number | undefined
}

const none: readonly GridRecord[] = []

/** The records of a query; those of the last one stay until the next are there. */
export function useRecordList(query: ListQuery): RecordList {
  const { object, filter, sort, search, expand, top, isOn = true } = query
  const client = useQueryClient()
  const key = useMemo(
    () => ['record-list', object, { filter, sort, search, expand, top }],
    [object, filter, sort, search, expand, top],
  )
  const { data, error, refetch } = useQuery<Answer>({
    queryKey: key,
    enabled: isOn,
    placeholderData: (before, asked) => (asked?.queryKey[1] === object ? before : undefined),
    queryFn: async ({ signal }) => {
      const answer = await call('listRecords', {
        params: { object },
        query: {
          top,
          count: true,
          ...(filter ? { filter: JSON.stringify(filter) } : {}),
          ...(sort.length > 0 ? { sort: sortText(sort) } : {}),
          ...(search === '' ? {} : { search }),
          ...(expand.length > 0 ? { expand: expand.join(',') } : {}),
        },
        signal,
      })
      return { records: answer.records, total: answer.total }
    },
  })
  const patch = useCallback(
    (change: (row: GridRecord) => GridRecord): number => {
      let changed = 0
      client.setQueryData<Answer>(key, (before) => {
        if (!before) return before
        const records = before.records.map((row) => {
          const next = change(row)
          if (next !== row) changed++
          return next
        })
        return changed === 0 ? before : { ...before, records }
      })
      return changed
    },
    [client, key],
  )
  useLiveRows({
    object,
    view: { expand, sort: sort.map(({ field }) => field), narrowed: true, figured: false },
    rows: { patch },
    reload: refetch,
    isShown: data !== undefined,
  })
  useEffect(() => {
    if (!isOn) return
    const refresh = (): void => void refetch()
    const stops = [onRecordsChanged(object, refresh), onHostBack(refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [isOn, object, refetch])
  return {
    records: data?.records ?? none,
    total: data?.total,
    error,
    failed: error !== null && data === undefined,
    reload: refetch,
    patch,
  }
}

/** Records in one list, as the record beside them steps through them. */
export function steppedRows(records: readonly GridRecord[]) {
  return {
    rowCount: records.length,
    getRow: (line: number) => records[line],
    loadRows: async (first: number, end: number) => records.slice(first, end),
    follow: (id: string) => {
      const at = records.findIndex((record) => record.id === id)
      return at < 0 ? undefined : at
    },
  }
}
