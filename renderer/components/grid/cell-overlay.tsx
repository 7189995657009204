// Owns what lies over the cells: the open editor, or the note of an active cell that was not saved, placed at its cell.
// Knows geometry and state; the editor and the note themselves are in cell-editor.tsx.

import type { ReactNode } from 'react'
import { CellEditor, CellNote } from './cell-editor.tsx'
import type { CellBox } from './cell-editor.tsx'
import type { GridCore } from './grid-core.ts'
import { editorLine, loadedCell, rowNumber, writeOf } from './grid-core.ts'
import { HEADER_HEIGHT } from './render-column.ts'
import type { RenderColumn } from './render-column.ts'
import { FillHandle } from './fill-handle.tsx'
import { activeCell, currentRange, isSingleCell } from './selection.ts'
import type { CellActions } from './use-cell-actions.ts'
import { rowTop } from './window.ts'

/** The editor, or the note of an active cell that was not saved, in the lane that scrolls with its column. */
export function CellOverlay(props: {
  core: GridCore
  cells: CellActions
  noteId: string
  rowHeight: number
  onFill: (line: number) => void
}): ReactNode {
  const { core, cells, noteId, rowHeight } = props
  const { edits, columns, selection, labels, window } = core
  const boxOf = (row: number, column: RenderColumn): CellBox => ({
    top: rowTop(row, rowHeight, window.view.shift),
    start: columns.numberWidth + column.start,
    width: column.width,
    height: rowHeight,
    roomBelow: window.metrics.viewportHeight - (row + 1 - window.view.shown.first) * rowHeight,
  })
  const lane = (column: RenderColumn, content: ReactNode): ReactNode => (
    <div className="cg-overlay" style={{ insetBlockStart: HEADER_HEIGHT, inlineSize: columns.totalWidth }}>
      <div className={column.frozen ? 'cg-lane cg-lane-frozen' : 'cg-lane'}>{content}</div>
    </div>
  )
  const { editor } = edits.state
  if (editor) {
    const column = columns.columns.find(({ name }) => name === editor.field)
    if (!column) return null
    return lane(
      column,
      <CellEditor
        editor={editor}
        column={column}
        box={boxOf(editorLine(core), column)}
        value={edits.editedRow()?.[column.name]}
        context={core.props.fieldContext}
        labels={labels}
        number={rowNumber(core.props, editorLine(core))}
        noteId={noteId}
        actions={cells}
        onDraft={edits.setDraft}
      />,
    )
  }
  const cell = loadedCell(core, activeCell(selection))
  const write = cell ? writeOf(core, cell) : undefined
  if (!cell || write?.status !== 'failed' || !isSingleCell(selection)) {
    const range = currentRange(selection)
    const corner = columns.columns[range.right]
    if (!core.props.onEdit || !corner || range.top < 0) return null
    return lane(
      corner,
      <FillHandle
        key={`${range.top} ${range.bottom} ${range.left} ${range.right}`}
        core={core}
        range={range}
        box={boxOf(range.bottom, corner)}
        width={columns.columns.slice(range.left, range.right + 1).reduce((sum, { width }) => sum + width, 0)}
        onFill={props.onFill}
      />,
    )
  }
  const address = { rowKey: cell.rowKey, field: cell.column.name }
  const back = core.focusGrid
  const act = (run: () => void) => () => {
    back()
    run()
  }
  return lane(
    cell.column,
    <CellNote
      id={noteId}
      box={boxOf(cell.rowIndex, cell.column)}
      message={write.message ?? ''}
      labels={labels}
      onRetry={write.value === undefined ? undefined : act(() => edits.retry(address))}
      onChange={act(() => cells.open(false))}
      onDiscard={act(() => edits.discard(address))}
      onLeave={back}
    />,
  )
}
