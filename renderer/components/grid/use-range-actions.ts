// Owns what the selection does as a whole: copy, cut, paste, clear, fill down. Knows cells' texts by the field registry.

import type { ClipboardEvent } from 'react'
import { parseHtmlTable, parseTsv, writeHtmlTable, writeTsv } from './clipboard.ts'
import type { GridCore, LoadedCell } from './grid-core.ts'
import { loadedCell, rowKeyOf, shownValue, skipHeadings } from './grid-core.ts'
import type { GridRecord } from './grid-types.ts'
import { currentRange, isSingleCell, selectCell, extendTo } from './selection.ts'
import { sameValue } from './use-cell-actions.ts'
import type { CellChange } from './use-cell-edits.ts'

/** Cells that may be changed one by one when the screen offers no writing in groups. */
export const SINGLE_WRITE_LIMIT = 200
/** Cells that may be changed in one step at all. */
export const GROUP_WRITE_LIMIT = 50_000

/** Actions on the selected range. */
export interface RangeActions {
  onCopy(event: ClipboardEvent): void
  onCut(event: ClipboardEvent): void
  onPaste(event: ClipboardEvent): void
  clear(): void
  fillDown(): void
}

/** Builds the actions for this rendering. */
export function useRangeActions(core: GridCore): RangeActions {
  const { props, columns, bounds, labels, edits, selection, select, announce } = core
  const context = props.fieldContext
  const range = currentRange(selection)
  const inRows = range.top >= 0

  const texts = (row: GridRecord, index: number): string[] =>
    columns.columns.slice(range.left, range.right + 1).map((column) => {
      const cell = { column, row, rowIndex: index, rowKey: rowKeyOf(props, row, index) }
      const value = shownValue(core, cell)
      return (column.type.copyText ?? column.type.toText)(value, column.field, context)
    })

  const copyLater = async (load: NonNullable<typeof props.loadRows>): Promise<void> => {
    try {
      const rows = await load(range.top, range.bottom + 1)
      const table = rows.map((row, index) => texts(row, range.top + index))
      const item = new ClipboardItem({
        'text/plain': new Blob([writeTsv(table)], { type: 'text/plain' }),
        'text/html': new Blob([writeHtmlTable(table)], { type: 'text/html' }),
      })
      await navigator.clipboard.write([item])
      announce(labels.copied(table.length * (range.right - range.left + 1)))
    } catch {
      announce(labels.copyFailed)
    }
  }

  /** Copies the range; false when it will be copied later or not at all. */
  const copy = (event: ClipboardEvent): boolean => {
    if (!inRows) return false
    event.preventDefault()
    const table: string[][] = []
    let missing = 0
    for (let index = range.top; index <= range.bottom; index++) {
      if (props.groups?.headingAt(index)) continue
      const row = props.getRow(index)
      if (row) table.push(texts(row, index))
      else missing++
    }
    if (missing > 0 && props.loadRows) {
      void copyLater(props.loadRows)
      return false
    }
    event.clipboardData.setData('text/plain', writeTsv(table))
    event.clipboardData.setData('text/html', writeHtmlTable(table))
    if (missing > 0) announce(labels.copiedPartly(missing))
    else announce(labels.copied(table.length * (range.right - range.left + 1)))
    return missing === 0
  }

  const change = (changes: readonly CellChange[]): boolean => {
    const limit = props.onEditMany ? GROUP_WRITE_LIMIT : SINGLE_WRITE_LIMIT
    if (changes.length > limit) {
      announce(labels.tooMany(limit))
      return false
    }
    edits.write(changes)
    return true
  }

  const changeOf = (cell: LoadedCell, text: string): CellChange | string => {
    const read = cell.column.type.parse(text, cell.column.field, context)
    if (!read.ok) return read.message
    return {
      rowKey: cell.rowKey,
      field: cell.column.name,
      rowIndex: cell.rowIndex,
      row: cell.row,
      value: read.value,
      text,
    }
  }

  /** Gives every editable loaded cell of an area its text; what is refused is kept in the cell, marked. */
  const apply = (area: { top: number; left: number; bottom: number; right: number }, textAt: TextAt): void => {
    const limit = props.onEditMany ? GROUP_WRITE_LIMIT : SINGLE_WRITE_LIMIT
    if ((area.bottom - area.top + 1) * (area.right - area.left + 1) > limit) return announce(labels.tooMany(limit))
    const changes: CellChange[] = []
    const refused: { cell: LoadedCell; text: string; message: string }[] = []
    let left = false
    let at = -1
    for (let row = area.top; row <= area.bottom; row++) {
      if (props.groups?.headingAt(row)) continue
      at++
      for (let column = area.left; column <= area.right; column++) {
        const cell = loadedCell(core, { row, column })
        const text = textAt(at, column - area.left)
        if (text === undefined) continue
        if (!cell?.column.editable) {
          left = true
          continue
        }
        const made = changeOf(cell, text)
        if (typeof made === 'string') refused.push({ cell, text, message: made })
        else if (!sameValue(made.value, shownValue(core, cell))) changes.push(made)
      }
    }
    if (changes.length > 0 && !change(changes)) return
    for (const { cell, text, message } of refused) {
      edits.park({ rowKey: cell.rowKey, field: cell.column.name }, cell.row, cell.rowIndex, text, message)
    }
    const told = [
      labels.changed(changes.length),
      refused.length > 0 ? labels.pasteRefused(refused.length) : '',
      left ? labels.pasteCut : '',
    ]
    announce(told.filter(Boolean).join(' '))
  }

  const clear = (): void => {
    if (inRows) apply(range, () => '')
  }

  const fillDown = (): void => {
    if (!inRows || range.bottom === range.top) return
    const first = skipHeadings(props, range.top, false) ?? range.top
    const top = Array.from({ length: range.right - range.left + 1 }, (_, index) => {
      const cell = loadedCell(core, { row: first, column: range.left + index })
      return cell ? cell.column.type.toText(shownValue(core, cell), cell.column.field, context) : undefined
    })
    apply({ ...range, top: first + 1 }, (_row, column) => top[column])
  }

  const paste = (event: ClipboardEvent): void => {
    if (!inRows || !props.onEdit) return
    event.preventDefault()
    const html = event.clipboardData.getData('text/html')
    const table = (html && parseHtmlTable(html)) || parseTsv(event.clipboardData.getData('text/plain'))
    const height = table.length
    const width = Math.max(...table.map((row) => row.length))
    if (height === 0 || width === 0) return
    // One copied cell fills the whole selection; anything larger keeps its own size.
    const fills = height === 1 && width === 1 && !isSingleCell(selection)
    if (fills) return apply(range, () => table[0]?.[0])
    // Headings between the rows take nothing of what is pasted.
    let bottom = range.top - 1
    let rows = 0
    while (rows < height && bottom + 1 < bounds.rowCount) {
      bottom++
      if (!props.groups?.headingAt(bottom)) rows++
    }
    const right = Math.min(range.left + width, bounds.columnCount) - 1
    apply({ top: range.top, left: range.left, bottom, right }, (row, column) => table[row]?.[column])
    if (rows < height || right - range.left + 1 < width) announce(labels.pasteCut)
    const start = selectCell({ row: range.top, column: range.left }, bounds)
    select(extendTo(start, { row: bottom, column: right }, bounds))
  }

  return {
    onCopy: (event) => void copy(event),
    onCut: (event) => {
      if (copy(event) && props.onEdit) clear()
    },
    onPaste: paste,
    clear,
    fillDown,
  }
}

type TextAt = (row: number, column: number) => string | undefined
