// Owns the rows of a view, grouped or in one list, their totals, and when both are asked for again after an edit.
import { useCallback, useEffect, useMemo, useRef } from 'react'
import type { GridGroups, GridTotals, GridUnsaved } from '../../components/grid/index.ts'
import { fieldTypeOf } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { useHeldPage } from '../../lib/leave-guard.ts'
import { leaveQuestion } from '../objects/index.ts'
import { usableTerms, usableTotals } from './group-terms.ts'
import type { GroupTerm, TotalTerm } from './group-terms.ts'
import type { RecordQuery } from './record-query.ts'
import { useGroupedRows } from './use-grouped-rows.ts'
import { useLiveRows } from './use-live-rows.ts'
import { useRecordRows } from './use-record-rows.ts'
import type { RecordRows } from './use-record-rows.ts'
import { useTotals } from './use-totals.ts'

/** Rest after the last edit before groups are asked for again, in milliseconds. */
const restMs = 150

/** What a view shows. */
export interface ViewRows {
  rows: RecordRows
  /** The levels in force. */
  terms: readonly GroupTerm[]
  totals: readonly TotalTerm[]
  /** Headings of the grid; undefined where nothing is grouped. */
  groups: GridGroups | undefined
  totalsLine: GridTotals | undefined
  /** Number of records; undefined until it is known. */
  total: number | undefined
  error: unknown
  /** Whether there are more groups than are shown. */
  cut: boolean
  retry(): void
  toggleAll(open: boolean): void
  /** To be told which fields were written. */
  written(fields: readonly string[]): void
  /** To be told what is not saved: rows do not move under an open editor, and the page is not closed without a question. */
  onUnsavedChange(unsaved: GridUnsaved): void
}

const noTerms: readonly GroupTerm[] = []
const noTotals: readonly TotalTerm[] = []

/** The rows of a view; `onMoved` is told when an edit has led to other groups. */
export function useViewRows(input: {
  object: string
  /** What its records are called. */
  label: string
  query: RecordQuery
  filter: Record<string, unknown> | undefined
  expand: readonly string[]
  fields: readonly FieldDefinition[]
  columns: readonly FieldDefinition[]
  context: FieldContext
  /** Whether a search part of the address is shown by another kind of view. */
  leaves: (search: string) => boolean
  onMoved: () => void
}): ViewRows {
  const { object, query, filter, expand, fields, columns, context } = input
  const { sort, search, group, totals: wanted } = query
  const terms = useMemo(() => (group ? usableTerms(group, fields) : noTerms), [group, fields])
  const totals = useMemo(() => (wanted ? usableTotals(wanted, columns) : noTotals), [wanted, columns])
  const isGrouped = terms.length > 0
  const asked = { object, filter, sort, search, expand, terms, totals, fields, context }
  const list = useRecordRows(asked, !isGrouped)
  const grouped = useGroupedRows(asked)
  const figures = useTotals(asked)
  const rows = isGrouped ? grouped : list

  const after = useRef({ grouped, figures, terms, fields, isGrouped, onMoved: input.onMoved })
  after.current = { grouped, figures, terms, fields, isGrouped, onMoved: input.onMoved }
  const waiting = useRef<{ moved: boolean }>(undefined)
  const editing = useRef(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isWanted = isGrouped || totals.length > 0

  const run = useCallback(async (): Promise<void> => {
    const now = waiting.current
    if (!now || editing.current) return
    waiting.current = undefined
    after.current.figures.refetch()
    if (!after.current.isGrouped) return
    const isChanged = await after.current.grouped.regroup(now.moved)
    if (isChanged && now.moved) after.current.onMoved()
  }, [])
  const schedule = useCallback((): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void run(), restMs)
  }, [run])
  useEffect(() => () => clearTimeout(timer.current), [])

  const written = useCallback(
    (names: readonly string[]): void => {
      if (!isWanted) return
      const moved = after.current.terms.some(({ field: name }) => {
        const field = after.current.fields.find((candidate) => candidate.name === name)
        return names.includes(name) || (field !== undefined && fieldTypeOf(field).computed === true)
      })
      waiting.current = { moved: moved || waiting.current?.moved === true }
      schedule()
    },
    [isWanted, schedule],
  )
  const tellEditing = useLiveRows({
    object,
    view: {
      expand,
      sort: sort.map(({ field }) => field),
      narrowed: filter !== undefined || search !== '',
      figured: isWanted,
    },
    rows,
    isShown: isGrouped ? grouped.isShown : list.total !== undefined,
    reload: () => {
      if (isWanted) figures.refetch()
      return rows.reload()
    },
  })
  const hold = useHeldPage(leaveQuestion(input.label), input.leaves)
  const onUnsavedChange = useCallback(
    (unsaved: GridUnsaved): void => {
      editing.current = unsaved.editing > 0
      const underWay = unsaved.editing + unsaved.pending
      hold(underWay + unsaved.failed > 0, underWay > 0)
      tellEditing(editing.current)
      if (!editing.current && waiting.current) schedule()
    },
    [schedule, tellEditing, hold],
  )

  return {
    rows,
    terms,
    totals,
    groups: isGrouped ? grouped.groups : undefined,
    totalsLine: figures.line,
    total: isGrouped ? figures.count : list.total,
    error: rows.error ?? figures.error,
    cut: isGrouped && grouped.cut,
    retry: () => {
      if (figures.error) figures.refetch()
      rows.retry()
    },
    toggleAll: grouped.toggleAll,
    written,
    onUnsavedChange,
  }
}
