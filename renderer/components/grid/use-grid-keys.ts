// Owns what keys do in display mode: it turns commands of nav.ts into changes of selection and calls of the screen.

import type { KeyboardEvent } from 'react'
import type { GridCore } from './grid-core.ts'
import { loadedCell } from './grid-core.ts'
import { rowKeyOf, skipHeadings } from './grid-core.ts'
import { commandForKey, movePosition, tabPosition } from './nav.ts'
import type { GridCommand } from './nav.ts'
import { columnWidth } from './render-column.ts'
import {
  HEADER_ROW,
  activeCell,
  collapse,
  extendTo,
  headCell,
  isSingleCell,
  selectAll,
  selectCell,
} from './selection.ts'
import type { CellActions } from './use-cell-actions.ts'
import type { RangeActions } from './use-range-actions.ts'

/** Next order when a header is activated: ascending, descending, none. */
export function nextOrder(order: 'asc' | 'desc' | undefined): 'asc' | 'desc' | null {
  return order === undefined ? 'asc' : order === 'asc' ? 'desc' : null
}

/** Asks the screen for the next order of a column. */
export function sortColumn({ props, columns }: GridCore, index: number, additive: boolean): void {
  const column = columns.columns[index]
  if (!column || !props.onSort || column.field.sortable === false) return
  const order = props.sort?.find(({ field }) => field === column.name)?.order
  props.onSort(column.name, nextOrder(order), additive)
}

/** Handler of keys pressed while the grid has the focus. */
export function useGridKeys(core: GridCore, cells: CellActions, ranges: RangeActions) {
  return (event: KeyboardEvent<HTMLElement>): void => {
    if (event.defaultPrevented) return
    const key = {
      key: event.key,
      ctrlKey: event.ctrlKey,
      metaKey: event.metaKey,
      shiftKey: event.shiftKey,
      altKey: event.altKey,
      isComposing: event.nativeEvent.isComposing,
    }
    const command = commandForKey(key, { rtl: core.window.isRtl(), entry: core.isEntry() })
    if (!command) return
    if (!run(core, cells, ranges, command, event)) return
    // The character of a "type" command goes on into the editor that has just been opened.
    if (command.kind !== 'type') event.preventDefault()
  }
}

/** Runs a command; false when it does not apply here and the key is left to others. */
function run(
  core: GridCore,
  cells: CellActions,
  ranges: RangeActions,
  command: GridCommand,
  event: KeyboardEvent<HTMLElement>,
): boolean {
  const { props, bounds, selection, select, window, columns } = core
  const active = activeCell(selection)
  const inHeader = active.row === HEADER_ROW
  const column = columns.columns[active.column]
  if (command.kind === 'move' || command.kind === 'open') core.setEntry(false)
  const onHeading = runOnHeading(core, command)
  if (onHeading !== null) return onHeading
  switch (command.kind) {
    case 'move': {
      const from = command.extend ? headCell(selection) : active
      const to = movePosition(from, command.move, { ...bounds, pageRows: window.pageRows })
      if (command.extend) select(extendTo(selection, to, bounds), true)
      else select(selectCell(to, bounds), true)
      return true
    }
    case 'tab': {
      const to = tabPosition(active, command.back, bounds)
      const row = to && skipHeadings(props, to.row, command.back)
      if (!to || row === null) return false
      select(selectCell({ ...to, row }, bounds), true)
      return true
    }
    case 'edit':
      if (inHeader) sortColumn(core, active.column, event.shiftKey)
      else cells.open(false)
      return true
    case 'type':
      if (inHeader || !props.onEdit) return false
      cells.open(true)
      return true
    case 'open': {
      if (inHeader) {
        sortColumn(core, active.column, false)
        return true
      }
      const cell = loadedCell(core, active)
      if (cell) props.onOpen?.(active.row, cell.row)
      return true
    }
    case 'clear':
      if (inHeader || !props.onEdit) return false
      ranges.clear()
      return true
    case 'fillDown':
      if (!props.onEdit) return false
      ranges.fillDown()
      return true
    case 'continueSeries':
      if (!props.onEdit) return false
      ranges.continueSeries()
      return true
    case 'selectAll':
      select(selectAll(bounds))
      return true
    case 'toggleRow': {
      const row = inHeader ? undefined : props.getRow(active.row)
      if (!row || !props.onCheckRow) return false
      props.onCheckRow(rowKeyOf(props, row, active.row), active.row, false)
      return true
    }
    case 'insertBelow':
      if (inHeader) {
        sortColumn(core, active.column, true)
        return true
      }
      if (!props.onInsertBelow) return false
      props.onInsertBelow(active.row)
      return true
    case 'menu': {
      const anchor = core.activeElement()
      if (!anchor || !column) return false
      if (inHeader) props.onHeaderMenu?.(column.name, anchor)
      else props.onCellMenu?.(active.row, column.name, anchor)
      return true
    }
    case 'resize':
      if (!inHeader || !column || !props.onColumnResize) return false
      props.onColumnResize(column.name, columnWidth(column.width + command.step))
      return true
    case 'moveColumn': {
      const to = active.column + command.step
      if (!inHeader || !column || !props.onColumnMove || !columns.columns[to]) return false
      props.onColumnMove(column.name, to)
      select(selectCell({ row: HEADER_ROW, column: to }, bounds), true)
      core.announce(core.labels.columnMoved(column.label, to + 1))
      return true
    }
    case 'escape':
      if (!isSingleCell(selection)) select(collapse(selection))
      else if (core.isEntry()) core.setEntry(false)
      else if (props.onEscape) props.onEscape()
      else return false
      return true
  }
}

/** What keys do on the heading of a group; null where they do what they do everywhere. */
function runOnHeading({ props, bounds, selection, select }: GridCore, command: GridCommand): boolean | null {
  const { groups } = props
  const { row, column } = activeCell(selection)
  const heading = groups?.headingAt(row)
  if (!groups || !heading) return null
  const go = (line: number): boolean => {
    if (line >= 0 && line < bounds.rowCount) select(selectCell({ row: line, column }, bounds), true)
    return true
  }
  switch (command.kind) {
    case 'move':
      if (command.extend) return null
      if (command.move === 'columnAfter') {
        if (heading.open) return go(row + 1)
        groups.onToggle(heading.key, true)
        return true
      }
      if (command.move === 'columnBefore') {
        if (!heading.open) return go(groups.parentOf(row))
        groups.onToggle(heading.key, false)
        return true
      }
      return null
    case 'edit':
    case 'open':
      groups.onToggle(heading.key, !heading.open)
      return true
    case 'type':
    case 'toggleRow':
    case 'menu':
      return false
    default:
      return null
  }
}
