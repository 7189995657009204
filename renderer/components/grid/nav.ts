// Owns the keyboard map of the grid: key to command, and where a movement leads.
// Pure; knows no DOM events (a key is a plain record), no selection state and no editing.

import { HEADER_ROW } from './selection.ts'
import type { CellPosition, GridBounds } from './selection.ts'

/** A movement of the active cell; column words follow reading order, not the screen. */
export type GridMove =
  | 'rowAbove'
  | 'rowBelow'
  | 'columnBefore'
  | 'columnAfter'
  | 'firstRow'
  | 'lastRow'
  | 'firstColumn'
  | 'lastColumn'
  | 'pageAbove'
  | 'pageBelow'
  | 'gridStart'
  | 'gridEnd'

/** What a key asks the grid to do in display mode. */
export type GridCommand =
  | { kind: 'move'; move: GridMove; extend: boolean }
  | { kind: 'tab'; back: boolean }
  | { kind: 'edit' }
  | { kind: 'type' }
  | { kind: 'open' }
  | { kind: 'clear' }
  | { kind: 'fillDown' }
  | { kind: 'continueSeries' }
  | { kind: 'selectAll' }
  | { kind: 'toggleRow' }
  | { kind: 'insertBelow' }
  | { kind: 'menu' }
  | { kind: 'resize'; step: number }
  | { kind: 'moveColumn'; step: 1 | -1 }
  | { kind: 'escape' }

/** What an editor's key asks for: keep the text (and move), or give it up. */
export type EditorCommand = { kind: 'commit'; move: 'rowBelow' | 'rowAbove' | 'tab' | 'tabBack' } | { kind: 'cancel' }

/** The part of a keyboard event the map reads. */
export interface GridKey {
  key: string
  ctrlKey?: boolean
  metaKey?: boolean
  shiftKey?: boolean
  altKey?: boolean
  isComposing?: boolean
}

/** State the map depends on: writing direction, and whether Tab moves (it does while cells are being filled in). */
export interface KeyState {
  rtl?: boolean
  entry?: boolean
}

/** Pixels one keyboard step changes a column's width by. */
export const RESIZE_STEP_PX = 16

const moves: Record<string, { plain: GridMove; ctrl: GridMove } | undefined> = {
  ArrowUp: { plain: 'rowAbove', ctrl: 'firstRow' },
  ArrowDown: { plain: 'rowBelow', ctrl: 'lastRow' },
  ArrowLeft: { plain: 'columnBefore', ctrl: 'firstColumn' },
  ArrowRight: { plain: 'columnAfter', ctrl: 'lastColumn' },
  Home: { plain: 'firstColumn', ctrl: 'gridStart' },
  End: { plain: 'lastColumn', ctrl: 'gridEnd' },
  PageUp: { plain: 'pageAbove', ctrl: 'pageAbove' },
  PageDown: { plain: 'pageBelow', ctrl: 'pageBelow' },
}

const mirrored: Record<string, string | undefined> = { ArrowLeft: 'ArrowRight', ArrowRight: 'ArrowLeft' }

/** Command of a key in display mode, or null when the key is not the grid's (the browser or the application has it). */
export function commandForKey(key: GridKey, state: KeyState = {}): GridCommand | null {
  const ctrl = Boolean(key.ctrlKey) || Boolean(key.metaKey)
  const shift = Boolean(key.shiftKey)
  const alt = Boolean(key.altKey)
  const name = (state.rtl && mirrored[key.key]) || key.key
  if (alt) {
    if (ctrl) return null
    if (name === 'Enter') return { kind: 'menu' }
    if (shift && name === 'ArrowLeft') return { kind: 'resize', step: -RESIZE_STEP_PX }
    if (shift && name === 'ArrowRight') return { kind: 'resize', step: RESIZE_STEP_PX }
    if (!shift && name === 'ArrowLeft') return { kind: 'moveColumn', step: -1 }
    if (!shift && name === 'ArrowRight') return { kind: 'moveColumn', step: 1 }
    return null
  }
  const move = Object.hasOwn(moves, name) ? moves[name] : undefined
  if (move) return { kind: 'move', move: ctrl ? move.ctrl : move.plain, extend: shift }
  if (ctrl) {
    if (shift) return name === 'd' || name === 'D' ? { kind: 'continueSeries' } : null
    if (name === 'a' || name === 'A') return { kind: 'selectAll' }
    if (name === 'd' || name === 'D') return { kind: 'fillDown' }
    return null
  }
  switch (name) {
    case 'Tab':
      return state.entry ? { kind: 'tab', back: shift } : null
    case 'Enter':
      return shift ? { kind: 'insertBelow' } : { kind: 'edit' }
    case 'F2':
      return { kind: 'edit' }
    case ' ':
      return shift ? { kind: 'toggleRow' } : { kind: 'open' }
    case 'Delete':
    case 'Backspace':
      return { kind: 'clear' }
    case 'Escape':
      return { kind: 'escape' }
    case 'ContextMenu':
      return { kind: 'menu' }
    case 'F10':
      return shift ? { kind: 'menu' } : null
  }
  // Any key that writes something starts an edit; input methods report "Process" or "Dead" until they are done.
  const writes = [...name].length === 1 || name === 'Process' || name === 'Dead' || key.isComposing
  return writes ? { kind: 'type' } : null
}

/** Command of a key inside an editor, or null when the editor itself uses the key (for example Alt+Enter, a line break). */
export function commandForEditorKey(key: GridKey): EditorCommand | null {
  if (key.isComposing || key.key === 'Process') return null
  if (key.key === 'Escape') return { kind: 'cancel' }
  if (key.altKey || key.ctrlKey || key.metaKey) return null
  if (key.key === 'Tab') return { kind: 'commit', move: key.shiftKey ? 'tabBack' : 'tab' }
  if (key.key === 'Enter') return { kind: 'commit', move: key.shiftKey ? 'rowAbove' : 'rowBelow' }
  return null
}

/** Bounds of a movement: `pageRows` is how many rows Page Up and Page Down go, at least one. */
export interface MoveBounds extends GridBounds {
  pageRows: number
}

/**
 * Cell a movement leads to; stays inside the grid. One step up from the first row reaches the header, and the jumps
 * (Ctrl, Home, Page) never leave the rows unless they start in the header.
 */
export function movePosition(from: CellPosition, move: GridMove, bounds: MoveBounds): CellPosition {
  const lastRow = bounds.rowCount - 1
  const lastColumn = Math.max(0, bounds.columnCount - 1)
  const firstRow = lastRow < 0 ? HEADER_ROW : 0
  const page = Math.max(1, Math.trunc(bounds.pageRows))
  const { row, column } = from
  switch (move) {
    case 'rowAbove':
      return { row: Math.max(HEADER_ROW, row - 1), column }
    case 'rowBelow':
      return { row: Math.min(lastRow, row + 1), column }
    case 'columnBefore':
      return { row, column: Math.max(0, column - 1) }
    case 'columnAfter':
      return { row, column: Math.min(lastColumn, column + 1) }
    case 'firstRow':
      return { row: row === HEADER_ROW ? HEADER_ROW : firstRow, column }
    case 'lastRow':
      return { row: lastRow, column }
    case 'firstColumn':
      return { row, column: 0 }
    case 'lastColumn':
      return { row, column: lastColumn }
    case 'pageAbove':
      return { row: row === HEADER_ROW ? HEADER_ROW : Math.max(firstRow, row - page), column }
    case 'pageBelow':
      return { row: Math.min(lastRow, Math.max(0, row) + page), column }
    case 'gridStart':
      return { row: firstRow, column: 0 }
    case 'gridEnd':
      return { row: lastRow, column: lastColumn }
  }
}

/** Cell after (or before) a cell in reading order, or null at the end: there Tab leaves the grid. */
export function tabPosition(from: CellPosition, back: boolean, bounds: GridBounds): CellPosition | null {
  const next = from.column + (back ? -1 : 1)
  if (next >= 0 && next < bounds.columnCount) return { row: from.row, column: next }
  const row = from.row + (back ? -1 : 1)
  if (row < 0 || row >= bounds.rowCount) return null
  return { row, column: back ? bounds.columnCount - 1 : 0 }
}
