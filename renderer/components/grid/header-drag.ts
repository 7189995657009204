// Owns dragging a column header to another place: when a press becomes a drag, between which columns it is, what the drop
// means. Knows elements of the header by their ARIA index; moves nothing itself.

import type { PointerEvent } from 'react'
import { columnAt } from './aria.ts'

/** Pixels a press has to travel before it is a drag: less is a click, which sorts. */
const threshold = 6
/** Distance from the edge of the scroller that scrolls it, and by how much at each movement, in pixels. */
const edge = 36
const edgeStep = 18

/** Where a dragged header would be dropped: before the column at `gap` (after the last one when it is their number). */
export interface HeaderDrop {
  gap: number
  /** Of the line that shows the place, from the start of the header row in pixels. */
  offset: number
}

/** Place of a column after it was dropped in a gap; its own two gaps leave it where it is. */
export function placeOfGap(from: number, gap: number): number {
  return gap > from ? gap - 1 : gap
}

/**
 * Follows a press on a header. `onOver` is told of each place, and null when it ended; `onDrop` of the new place, if it is
 * another one. Touch scrolls instead: there the menu of the column moves it.
 */
export function dragHeader(
  event: PointerEvent<HTMLElement>,
  from: number,
  onOver: (drop: HeaderDrop | null) => void,
  onDrop: (to: number) => void,
): void {
  if (event.button !== 0 || event.pointerType === 'touch') return
  const cell = event.currentTarget
  const row = cell.parentElement
  const scroller = cell.closest<HTMLElement>('.cg-scroller')
  if (!row || !scroller) return
  const { clientX: startX, pointerId } = event
  let drop: HeaderDrop | null = null
  let isDragging = false
  const move = (moved: globalThis.PointerEvent): void => {
    if (!isDragging && Math.abs(moved.clientX - startX) < threshold) return
    if (!isDragging) cell.setPointerCapture(pointerId)
    isDragging = true
    scrollAtEdge(scroller, moved.clientX)
    drop = dropAt(row, moved.clientX)
    onOver(drop)
  }
  const end = (ended: globalThis.PointerEvent): void => {
    window.removeEventListener('pointermove', move)
    window.removeEventListener('pointerup', end)
    window.removeEventListener('pointercancel', end)
    window.removeEventListener('keydown', escape, true)
    if (!isDragging) return
    onOver(null)
    // The click that follows would sort by the column.
    cell.addEventListener('click', stop, { capture: true, once: true })
    setTimeout(() => cell.removeEventListener('click', stop, { capture: true }))
    const to = drop && ended.type === 'pointerup' ? placeOfGap(from, drop.gap) : from
    if (to !== from) onDrop(to)
  }
  const escape = (pressed: KeyboardEvent): void => {
    if (pressed.key !== 'Escape') return
    pressed.preventDefault()
    pressed.stopPropagation()
    end(new globalThis.PointerEvent('pointercancel'))
  }
  window.addEventListener('pointermove', move)
  window.addEventListener('pointerup', end)
  window.addEventListener('pointercancel', end)
  window.addEventListener('keydown', escape, true)
}

function stop(event: Event): void {
  event.stopPropagation()
  event.preventDefault()
}

function scrollAtEdge(scroller: HTMLElement, clientX: number): void {
  const { left, right } = scroller.getBoundingClientRect()
  if (clientX > right - edge) scroller.scrollLeft += edgeStep
  else if (clientX < left + edge) scroller.scrollLeft -= edgeStep
}

/** The gap nearest to a point; frozen headers lie over the others, so they are asked first. */
function dropAt(row: HTMLElement, clientX: number): HeaderDrop | null {
  const origin = row.getBoundingClientRect()
  const isRtl = getComputedStyle(row).direction === 'rtl'
  const cells = [...row.querySelectorAll<HTMLElement>('[role="columnheader"]')]
    .map((cell) => ({ index: columnAt(cell), rect: cell.getBoundingClientRect(), frozen: cell.matches('.cg-frozen') }))
    .filter(({ index }) => index >= 0)
    .toSorted((a, b) => Number(b.frozen) - Number(a.frozen))
  const under =
    cells.find(({ rect }) => clientX >= rect.left && clientX < rect.right) ??
    cells.toSorted((a, b) => distance(a.rect, clientX) - distance(b.rect, clientX))[0]
  if (!under) return null
  const { rect, index } = under
  const isAfter = isRtl ? clientX < rect.left + rect.width / 2 : clientX > rect.left + rect.width / 2
  const x = isAfter === isRtl ? rect.left : rect.right
  return { gap: isAfter ? index + 1 : index, offset: isRtl ? origin.right - x : x - origin.left }
}

const distance = (rect: DOMRect, x: number): number => Math.min(Math.abs(rect.left - x), Math.abs(rect.right - x))
