// Owns the link between the scroller and the geometry: one scroll handler, state only when what is drawn changes.
// Knows elements and pixels; knows no cells' content, selection or editing.

import { useCallback, useLayoutEffect, useMemo, useReducer, useRef, useState } from 'react'
import type { RefObject } from 'react'
import { flushSync } from 'react-dom'
import { HEADER_HEIGHT } from './render-column.ts'
import type { RenderColumns } from './render-column.ts'
import {
  cellAt,
  followScroll,
  isScaled,
  positionAt,
  revealColumn,
  revealRow,
  visibleColumns,
  visibleRows,
} from './window.ts'
import type { IndexRange, RowMetrics, ScrollPosition } from './window.ts'

/** What is drawn: ranges of rows and scrolling columns, and how far rows are shifted in a scaled grid, in pixels. */
export interface GridView {
  rows: IndexRange
  /** Rows on screen, without overscan. */
  shown: IndexRange
  columns: IndexRange
  shift: number
}

/** The scroller's side of a grid. */
export interface GridWindow {
  scroller: RefObject<HTMLDivElement | null>
  view: GridView
  metrics: RowMetrics
  /** Rows that fit on the screen, at least one. */
  pageRows: number
  onScroll(): void
  /** Scrolls as little as possible to show a cell. */
  reveal(row: number, column: number | null): void
  toTop(): void
  /** Cell nearest to a point of the window; row and column are always inside the grid. */
  cellAtPoint(clientX: number, clientY: number): { row: number; column: number }
  isRtl(): boolean
}

// A scaled grid drifts from its scrollbar while it is scrolled in small steps; at rest the scrollbar is put right.
const REST_MS = 150

const sameRange = (a: IndexRange, b: IndexRange): boolean => a.first === b.first && a.end === b.end

/** Follows the scroller; `lines` counts rows plus the line that adds one. */
export function useGridWindow(lines: number, rowHeight: number, columns: RenderColumns): GridWindow {
  const scroller = useRef<HTMLDivElement>(null)
  const position = useRef<ScrollPosition>({ scrollTop: 0, virtualTop: 0 })
  const left = useRef(0)
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const metrics = useMemo<RowMetrics>(
    () => ({ rowCount: lines, rowHeight, viewportHeight: Math.max(0, size.height - HEADER_HEIGHT) }),
    [lines, rowHeight, size.height],
  )
  const columnViewport = Math.max(0, size.width - columns.numberWidth)

  const look = useCallback((): GridView => {
    const { virtualTop, scrollTop } = position.current
    return {
      rows: visibleRows(virtualTop, metrics),
      shown: visibleRows(virtualTop, metrics, 0),
      columns: visibleColumns(left.current, columnViewport, columns.offsets, columns.frozenCount),
      shift: scrollTop - virtualTop,
    }
  }, [metrics, columnViewport, columns])

  // The scroll position is not state: what it means is looked up on every rendering and kept while it is the same.
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const last = useRef<GridView | null>(null)
  const fresh = look()
  if (!last.current || !sameView(last.current, fresh)) last.current = fresh
  const view = last.current

  const isRtl = useCallback(
    () => (scroller.current ? getComputedStyle(scroller.current).direction === 'rtl' : false),
    [],
  )

  const update = useCallback((): void => {
    if (!last.current || !sameView(last.current, look())) redraw()
  }, [look])

  const scrollTo = useCallback((target: ScrollPosition): void => {
    position.current = target
    if (scroller.current) scroller.current.scrollTop = target.scrollTop
  }, [])

  const onScroll = useCallback((): void => {
    const element = scroller.current
    if (!element) return
    position.current = followScroll(position.current, element.scrollTop, metrics)
    left.current = Math.abs(element.scrollLeft)
    // Drawn within the same frame: deferring it would show blank rows for a frame while flinging.
    flushSync(update)
    if (!isScaled(metrics)) return
    clearTimeout(rest.current)
    rest.current = setTimeout(() => {
      scrollTo(positionAt(position.current.virtualTop, metrics))
      update()
    }, REST_MS)
  }, [metrics, scrollTo, update])

  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const measure = (): void =>
      setSize((known) =>
        known.width === element.clientWidth && known.height === element.clientHeight
          ? known
          : { width: element.clientWidth, height: element.clientHeight },
      )
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => {
      observer.disconnect()
      clearTimeout(rest.current)
    }
  }, [])

  // Fewer rows may leave the scroller beyond its end; the browser clamps it, the position has to follow.
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    position.current = followScroll(position.current, element.scrollTop, metrics)
    update()
  }, [metrics, update])

  const reveal = useCallback(
    (row: number, column: number | null): void => {
      const element = scroller.current
      if (!element) return
      const target = row >= 0 ? revealRow(row, position.current, metrics) : null
      if (target) scrollTo(target)
      if (column !== null) {
        const next = revealColumn(column, left.current, columnViewport, columns.offsets, columns.frozenCount)
        if (next !== null) {
          left.current = next
          element.scrollLeft = isRtl() ? -next : next
        }
      }
      update()
    },
    [metrics, columns, columnViewport, scrollTo, update, isRtl],
  )

  const toTop = useCallback((): void => {
    scrollTo({ scrollTop: 0, virtualTop: 0 })
    update()
  }, [scrollTo, update])

  const cellAtPoint = useCallback(
    (clientX: number, clientY: number) => {
      const box = scroller.current?.getBoundingClientRect()
      if (!box) return { row: 0, column: 0 }
      const fromStart = (isRtl() ? box.right - clientX : clientX - box.left) - columns.numberWidth
      const frozenWidth = columns.offsets[columns.frozenCount] ?? 0
      const x = fromStart < frozenWidth ? fromStart : fromStart + left.current
      const y = clientY - box.top - HEADER_HEIGHT + position.current.virtualTop
      return cellAt(x, y, metrics, columns.offsets)
    },
    [metrics, columns, isRtl],
  )

  const pageRows = Math.max(1, Math.floor(metrics.viewportHeight / rowHeight))
  return { scroller, view, metrics, pageRows, onScroll, reveal, toTop, cellAtPoint, isRtl }
}

function sameView(a: GridView, b: GridView): boolean {
  return (
    a.shift === b.shift && sameRange(a.rows, b.rows) && sameRange(a.shown, b.shown) && sameRange(a.columns, b.columns)
  )
}
