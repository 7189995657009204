// Owns the link between the scroller and the geometry: one scroll handler, state only when what is drawn changes.
// Knows elements and pixels; knows no cells' content, selection or editing.

import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { PointerEvent, WheelEvent } from 'react'
import { flushSync } from 'react-dom'
import { HEADER_HEIGHT } from './render-column.ts'
import type { RenderColumns } from './render-column.ts'
import {
  cellAt,
  flingAhead,
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
  /** Ref of the scrolling element. */
  attach(element: HTMLDivElement | null): void
  view: GridView
  metrics: RowMetrics
  /** Rows that fit on the screen, at least one. */
  pageRows: number
  onScroll(): void
  /** Somebody may be about to scroll the columns: what is frozen has to stick before the first frame of it. */
  onReach(event: WheelEvent<HTMLElement> | PointerEvent<HTMLElement>): void
  /** Scrolls as little as possible to show a cell. */
  reveal(row: number, column: number | null): void
  toTop(): void
  /** Cell nearest to a point of the window; row and column are always inside the grid. */
  cellAtPoint(clientX: number, clientY: number): { row: number; column: number }
  isRtl(): boolean
}

// A scaled grid drifts from its scrollbar while it is scrolled in small steps; at rest the scrollbar is put right.
const REST_MS = 150

/** Steps further apart belong to no fling. */
const FLING_GAP_MS = 250
/** When nothing was heard of a fling for so long, rows are drawn where the scroller stands. */
const LANDING_MS = 80

/** When a step of a fling is drawn later than this, rows are drawn less often. */
const SMOOTH_MS = 25
/** Then as many times of what a drawing took pass without one: the page moves on, and rows are seen where it stays. */
const FLING_PAUSE = 6

const nothing: GridView = {
  rows: { first: 0, end: 0 },
  shown: { first: 0, end: 0 },
  columns: { first: 0, end: 0 },
  shift: 0,
}

const sameRange = (a: IndexRange, b: IndexRange): boolean => a.first === b.first && a.end === b.end

/**
 * Follows the scroller; `lines` counts rows plus the line that adds one, `footHeight` is what covers the lower edge, in
 * pixels.
 */
export function useGridWindow(
  lines: number,
  rowHeight: number,
  columns: RenderColumns,
  footHeight: number,
): GridWindow {
  const [scroller, attach] = useState<HTMLDivElement | null>(null)
  const position = useRef<ScrollPosition>({ scrollTop: 0, virtualTop: 0 })
  const left = useRef(0)
  const fling = useRef({ step: 0, at: 0, ahead: 0, drawnAt: 0, cost: 0 })
  const landing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const rest = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const [size, setSize] = useState({ width: 0, height: 0 })
  const metrics = useMemo<RowMetrics>(
    () => ({ rowCount: lines, rowHeight, viewportHeight: Math.max(0, size.height - HEADER_HEIGHT - footHeight) }),
    [lines, rowHeight, size.height, footHeight],
  )
  const columnViewport = Math.max(0, size.width - columns.numberWidth)

  const look = useCallback((): GridView => {
    const { virtualTop, scrollTop } = position.current
    return {
      rows: visibleRows(virtualTop + fling.current.ahead, metrics),
      shown: visibleRows(virtualTop, metrics, 0),
      columns: visibleColumns(left.current, columnViewport, columns.offsets, columns.frozenCount),
      shift: scrollTop - virtualTop,
    }
  }, [metrics, columnViewport, columns])

  const [view, setView] = useState<GridView>(nothing)

  const isRtl = useCallback(() => (scroller ? getComputedStyle(scroller).direction === 'rtl' : false), [scroller])

  const update = useCallback((): void => {
    const next = look()
    setView((last) => (sameView(last, next) ? last : next))
  }, [look])

  const scrollTo = useCallback(
    (target: ScrollPosition): void => {
      position.current = target
      scroller?.scrollTo({ top: target.scrollTop })
    },
    [scroller],
  )

  const onScroll = useCallback((): void => {
    if (!scroller) return
    const before = position.current.virtualTop
    position.current = followScroll(position.current, scroller.scrollTop, metrics)
    left.current = Math.abs(scroller.scrollLeft)
    slide(scroller, left.current !== 0)
    const step = position.current.virtualTop - before
    const now = performance.now()
    const { at, drawnAt } = fling.current
    const last = now - at < FLING_GAP_MS ? fling.current.step : 0
    // What comes of a drawing, layout and paint included, is known when the next step is heard of.
    const cost = drawnAt === at ? now - at : fling.current.cost
    fling.current = { step, at: now, ahead: flingAhead(last, step, metrics.viewportHeight), drawnAt, cost }
    clearTimeout(landing.current)
    if (fling.current.ahead !== 0) {
      landing.current = setTimeout(() => {
        fling.current.ahead = 0
        update()
      }, LANDING_MS)
    }
    // Only where no row drawn for the last step would be seen anyway.
    const isFar = fling.current.ahead !== 0 && Math.abs(step) >= metrics.viewportHeight
    const isPause = isFar && cost > SMOOTH_MS && now - drawnAt < cost * FLING_PAUSE
    if (!isPause) {
      fling.current.drawnAt = now
      // Drawn within the same frame: deferring it would show blank rows for a frame while flinging.
      flushSync(update)
    }
    if (!isScaled(metrics)) return
    clearTimeout(rest.current)
    rest.current = setTimeout(() => {
      scrollTo(positionAt(position.current.virtualTop, metrics))
      update()
    }, REST_MS)
  }, [scroller, metrics, scrollTo, update])

  useLayoutEffect(() => {
    if (!scroller) return
    const measure = (): void =>
      setSize((known) =>
        known.width === scroller.clientWidth && known.height === scroller.clientHeight
          ? known
          : { width: scroller.clientWidth, height: scroller.clientHeight },
      )
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller)
    return () => {
      observer.disconnect()
      clearTimeout(rest.current)
      clearTimeout(landing.current)
    }
  }, [scroller])

  // Fewer rows may leave the scroller beyond its end; the browser clamps it, the position has to follow.
  useLayoutEffect(() => {
    if (!scroller) return
    position.current = followScroll(position.current, scroller.scrollTop, metrics)
    update()
  }, [scroller, metrics, update])

  const reveal = useCallback(
    (row: number, column: number | null): void => {
      if (!scroller) return
      const target = row >= 0 ? revealRow(row, position.current, metrics) : null
      if (target) scrollTo(target)
      if (column !== null) {
        const next = revealColumn(column, left.current, columnViewport, columns.offsets, columns.frozenCount)
        if (next !== null) {
          left.current = next
          slide(scroller, true)
          scroller.scrollTo({ left: isRtl() ? -next : next })
        }
      }
      update()
    },
    [scroller, metrics, columns, columnViewport, scrollTo, update, isRtl],
  )

  const onReach = useCallback(
    (event: WheelEvent<HTMLElement> | PointerEvent<HTMLElement>): void => {
      // A press that is on no cell is on a bar.
      const isReaching =
        'deltaX' in event
          ? event.deltaX !== 0 || event.shiftKey
          : event.pointerType === 'touch' || event.target === event.currentTarget
      if (scroller && isReaching) slide(scroller, true)
    },
    [scroller],
  )

  const toTop = useCallback((): void => {
    scrollTo({ scrollTop: 0, virtualTop: 0 })
    update()
  }, [scrollTo, update])

  const cellAtPoint = useCallback(
    (clientX: number, clientY: number) => {
      const box = scroller?.getBoundingClientRect()
      if (!box) return { row: 0, column: 0 }
      const fromStart = (isRtl() ? box.right - clientX : clientX - box.left) - columns.numberWidth
      const frozenWidth = columns.offsets[columns.frozenCount] ?? 0
      const x = fromStart < frozenWidth ? fromStart : fromStart + left.current
      const y = clientY - box.top - HEADER_HEIGHT + position.current.virtualTop
      return cellAt(x, y, metrics, columns.offsets)
    },
    [scroller, metrics, columns, isRtl],
  )

  const pageRows = Math.max(1, Math.floor(metrics.viewportHeight / rowHeight))
  return { attach, view, metrics, pageRows, onScroll, onReach, reveal, toTop, cellAtPoint, isRtl }
}

/** Has what is frozen stick. */
function slide(scroller: HTMLElement, isSlid: boolean): void {
  if (scroller.hasAttribute('data-slid') !== isSlid) scroller.toggleAttribute('data-slid', isSlid)
}

function sameView(a: GridView, b: GridView): boolean {
  return (
    a.shift === b.shift && sameRange(a.rows, b.rows) && sameRange(a.shown, b.shown) && sameRange(a.columns, b.columns)
  )
}
