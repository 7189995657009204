// Owns the geometry of the grid: which rows and columns a scroll position shows and where they are placed.
// Pure arithmetic in CSS pixels; knows no DOM, no React and no data.

/** Row slots kept mounted; a row is drawn in the slot `row % pool`, so scrolling recycles elements. */
export const ROW_POOL = 40
/** Rows drawn beyond each edge of the viewport. */
export const ROW_OVERSCAN = 4
/** Columns drawn beyond each edge of the viewport. */
export const COLUMN_OVERSCAN = 1
/**
 * Tallest spacer in CSS pixels before scrolling is scaled. Engines cap an element between 17.9 and 33.5 million
 * pixels, and above 2^24 single-precision offsets lose whole pixels, so the limit stays below both.
 */
export const MAX_SPACER_PX = 16_000_000

/** What the geometry needs to know: `viewportHeight` is the part of the scroller below the header, in pixels. */
export interface RowMetrics {
  rowCount: number
  rowHeight: number
  viewportHeight: number
}

/** Half-open range of indexes: `first` is inside, `end` is not. */
export interface IndexRange {
  first: number
  end: number
}

/** Where the scroller stands (`scrollTop`) and which pixel of the unscaled content that is (`virtualTop`). */
export interface ScrollPosition {
  scrollTop: number
  virtualTop: number
}

const clamp = (value: number, low: number, high: number): number => Math.min(Math.max(value, low), Math.max(low, high))

/** Height of all rows in pixels, unscaled. */
export function contentHeight(metrics: RowMetrics): number {
  return metrics.rowCount * metrics.rowHeight
}

/** Height the spacer element gets: the content, capped at {@link MAX_SPACER_PX}. */
export function spacerHeight(metrics: RowMetrics): number {
  return Math.min(contentHeight(metrics), MAX_SPACER_PX)
}

const maxScrollTop = (metrics: RowMetrics): number => Math.max(0, spacerHeight(metrics) - metrics.viewportHeight)
const maxVirtualTop = (metrics: RowMetrics): number => Math.max(0, contentHeight(metrics) - metrics.viewportHeight)

/** Tells whether one scrolled pixel may stand for more than one pixel of content. */
export function isScaled(metrics: RowMetrics): boolean {
  return contentHeight(metrics) > MAX_SPACER_PX
}

/**
 * Turns a new `scrollTop` into a position. In a scaled grid short steps (wheel, touch, keys) move the content one to
 * one and long jumps (dragging the scrollbar) go by proportion; both ends are always reached exactly.
 */
export function followScroll(previous: ScrollPosition, scrollTop: number, metrics: RowMetrics): ScrollPosition {
  const maxTop = maxScrollTop(metrics)
  const top = clamp(scrollTop, 0, maxTop)
  const maxVirtual = maxVirtualTop(metrics)
  if (!isScaled(metrics)) return { scrollTop: top, virtualTop: Math.min(top, maxVirtual) }
  if (top <= 0) return { scrollTop: top, virtualTop: 0 }
  if (top >= maxTop) return { scrollTop: top, virtualTop: maxVirtual }
  const delta = top - previous.scrollTop
  if (Math.abs(delta) <= metrics.viewportHeight * 2) {
    return { scrollTop: top, virtualTop: clamp(previous.virtualTop + delta, 0, maxVirtual) }
  }
  return { scrollTop: top, virtualTop: (top / maxTop) * maxVirtual }
}

/** Position whose `scrollTop` is the proportional place of `virtualTop`; used to jump, and to undo drift when idle. */
export function positionAt(virtualTop: number, metrics: RowMetrics): ScrollPosition {
  const maxVirtual = maxVirtualTop(metrics)
  const target = clamp(virtualTop, 0, maxVirtual)
  if (!isScaled(metrics)) return { scrollTop: target, virtualTop: target }
  return { scrollTop: Math.round((target / maxVirtual) * maxScrollTop(metrics)), virtualTop: target }
}

/** Rows to draw for a position, overscan included; empty when there are no rows. */
export function visibleRows(virtualTop: number, metrics: RowMetrics, overscan: number = ROW_OVERSCAN): IndexRange {
  const { rowCount, rowHeight, viewportHeight } = metrics
  const top = clamp(virtualTop, 0, maxVirtualTop(metrics))
  const first = clamp(Math.floor(top / rowHeight) - overscan, 0, rowCount)
  const end = clamp(Math.ceil((top + viewportHeight) / rowHeight) + overscan, first, rowCount)
  return { first, end }
}

/**
 * How far ahead of the last known position rows are drawn, in pixels: a fling is painted one step beyond what was heard of
 * it, so at more than half a viewport per step rows drawn for the last position would never be seen. Two steps in one
 * direction make a fling; one that slows down is expected to go on slowing down.
 */
export function flingAhead(lastStep: number, step: number, viewportHeight: number): number {
  const far = viewportHeight / 2
  if (Math.abs(step) < far || Math.abs(lastStep) < far || Math.sign(step) !== Math.sign(lastStep)) return 0
  const next = Math.abs(step) + Math.min(0, Math.abs(step) - Math.abs(lastStep))
  return Math.sign(step) * Math.max(0, next)
}

/** Number of row slots for a viewport: {@link ROW_POOL}, more only when a tall window would need it. */
export function poolSize(metrics: RowMetrics): number {
  const needed = Math.ceil(metrics.viewportHeight / metrics.rowHeight) + 1 + ROW_OVERSCAN * 2
  return needed <= ROW_POOL ? ROW_POOL : Math.ceil(needed / 8) * 8
}

/** Top of a row inside the spacer, in pixels; `shift` is `scrollTop - virtualTop`, 0 unless the grid is scaled. */
export function rowTop(row: number, rowHeight: number, shift: number): number {
  return row * rowHeight + shift
}

/** Position that shows the whole row with the least movement, or null when it is already shown. */
export function revealRow(row: number, position: ScrollPosition, metrics: RowMetrics): ScrollPosition | null {
  const top = row * metrics.rowHeight
  const bottom = top + metrics.rowHeight
  if (top < position.virtualTop || metrics.viewportHeight < metrics.rowHeight) return positionAt(top, metrics)
  if (bottom > position.virtualTop + metrics.viewportHeight) {
    return positionAt(bottom - metrics.viewportHeight, metrics)
  }
  return null
}

/** Inline-start offset of every column plus, as last element, the total width. */
export function columnOffsets(widths: readonly number[]): number[] {
  const offsets = [0]
  let total = 0
  for (const width of widths) {
    total += width
    offsets.push(total)
  }
  return offsets
}

/**
 * Scrolling columns to draw, overscan included; the first `frozenCount` columns are never part of the range because
 * they are always drawn. `scrollLeft` and `viewportWidth` exclude the row number column.
 */
export function visibleColumns(
  scrollLeft: number,
  viewportWidth: number,
  offsets: readonly number[],
  frozenCount: number = 0,
  overscan: number = COLUMN_OVERSCAN,
): IndexRange {
  const count = offsets.length - 1
  const frozen = clamp(frozenCount, 0, count)
  const left = Math.max(0, scrollLeft) + (offsets[frozen] ?? 0)
  const right = Math.max(left, Math.max(0, scrollLeft) + viewportWidth)
  let first = frozen
  while (first < count && (offsets[first + 1] ?? 0) <= left) first++
  let end = first
  while (end < count && (offsets[end] ?? 0) < right) end++
  return { first: clamp(first - overscan, frozen, count), end: clamp(end + overscan, frozen, count) }
}

/** `scrollLeft` that shows the whole column with the least movement, or null when nothing has to move. */
export function revealColumn(
  column: number,
  scrollLeft: number,
  viewportWidth: number,
  offsets: readonly number[],
  frozenCount: number = 0,
): number | null {
  if (column < frozenCount) return null
  const frozenWidth = offsets[frozenCount] ?? 0
  const start = offsets[column] ?? 0
  const end = offsets[column + 1] ?? start
  if (start < scrollLeft + frozenWidth) return Math.max(0, start - frozenWidth)
  if (end > scrollLeft + viewportWidth) return Math.max(0, Math.min(end - viewportWidth, start - frozenWidth))
  return null
}

/** Cell under a point of the content area: `x` and `y` from its top inline-start corner, in unscaled content pixels. */
export function cellAt(
  x: number,
  y: number,
  metrics: RowMetrics,
  offsets: readonly number[],
): { row: number; column: number } {
  const count = offsets.length - 1
  let column = 0
  while (column < count - 1 && (offsets[column + 1] ?? 0) <= x) column++
  return { row: clamp(Math.floor(y / metrics.rowHeight), 0, metrics.rowCount - 1), column }
}
