// Owns what editing does with one cell: open, commit, cancel, flip. Knows fields by their registry entry only.

import { flushSync } from 'react-dom'
import type { GridCore, LoadedCell } from './grid-core.ts'
import { editorLine, loadedCell, rowNumber, shownValue, skipHeadings, writeOf } from './grid-core.ts'
import { tabPosition } from './nav.ts'
import type { EditorCommand } from './nav.ts'
import { HEADER_ROW, activeCell, selectCell } from './selection.ts'
import type { CellPosition } from './selection.ts'

/** Actions on the active cell and the open editor. */
export interface CellActions {
  /** Opens the editor of the active cell; `typing` starts with an empty text for the key that follows. */
  open(typing: boolean): void
  /** Saves the draft and moves on; stays open when the text is refused. */
  commit(move: Extract<EditorCommand, { kind: 'commit' }>['move'] | null, text?: string): void
  /** Saves the draft when the focus has gone elsewhere; refused text stays in the cell as not saved. */
  leave(): void
  cancel(): void
  /** Flips a cell of a type that has two values; false when the cell is none. */
  toggle(cell: LoadedCell): boolean
}

/** Compares two values by content; values are JSON. */
export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (a ?? null) === (b ?? null) || JSON.stringify(a) === JSON.stringify(b)
}

/** Builds the actions for this rendering. */
export function useCellActions(core: GridCore): CellActions {
  const { props, columns, bounds, edits, selection, select, announce, focusGrid, labels, window } = core
  const context = props.fieldContext

  const refuseReadonly = (cell: LoadedCell): boolean => {
    if (cell.column.editable) return false
    announce(labels.readonly(cell.column.label))
    return true
  }

  const toggle = (cell: LoadedCell): boolean => {
    const { column, row, rowIndex, rowKey } = cell
    if (!column.type.toggle) return false
    if (refuseReadonly(cell)) return true
    const value = column.type.toggle(shownValue(core, cell))
    const text = column.type.toText(value, column.field, context)
    edits.write([{ rowKey, field: column.name, rowIndex, row, value, text }])
    return true
  }

  const open = (typing: boolean): void => {
    const position = activeCell(selection)
    if (position.row === HEADER_ROW) return
    const cell = loadedCell(core, position)
    if (!cell) return announce(labels.notLoaded)
    if (refuseReadonly(cell) || (cell.column.type.toggle && typing)) return
    if (!typing && toggle(cell)) return
    const { column, row, rowIndex, rowKey } = cell
    const replace = typing && column.type.typingAdds !== true
    const text = replace ? '' : column.type.toText(shownValue(core, cell), column.field, context)
    window.reveal(position.row, position.column)
    // Mounted and focused before this key is handled on, so that a typed character lands in the editor.
    flushSync(() => edits.open({ rowKey, field: column.name }, row, rowIndex, text, replace))
  }

  /** Writes the draft; returns false when the text was refused. */
  const write = (text: string, refused: (message: string, cell: LoadedCell) => void): boolean => {
    const { editor } = edits.state
    const row = edits.editedRow()
    const column = columns.columns.find(({ name }) => name === editor?.field)
    if (!editor || !row || !column) {
      edits.cancel()
      return true
    }
    const { rowKey, rowIndex } = editor
    const cell: LoadedCell = { column, row, rowIndex, rowKey }
    const read = column.type.parse(text, column.field, context)
    if (!read.ok) {
      refused(read.message, cell)
      return false
    }
    const before = writeOf(core, cell)
    if (!before && sameValue(read.value, storedValue(cell, context))) edits.cancel()
    else if (before?.status === 'failed' && sameValue(read.value, storedValue(cell, context))) {
      edits.cancel()
      edits.discard({ rowKey, field: column.name })
    } else edits.write([{ rowKey, field: column.name, rowIndex, row, value: read.value, text }])
    return true
  }

  const nextPosition = (move: Parameters<CellActions['commit']>[0], from: CellPosition): CellPosition | null => {
    if (move === 'rowBelow' || move === 'rowAbove') {
      const isBack = move === 'rowAbove'
      const row = Math.min(bounds.rowCount - 1, Math.max(0, from.row + (isBack ? -1 : 1)))
      return { row: skipHeadings(props, row, isBack) ?? from.row, column: from.column }
    }
    if (move !== 'tab' && move !== 'tabBack') return null
    const to = tabPosition(from, move === 'tabBack', bounds)
    const row = to && skipHeadings(props, to.row, move === 'tabBack')
    return to && row !== null ? { ...to, row } : null
  }

  const commit: CellActions['commit'] = (move, text = edits.draft()) => {
    const { editor } = edits.state
    if (!editor) return
    const column = columns.columns.findIndex(({ name }) => name === editor.field)
    const line = editorLine(core)
    const written = write(text, (message) => {
      edits.reject(message)
      announce(message)
    })
    if (!written) return
    core.setEntry(true)
    focusGrid()
    const next = nextPosition(move, { row: line, column: Math.max(0, column) })
    if (next) select(selectCell(next, bounds), true)
  }

  const leave = (): void => {
    const text = edits.draft()
    write(text, (message, { rowKey, rowIndex, row, column }) => {
      edits.park([{ rowKey, field: column.name, row, rowIndex, text, value: undefined, message }])
      announce(labels.notSaved(column.label, rowNumber(props, rowIndex), message))
    })
  }

  const cancel = (): void => {
    edits.cancel()
    focusGrid()
  }

  return { open, commit, leave, cancel, toggle }
}

// Expanded records are compared by what editing them gives: their ids.
function storedValue({ column, row }: LoadedCell, context: GridCore['props']['fieldContext']): unknown {
  const stored = row[column.name]
  const text = column.type.toText(stored, column.field, context)
  if (text === '') return stored ?? null
  const read = column.type.parse(text, column.field, context)
  return read.ok ? read.value : stored
}
