// Owns what the pointer does on cells: select, extend by dragging, open, tick, menus. Positions come from ARIA indexes.

import { useRef } from 'react'
import type { MouseEvent, PointerEvent } from 'react'
import { positionOf } from './aria.ts'
import type { GridCore } from './grid-core.ts'
import { loadedCell, rowKeyOf } from './grid-core.ts'
import {
  HEADER_ROW,
  activeCell,
  addCell,
  extendTo,
  isSelected,
  isSingleCell,
  samePosition,
  selectAll,
  selectCell,
  selectRows,
} from './selection.ts'
import type { CellActions } from './use-cell-actions.ts'
import { sortColumn } from './use-grid-keys.ts'

/** Handlers for the element with role grid. */
export interface GridPointer {
  onPointerDown(event: PointerEvent<HTMLElement>): void
  onPointerMove(event: PointerEvent<HTMLElement>): void
  onPointerUp(event: PointerEvent<HTMLElement>): void
  onClick(event: MouseEvent<HTMLElement>): void
  onDoubleClick(event: MouseEvent<HTMLElement>): void
  onContextMenu(event: MouseEvent<HTMLElement>): void
}

const NUMBER_COLUMN = -1

/** Builds the handlers for this rendering. */
export function useGridPointer(core: GridCore, cells: CellActions): GridPointer {
  const { props, bounds, columns, focusGrid: focus, selection, select, window } = core
  const drag = useRef<number | null>(null)
  const wasActive = useRef(false)

  const press = (event: MouseEvent<HTMLElement>, position: { row: number; column: number }): void => {
    core.setEntry(false)
    wasActive.current = isSingleCell(selection) && samePosition(activeCell(selection), position)
    if (props.groups?.headingAt(position.row) && !event.shiftKey) {
      select(selectCell({ row: position.row, column: Math.max(0, position.column) }, bounds))
    } else if (position.column === NUMBER_COLUMN) {
      if (position.row === HEADER_ROW) select(selectAll(bounds))
      else select(selectRows(selection, position.row, event.shiftKey, bounds))
    } else if (position.row === HEADER_ROW) select(selectCell(position, bounds), true)
    else if (event.shiftKey) select(extendTo(selection, position, bounds))
    else if (event.ctrlKey || event.metaKey) select(addCell(selection, position, bounds))
    else select(selectCell(position, bounds))
  }

  return {
    onPointerDown(event) {
      const position = positionOf(event.target)
      if (!position || event.target instanceof HTMLInputElement || event.target instanceof HTMLButtonElement) return
      // A finger scrolls; what it selects is decided by the click.
      if (event.pointerType === 'touch') return
      if (event.button === 2 && isSelected(selection, position)) return focus()
      if (event.button !== 0 && event.button !== 2) return
      focus()
      press(event, position)
      if (event.button === 0 && position.row !== HEADER_ROW && position.column !== NUMBER_COLUMN) {
        drag.current = event.pointerId
      }
    },
    onPointerMove(event) {
      if (drag.current !== event.pointerId) return
      if (event.buttons % 2 === 0) {
        drag.current = null
        return
      }
      event.currentTarget.setPointerCapture(event.pointerId)
      const over = window.cellAtPoint(event.clientX, event.clientY)
      const next = extendTo(selection, over, bounds)
      select(next)
      window.reveal(Math.min(over.row, bounds.rowCount - 1), over.column)
    },
    onPointerUp(event) {
      if (drag.current === event.pointerId) drag.current = null
    },
    onClick(event) {
      const position = positionOf(event.target)
      if (!position) return
      const touch = (event.nativeEvent as globalThis.PointerEvent).pointerType === 'touch'
      if (touch && !(event.target instanceof HTMLInputElement)) {
        focus()
        press(event, position)
      }
      if (event.target instanceof HTMLInputElement && position.column === NUMBER_COLUMN) {
        const row = props.getRow(position.row)
        if (row) props.onCheckRow?.(rowKeyOf(props, row, position.row), position.row, event.shiftKey)
        focus()
      } else if (props.groups?.headingAt(position.row)) {
        const heading = props.groups.headingAt(position.row)
        if (heading && !event.shiftKey) props.groups.onToggle(heading.key, !heading.open)
      } else if (position.row === HEADER_ROW && position.column >= 0) {
        sortColumn(core, position.column, event.shiftKey)
      } else if (wasActive.current && position.column >= 0) {
        const cell = loadedCell(core, position)
        if (cell && props.onEdit) cells.toggle(cell)
      }
    },
    onDoubleClick(event) {
      const position = positionOf(event.target)
      if (!position || position.row === HEADER_ROW || props.groups?.headingAt(position.row)) return
      if (position.column === NUMBER_COLUMN && !(event.target instanceof HTMLInputElement)) {
        const row = props.getRow(position.row)
        if (row) props.onOpen?.(position.row, row)
        return
      }
      if (position.column < 0 || !props.onEdit) return
      const column = columns.columns[position.column]
      if (column && !column.type.toggle) cells.open(false)
    },
    onContextMenu(event) {
      const position = positionOf(event.target)
      if (!position || position.column < 0 || !(event.target instanceof Element)) return
      const anchor = event.target.closest<HTMLElement>('[aria-colindex]')
      const column = columns.columns[position.column]
      if (!anchor || !column) return
      if (props.groups?.headingAt(position.row)) return
      const menu = position.row === HEADER_ROW ? props.onHeaderMenu : props.onCellMenu
      if (!menu) return
      event.preventDefault()
      if (position.row === HEADER_ROW) props.onHeaderMenu?.(column.name, anchor)
      else props.onCellMenu?.(position.row, column.name, anchor)
    },
  }
}
