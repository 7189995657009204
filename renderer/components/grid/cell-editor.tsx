// Owns the one mounted editor and the note of a cell that was not saved, both laid over the cells.
// Knows where they belong and the keys that close them; what is edited is the field registry's business.

import { useLayoutEffect, useRef, useState } from 'react'
import type { CSSProperties, FocusEvent, ReactNode } from 'react'
import type { FieldContext } from '../../fields/index.ts'
import type { OpenEditor } from './edit.ts'
import type { GridLabels } from './grid-labels.ts'
import { commandForEditorKey } from './nav.ts'
import type { RenderColumn } from './render-column.ts'
import type { CellActions } from './use-cell-actions.ts'
import './cell-editor.css'

/** Place of a cell in the overlay, in pixels. */
export interface CellBox {
  top: number
  start: number
  width: number
  height: number
  /** Pixels of the scroller's visible part below the cell; decides to which side things open. */
  roomBelow: number
}

const boxStyle = ({ top, start, width }: CellBox): CSSProperties => ({
  insetBlockStart: top,
  insetInlineStart: start,
  minInlineSize: width,
})

/** The editor of a cell. */
export function CellEditor(props: {
  editor: OpenEditor
  column: RenderColumn
  box: CellBox
  value: unknown
  context: FieldContext
  labels: GridLabels
  /** The number people count the row by. */
  number: number
  noteId: string
  actions: CellActions
  onDraft(text: string): void
}): ReactNode {
  const { editor, column, box, value, context, labels, noteId, actions, onDraft } = props
  const frame = useRef<HTMLDivElement>(null)
  const Editor = column.type.Editor
  const onBlur = (event: FocusEvent<HTMLDivElement>): void => {
    const next = event.relatedTarget
    // Losing the window's focus is not leaving the cell: the person comes back to the open editor.
    if (!document.hasFocus() || (next instanceof Node && frame.current?.contains(next))) return
    actions.leave()
  }
  const above = box.roomBelow < 260 && column.type.tall === true && box.top > 260
  return (
    <div
      ref={frame}
      className={`cg-editor${above ? ' cg-editor-above' : ''}${editor.error === null ? '' : ' cg-editor-invalid'}`}
      style={{ ...boxStyle(box), minBlockSize: box.height, maxInlineSize: Math.max(box.width, 480) }}
      data-cell-height={box.height}
      onBlur={onBlur}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.defaultPrevented) return
        const command = commandForEditorKey({ ...keyOf(event), isComposing: event.nativeEvent.isComposing })
        if (!command) return
        event.preventDefault()
        if (command.kind === 'cancel') actions.cancel()
        else actions.commit(command.move)
      }}
    >
      <div className="cg-editor-field" style={{ minBlockSize: box.height }}>
        <Editor
          key={`${editor.rowKey}/${editor.field}`}
          field={column.field}
          context={context}
          label={labels.editor(column.label, props.number)}
          draft={editor.draft}
          value={value}
          recordId={editor.rowKey}
          onDraft={onDraft}
          onDone={(text) => actions.commit('rowBelow', text)}
          invalid={editor.error !== null}
          describedBy={editor.error === null ? undefined : noteId}
          autoFocus
        />
      </div>
      {editor.error !== null && (
        <p id={noteId} className="cg-editor-error">
          {editor.error}
        </p>
      )}
    </div>
  )
}

const keyOf = (event: { key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean }) => ({
  key: event.key,
  ctrlKey: event.ctrlKey,
  metaKey: event.metaKey,
  shiftKey: event.shiftKey,
  altKey: event.altKey,
})

/** The note at a cell that was not saved: the reason and what can be done. */
export function CellNote(props: {
  id: string
  box: CellBox
  message: string
  labels: GridLabels
  /** Absent when the text never became a value: then only editing helps. */
  onRetry: (() => void) | undefined
  onChange(): void
  onDiscard(): void
  onLeave(): void
}): ReactNode {
  const { id, box, message, labels, onRetry, onChange, onDiscard, onLeave } = props
  const note = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => setHeight(note.current?.offsetHeight ?? 0), [message])
  const above = box.roomBelow < height && box.top > height
  return (
    <div
      ref={note}
      className="cg-note"
      style={{ ...boxStyle(box), insetBlockStart: above ? box.top - height : box.top + box.height }}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key !== 'Escape') return
        event.preventDefault()
        onLeave()
      }}
    >
      <p id={id}>{message}</p>
      <span className="cg-note-actions">
        {onRetry && (
          <button type="button" onClick={onRetry}>
            {labels.retry}
          </button>
        )}
        <button type="button" onClick={onChange}>
          {labels.change}
        </button>
        <button type="button" onClick={onDiscard}>
          {labels.discard}
        </button>
      </span>
    </div>
  )
}
