// Owns the figures over all records of a view: one grouped list without groups.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { GridTotals } from '../../components/grid/index.ts'
import { call } from '../../lib/api-client.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { figuresOf } from './group-labels.ts'
import { totalsQuery } from './group-query.ts'
import type { GroupedQuery } from './use-grouped-rows.ts'

/** The totals of a view. */
export interface RecordTotals {
  /** Number of records; undefined until it is known. */
  count: number | undefined
  /** The line of the grid; undefined when nothing is wanted. */
  line: GridTotals | undefined
  error: unknown
  refetch(): void
}

/** Figures over all records; asked for when a column or a grouping wants them. */
export function useTotals({ object, filter, search, terms, totals, fields, context }: GroupedQuery): RecordTotals {
  const isOn = terms.length > 0 || totals.length > 0
  const key = JSON.stringify([filter, search])
  const { data, error, refetch } = useQuery<Awaited<ReturnType<typeof call<'listRecords'>>>>({
    queryKey: ['record-totals', object, key, totals],
    enabled: isOn,
    placeholderData: (before, asked) => (asked?.queryKey[2] === key ? before : undefined),
    queryFn: async ({ signal }) =>
      call('listRecords', { params: { object }, query: totalsQuery({ totals, fields, filter, search }), signal }),
  })
  useEffect(() => {
    if (!isOn) return
    const refresh = (): void => void refetch()
    const stops = [onRecordsChanged(object, refresh), onHostBack(refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [isOn, object, refetch])
  const raw = data?.records[0]
  const count = typeof raw?.n === 'number' ? raw.n : undefined
  const line = useMemo<GridTotals | undefined>(
    () =>
      isOn ? { label: t('groups.total'), count, figures: figuresOf(raw ?? {}, totals, fields, context) } : undefined,
    [isOn, count, raw, totals, fields, context],
  )
  return { count, line, error, refetch: () => void refetch() }
}
