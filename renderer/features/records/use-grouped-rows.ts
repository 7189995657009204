// Owns the rows of a grid under group headings: the headings of all levels from one grouped list, the rows of open groups
// from ordinary lists, and what of both is asked for again after a change.
import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import type { GridGroups, GridHeading, GridRecord } from '../../components/grid/index.ts'
import { fieldLabel } from '../../fields/index.ts'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import { call } from '../../lib/api-client.ts'
import { onHostBack } from '../../lib/host-status.ts'
import { onRecordsChanged } from '../../lib/record-changes.ts'
import { figuresOf, groupText } from './group-labels.ts'
import { allOf, groupCondition, headingsQuery, maxGroups } from './group-query.ts'
import type { GroupRow } from './group-query.ts'
import { createGroupRows } from './group-rows.ts'
import type { ShownGroup } from './group-rows.ts'
import type { GroupTerm, TotalTerm } from './group-terms.ts'
import { buildTree, layLines, leavesOf } from './group-tree.ts'
import type { GroupNode } from './group-tree.ts'
import { createBlockLoader } from './load-block.ts'
import { useOpenGroups } from './open-groups.ts'
import type { RecordRows, RowsQuery } from './use-record-rows.ts'

/** What grouped rows are asked for besides the query of the rows. */
export interface GroupedQuery extends RowsQuery {
  /** None: nothing is loaded. */
  terms: readonly GroupTerm[]
  totals: readonly TotalTerm[]
  fields: readonly FieldDefinition[]
  context: FieldContext
}

/** Rows with their headings. */
export interface GroupedRows extends RecordRows {
  groups: GridGroups
  /** Whether the headings are there. */
  isShown: boolean
  /** Whether there are more groups than are shown. */
  cut: boolean
  toggleAll(open: boolean): void
  /** Asks for headings again, and for rows when they may stand elsewhere; true when groups have changed. */
  regroup(moved: boolean): Promise<boolean>
}

const linesBeforeAnswer = 30
/** Lines before and after a place among which a moved record is looked for. */
const reach = 200
const none: readonly GroupRow[] = []

type Answer = Awaited<ReturnType<typeof call<'listRecords'>>>

/** Headings and rows of a grouped view. */
export function useGroupedRows(query: GroupedQuery): GroupedRows {
  const { object, filter, sort, search, expand, terms, totals, fields, context } = query
  const rows = useMemo(() => createGroupRows<GridRecord>(), [])
  const rowsError = useSyncExternalStore(rows.subscribe, () => rows.snapshot().error)
  const queryKey = JSON.stringify([object, filter, sort, search, expand, terms])
  const isOn = terms.length > 0

  const { data, error, isPending, refetch } = useQuery<Answer>({
    queryKey: ['group-headings', object, queryKey, totals],
    enabled: isOn,
    // Another column's figure: the headings stay until it is there.
    placeholderData: (before, asked) => (asked?.queryKey[2] === queryKey ? before : undefined),
    queryFn: async ({ signal }) =>
      call('listRecords', {
        params: { object },
        query: headingsQuery({ terms, totals, fields, filter, sort, search }),
        signal,
      }),
  })
  const answer = data?.records ?? none
  const roots = useMemo(() => buildTree(answer, terms, totals), [answer, terms, totals])
  const leaves = useMemo(() => new Map(leavesOf(roots).map((leaf) => [leaf.key, leaf])), [roots])
  const open = useOpenGroups(object, terms, leaves.size)
  const { isOpen, toggle } = open
  const lines = useMemo(() => layLines(roots, isOpen), [roots, isOpen])

  const refetchHeadings = useRef(refetch)
  refetchHeadings.current = refetch
  const latest = useRef({ leaves, lines })
  const mismatches = useRef(new Set<string>())

  useEffect(() => {
    mismatches.current.clear()
    if (!isOn) return rows.stop()
    const block = createBlockLoader({ object, sort, search, expand })
    rows.reset(async (key, request) => {
      const leaf = latest.current.leaves.get(key)
      if (!leaf) throw new DOMException('The group is gone.', 'AbortError')
      const found = await block.load(request, allOf([filter, ...groupCondition(leaf.values, terms, fields)]), key)
      // The headings are older than these rows: once for every difference, or two that never agree would go on for ever.
      const { length } = found.rows
      const wanted = Math.min(request.top, leaf.count - request.skip)
      const difference = `${key} ${leaf.count} ${request.skip} ${length}`
      if (length !== wanted && !mismatches.current.has(difference)) {
        mismatches.current.add(difference)
        void refetchHeadings.current()
      }
      return { rows: found.rows, ...(request.count ? { total: leaf.count } : {}) }
    })
    return () => rows.stop()
    // The text of the query stands for its parts.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- queryKey is made of filter, sort, search, expand and terms
  }, [rows, queryKey, isOn])

  const show = useRef<{ first: number; end: number }>({ first: 0, end: 0 })
  const showLines = useCallback(
    (first: number, end: number): void => {
      const { lines: all } = latest.current
      const far = Math.abs(first - show.current.first) > 50 && show.current.end > 0
      show.current = { first, end }
      const shown = new Map<string, ShownGroup>()
      for (let line = first; line < end; line++) {
        const at = all.at(line)
        if (!at || at.offset < 0) continue
        const { key } = at.node
        const known = shown.get(key)
        shown.set(key, { key, first: known?.first ?? at.offset, end: at.offset + 1 })
      }
      rows.show([...shown.values()], far)
    },
    [rows],
  )

  // Other lines stand where these stood: what is on screen is told again, and groups of another size are loaded anew.
  useEffect(() => {
    const before = latest.current
    latest.current = { leaves, lines }
    if (before.leaves !== leaves) {
      rows.refresh((key) => before.leaves.get(key)?.count !== leaves.get(key)?.count)
    }
    showLines(show.current.first, show.current.end)
  }, [rows, leaves, lines, showLines])

  const regroup = useCallback(
    async (moved: boolean): Promise<boolean> => {
      const counts = (): string => [...latest.current.leaves.values()].map(({ key, count }) => `${key}${count}`).join()
      const before = counts()
      const { data: fresh } = await refetchHeadings.current()
      if (moved) rows.refresh()
      const after = leavesOf(buildTree(fresh?.records ?? none, terms, [])).map(({ key, count }) => `${key}${count}`)
      return before !== after.join()
    },
    [rows, terms],
  )

  useEffect(() => {
    if (!isOn) return
    const refresh = (): void => void regroup(true)
    const stops = [onRecordsChanged(object, refresh), onHostBack(refresh)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [isOn, object, regroup])

  const headings = useMemo(() => {
    const made = new Map<string, GridHeading>()
    return (node: GroupNode): GridHeading => {
      const known = made.get(node.key)
      if (known) return known
      const term = terms[node.level]
      const field = fields.find(({ name }) => name === term?.field)
      const text = term && field ? groupText(node, term, field, context) : ''
      const heading: GridHeading = {
        key: node.key,
        level: node.level + 1,
        field: field ? fieldLabel(field) : '',
        label: text,
        empty: node.values[node.level] === null || node.values[node.level] === '',
        count: node.count,
        open: isOpen(node),
        figures: figuresOf(node.raw, totals, fields, context),
      }
      made.set(node.key, heading)
      return heading
    }
    // A node of another tree may have the same key.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- roots decides, though it is not read
  }, [terms, totals, fields, context, isOpen, roots])

  const groups = useMemo<GridGroups>(
    () => ({
      levels: terms.length,
      records: roots.reduce((sum, { count }) => sum + count, 0),
      headingAt: (line) => {
        const at = lines.at(line)
        return at && at.offset < 0 ? headings(at.node) : undefined
      },
      numberOf: (line) => {
        const at = lines.at(line)
        return at ? at.node.before + at.offset + 1 : line + 1
      },
      parentOf: (line) => {
        const at = lines.at(line)
        const heading = at && at.offset >= 0 ? at.node : at?.node.parent
        return heading ? (lines.lineOf(heading.key) ?? -1) : -1
      },
      follow: (rowKey, line) => {
        for (let step = 0; step <= reach * 2; step++) {
          // 0, 1, -1, 2, -2 …: the nearest one, where a record stands in several groups.
          const near = line + (step % 2 === 0 ? -step / 2 : (step + 1) / 2)
          const at = lines.at(near)
          if (at && at.offset >= 0 && rows.row(at.node.key, at.offset)?.id === rowKey) return near
        }
        return undefined
      },
      lineOf: lines.lineOf,
      onToggle: toggle,
    }),
    [rows, roots, lines, headings, terms.length, toggle],
  )

  const rowAt = (line: number): GridRecord | undefined => {
    const at = lines.at(line)
    return at && at.offset >= 0 ? rows.row(at.node.key, at.offset) : undefined
  }
  const loadRows = async (first: number, end: number): Promise<GridRecord[]> => {
    const found: GridRecord[] = []
    for (let line = first; line < Math.min(end, lines.length);) {
      const at = lines.at(line)
      if (!at) break
      if (at.offset < 0) {
        line++
        continue
      }
      const rest = Math.min(end - line, at.node.count - at.offset)
      found.push(...(await rows.rows(at.node.key, at.offset, at.offset + rest)))
      line += rest
    }
    return found
  }

  const changes = useMemo(
    () => ({
      subscribe: rows.subscribe,
      version: () => rows.snapshot().version,
      loading: () => isPending || rows.snapshot().loading,
    }),
    [rows, isPending],
  )
  return {
    queryKey,
    rowCount: isPending ? linesBeforeAnswer : lines.length,
    changes,
    getRow: rowAt,
    onVisibleRange: showLines,
    loadRows,
    patch: rows.patch,
    follow: groups.follow,
    reload: () => regroup(true),
    retry: () => {
      if (error) void refetch()
      rows.retry()
    },
    total: undefined,
    isShown: !isPending,
    error: error ?? rowsError,
    failed: error !== null && data === undefined,
    groups,
    cut: data?.hasMore === true && answer.length >= maxGroups,
    toggleAll: open.toggleAll,
    regroup,
  }
}
