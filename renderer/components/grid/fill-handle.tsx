// Owns the corner of the selection that is dragged down to fill: where it is, how far it was dragged, when it ends.

import { useState } from 'react'
import type { PointerEvent, ReactNode } from 'react'
import type { CellBox } from './cell-editor.tsx'
import type { GridCore } from './grid-core.ts'
import type { CellRange } from './selection.ts'

/** The handle at the corner of a range; `box` is its last cell, `width` that of the range in pixels. */
export function FillHandle(props: {
  core: GridCore
  range: CellRange
  box: CellBox
  width: number
  /** Told the line the series is to go on to. */
  onFill: (line: number) => void
}): ReactNode {
  const { core, range, box, width, onFill } = props
  const { window: view, bounds } = core
  const [to, setTo] = useState<number>()
  const end = { top: box.top + box.height, start: box.start + box.width }

  const press = (event: PointerEvent<HTMLSpanElement>): void => {
    if (event.button !== 0) return
    event.preventDefault()
    event.stopPropagation()
    event.currentTarget.setPointerCapture(event.pointerId)
    setTo(range.bottom)
  }
  const move = (event: PointerEvent<HTMLSpanElement>): void => {
    if (to === undefined) return
    event.stopPropagation()
    const { row } = view.cellAtPoint(event.clientX, event.clientY)
    const line = Math.min(Math.max(row, range.bottom), bounds.rowCount - 1)
    view.reveal(line, null)
    setTo(line)
  }
  const release = (event: PointerEvent<HTMLSpanElement>): void => {
    if (to === undefined) return
    event.stopPropagation()
    setTo(undefined)
    core.focusGrid()
    if (event.type === 'pointerup' && to > range.bottom) onFill(to)
  }
  return (
    <>
      {to !== undefined && to > range.bottom && (
        <span
          className="cg-fill-area"
          aria-hidden="true"
          style={{
            insetBlockStart: end.top,
            insetInlineStart: end.start - width,
            inlineSize: width,
            blockSize: (to - range.bottom) * box.height,
          }}
        />
      )}
      <span
        className="cg-fill"
        aria-hidden="true"
        style={{ insetBlockStart: end.top, insetInlineStart: end.start }}
        onPointerDown={press}
        onPointerMove={move}
        onPointerUp={release}
        onPointerCancel={release}
      />
    </>
  )
}
