// Owns the records of a kanban: counts and sums of all columns from one grouped list, the cards of each from lists of its
// own, and what is asked for again after a change.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { GridRecord } from '../../components/grid/index.ts'
import type { FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import {
  allOf,
  createBlockLoader,
  createGroupRows,
  groupCondition,
  headingsQuery,
  useLiveRows,
} from '../records/index.ts'
import type { GroupRows, ShownGroup } from '../records/index.ts'
import { boardColumns } from './board-columns.ts'
import type { BoardColumn } from './board-columns.ts'
import type { KindPart } from './use-kind-part.tsx'

/** What a kanban shows. */
export interface Board {
  columns: readonly BoardColumn[]
  rows: GroupRows<GridRecord>
  /** False until counts are there. */
  isReady: boolean
  loading: boolean
  error: unknown
  /** Tells which cards of a column are on screen, `end` excluded; nothing of it where both are 0. */
  show(shown: ShownGroup): void
  /** Asks for counts and cards again; resolves when the counts are there. */
  reload(): Promise<void>
  retry(): void
}

/** The board of the records of a view by the values of a field. */
export function useBoard(part: KindPart, field: FieldDefinition, sumField: FieldDefinition | undefined): Board {
  const { object, fields, context, query, filter, expand } = part
  const { sort, search } = query
  const rows = useMemo(() => createGroupRows<GridRecord>(), [])
  const snapshot = useSyncExternalStore(rows.subscribe, rows.snapshot)
  const terms = useMemo(() => [{ field: field.name }], [field.name])
  const totals = useMemo(() => (sumField ? [{ field: sumField.name, fn: 'sum' as const }] : []), [sumField])
  const key = JSON.stringify([object.name, filter, sort, search, expand, field.name])

  const { data, error, refetch } = useQuery<Awaited<ReturnType<typeof call<'listRecords'>>>>({
    queryKey: ['board', object.name, key, sumField?.name],
    placeholderData: (before, asked) => (asked?.queryKey[1] === object.name ? before : undefined),
    queryFn: async ({ signal }) =>
      call('listRecords', {
        params: { object: object.name },
        query: headingsQuery({ terms, totals, fields, filter, sort: [], search }),
        signal,
      }),
  })
  const columns = useMemo(
    () => boardColumns(data?.records ?? [], field, sumField, context),
    [data, field, sumField, context],
  )

  const shown = useRef(new Map<string, ShownGroup>())
  useEffect(() => {
    const block = createBlockLoader({ object: object.name, sort, search, expand })
    rows.reset(async (column, request) =>
      block.load(request, allOf([filter, ...groupCondition([JSON.parse(column)], terms, fields)]), column),
    )
    rows.show([...shown.current.values()], false)
    return () => rows.stop()
    // The text of the query stands for its parts.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- key is made of filter, sort, search, expand and the field
  }, [rows, key])

  const show = useCallback(
    (group: ShownGroup): void => {
      if (group.end === 0) shown.current.delete(group.key)
      else shown.current.set(group.key, group)
      rows.show([...shown.current.values()], false)
    },
    [rows],
  )
  const reload = useCallback(async (): Promise<void> => {
    rows.refresh()
    await refetch()
  }, [rows, refetch])
  useLiveRows({
    object: object.name,
    view: { expand, sort: sort.map((term) => term.field), narrowed: true, figured: true },
    rows,
    reload,
    isShown: data !== undefined,
  })
  useEffect(() => {
    const refresh = (): void => void reload()
    const stops = [onRecordsChanged(object.name, refresh), onHostBack(refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [object.name, reload])

  return {
    columns,
    rows,
    isReady: data !== undefined,
    loading: snapshot.loading,
    error: error ?? snapshot.error,
    show,
    reload,
    retry: () => {
      if (error) void refetch()
      rows.retry()
    },
  }
}
