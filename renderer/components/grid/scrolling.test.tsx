// @vitest-environment happy-dom
// Proves what of the grid is drawn while it is scrolled: rows where a fling pauses, and frozen columns that stick in time.
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { translateField } from '../../fields/index.ts'
import type { FieldContext } from '../../fields/index.ts'
import { DataGrid } from './data-grid.tsx'

const context: FieldContext = { locale: 'en', timeZone: 'UTC', translate: translateField }
const rowHeight = 36
const viewport = 432

function show(): HTMLElement {
  render(
    <DataGrid
      label="Tasks"
      columns={Array.from({ length: 12 }, (_, at) => ({
        field: { name: `f${at}`, type: 'text', label: `Field ${at}` },
        width: 200,
      }))}
      frozenColumns={1}
      rowHeight={rowHeight}
      rowCount={5_000}
      getRow={(index) => ({ id: `r${index}`, f0: `Task ${index}` })}
      fieldContext={context}
    />,
  )
  return document.querySelector<HTMLElement>('.cg-scroller')!
}

beforeEach(() => {
  // No layout in this environment: give the scroller the size a window would.
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(viewport)
  vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(900)
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a fling', () => {
  let scroller: HTMLElement
  const isDrawn = (row: number): boolean => screen.queryByRole('gridcell', { name: `Task ${row}` }) !== null
  const scrollTo = (row: number): void => {
    scroller.scrollTop = row * rowHeight
    fireEvent.scroll(scroller)
  }
  const pass = (ms: number): void => act(() => void vi.advanceTimersByTime(ms))

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] })
    scroller = show()
    pass(1_000)
  })

  it('that is drawn too slowly passes rows by, draws those where it pauses, and goes on', () => {
    scrollTo(100)
    expect(isDrawn(100)).toBe(true)
    // What the first step cost is known with the second one, which belongs to the fling and is not drawn.
    pass(60)
    scrollTo(200)
    expect(isDrawn(200)).toBe(false)
    pass(60)
    scrollTo(300)
    expect(isDrawn(300)).toBe(false)
    pass(100)
    expect(isDrawn(300)).toBe(true)
    expect(isDrawn(300 + viewport / rowHeight - 1)).toBe(true)

    scrollTo(400)
    pass(60)
    scrollTo(500)
    pass(100)
    expect(isDrawn(500)).toBe(true)
    expect(isDrawn(500 + viewport / rowHeight - 1)).toBe(true)
  })

  it('that begins anew after a rest, turns or slows down is drawn where it is at once', () => {
    scrollTo(100)
    pass(60)
    scrollTo(200)
    pass(400)
    scrollTo(300)
    expect(isDrawn(300)).toBe(true)
    pass(60)
    scrollTo(250)
    expect(isDrawn(250)).toBe(true)
    pass(60)
    scrollTo(252)
    expect(isDrawn(252)).toBe(true)
  })
})

describe('frozen columns', () => {
  const isSticking = (scroller: HTMLElement): boolean => scroller.hasAttribute('data-slid')
  const slideTo = (scroller: HTMLElement, left: number): void => {
    scroller.scrollLeft = left
    fireEvent.scroll(scroller)
  }

  it('stick from the moment somebody reaches for the columns until these are back at their start', () => {
    const scroller = show()
    expect(isSticking(scroller)).toBe(false)
    fireEvent.wheel(scroller, { deltaY: 80 })
    expect(isSticking(scroller)).toBe(false)
    fireEvent.wheel(scroller, { deltaX: 40 })
    expect(isSticking(scroller)).toBe(true)
    slideTo(scroller, 40)
    expect(isSticking(scroller)).toBe(true)
    slideTo(scroller, 0)
    expect(isSticking(scroller)).toBe(false)
  })

  it('stick for a finger and for the bar, and not for a press of the mouse on a cell', () => {
    const scroller = show()
    const reached = (reach: () => void): boolean => {
      slideTo(scroller, 0)
      reach()
      return isSticking(scroller)
    }
    const cell = screen.getByRole('gridcell', { name: 'Task 2' })
    expect(reached(() => fireEvent.pointerDown(cell, { pointerType: 'mouse' }))).toBe(false)
    expect(reached(() => fireEvent.pointerDown(cell, { pointerType: 'touch' }))).toBe(true)
    expect(reached(() => fireEvent.pointerDown(scroller, { pointerType: 'mouse' }))).toBe(true)
  })

  it('stick before a key brings a column out of sight into view', () => {
    const scroller = show()
    const scrolled = vi.spyOn(scroller, 'scrollTo')
    act(() => screen.getByRole('grid').focus())
    scrolled.mockImplementation(() => expect(isSticking(scroller)).toBe(true))
    fireEvent.keyDown(document.activeElement!, { key: 'End' })
    expect(scrolled).toHaveBeenCalled()
    expect(isSticking(scroller)).toBe(true)
  })
})
