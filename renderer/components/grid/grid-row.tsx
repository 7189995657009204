// Owns drawing one row: plain elements with text and classes, no component per cell. Knows nothing of scrolling.

import { memo } from 'react'
import type { ReactNode } from 'react'
import type { FieldContext } from '../../fields/index.ts'
import type { CellWrite } from './edit.ts'
import type { GridLabels } from './grid-labels.ts'
import type { GridOther, GridRecord } from './grid-types.ts'
import type { RenderColumn } from './render-column.ts'
import { FileThumb } from '../files/file-chip.tsx'
import { ROW_NUMBER_COLUMN_INDEX, ariaColumn, ariaRow } from './aria.ts'

/** Part of a selection that crosses a row: columns from `left` to `right`, and whether its edge runs along the row. */
export interface RowSpan {
  left: number
  right: number
  top: boolean
  bottom: boolean
}

/** What a row needs; every part keeps its identity until it changes, so that only changed rows are drawn again. */
export interface GridRowProps {
  index: number
  /** The number people count the row by, from 1. */
  number: number
  /** Depth among groups; undefined where there are none. */
  level: number | undefined
  row: GridRecord | undefined
  /** Pixels from the top of the spacer. */
  top: number
  rowHeight: number
  width: number
  numberStyle: { inlineSize: number }
  /** Of what stays at the start while columns scroll: number and frozen cells. */
  pinnedStyle: { inlineSize: number }
  frozen: readonly RenderColumn[]
  scrolling: readonly RenderColumn[]
  context: FieldContext
  labels: GridLabels
  /** Column of the active cell when it is in this row, else -1. */
  activeColumn: number
  activeId: string
  noteId: string | undefined
  spans: readonly RowSpan[] | undefined
  writes: ReadonlyMap<string, CellWrite> | undefined
  /** Others who edit cells of this row, by field. */
  others: ReadonlyMap<string, GridOther> | undefined
  /** Fields of this row with a conflict. */
  conflicts: ReadonlySet<string> | undefined
  checked: boolean | undefined
  editableGrid: boolean
}

/** One row of the grid. */
export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { index, number, row, top, rowHeight, width, numberStyle, pinnedStyle, frozen, scrolling } = props
  const { labels, checked } = props
  const style = { insetBlockStart: top, blockSize: rowHeight, inlineSize: width }
  return (
    <div
      role="row"
      aria-rowindex={ariaRow(index)}
      aria-level={props.level}
      aria-busy={row === undefined || undefined}
      aria-selected={checked}
      className={row === undefined ? 'cg-row cg-loading' : checked ? 'cg-row cg-checked' : 'cg-row'}
      style={style}
    >
      <div role="presentation" className="cg-pinned" style={pinnedStyle}>
        <div
          role="rowheader"
          aria-colindex={ROW_NUMBER_COLUMN_INDEX}
          className={numberClass(props)}
          style={numberStyle}
          title={props.conflicts && labels.rowConflict(number)}
        >
          <span>{number}</span>
          {props.conflicts && <span className="cairn-hidden">{labels.rowConflict(number)}</span>}
          {checked !== undefined && (
            <input type="checkbox" tabIndex={-1} checked={checked} readOnly aria-label={labels.checkRow(number)} />
          )}
        </div>
        {frozen.map((column) => cell(props, column))}
      </div>
      {scrolling.map((column) => cell(props, column))}
    </div>
  )
})

function numberClass({ checked, conflicts }: GridRowProps): string {
  const own = checked === undefined ? 'cg-number' : 'cg-number cg-tickable'
  return conflicts ? `${own} cg-conflicted` : own
}

/** The widest a letter of these scripts is on average, in pixels. */
const LETTER_PX = 9
/** What cells leave free at both sides, in pixels. */
const PADDING_PX = 17
const narrowLetters = /^[\x20-\x7e\u00a0-\u024f]*$/

/** Whether a text certainly has room in its cell: it is not clipped, which costs time in every frame. */
function isShort(text: ReactNode, { width }: RenderColumn): boolean {
  if (typeof text !== 'string') return text === null
  return text.length * LETTER_PX <= width - PADDING_PX && narrowLetters.test(text)
}

function cell(props: GridRowProps, column: RenderColumn): ReactNode {
  const { row, context, spans, writes, activeColumn } = props
  const { field, type } = column
  const write = writes?.get(column.name)
  const active = activeColumn === column.index
  const value = write && write.value !== undefined ? write.value : row?.[column.name]
  let className = `cg-cell ${type.cellClass(value, field)}`
  const shown = content(value, write, column, context)
  if (isShort(shown, column)) className += ' cg-short'
  if (active) className += ' cg-active'
  let selected = false
  if (spans) {
    for (const span of spans) {
      if (column.index < span.left || column.index > span.right) continue
      selected = true
      className += ' cg-selected'
      if (span.top) className += ' cg-edge-top'
      if (span.bottom) className += ' cg-edge-bottom'
      if (column.index === span.left) className += ' cg-edge-start'
      if (column.index === span.right) className += ' cg-edge-end'
    }
  }
  if (write) className += write.status === 'failed' ? ' cg-failed' : ' cg-pending'
  const failed = write?.status === 'failed'
  const other = props.others?.get(column.name)
  if (other) className += ` cg-theirs cg-hue-${other.hue}`
  const clashes = props.conflicts?.has(column.name) === true
  if (clashes) className += ' cg-conflict'
  const hint = other ? props.labels.editedBy(other.name) : clashes ? props.labels.conflict : undefined
  return (
    <div
      key={column.name}
      id={active ? props.activeId : undefined}
      role="gridcell"
      aria-colindex={ariaColumn(column.index)}
      aria-selected={selected || active || undefined}
      aria-readonly={(props.editableGrid && !column.editable) || undefined}
      aria-invalid={failed || undefined}
      aria-describedby={failed && active ? props.noteId : undefined}
      aria-busy={write?.status === 'pending' || undefined}
      title={failed ? (write.message ?? undefined) : hint}
      className={className}
      style={column.style}
    >
      {shown}
      {other && (
        <span className="cg-who" aria-hidden="true">
          {other.initials}
        </span>
      )}
    </div>
  )
}

function content(
  value: unknown,
  write: CellWrite | undefined,
  { field, type }: RenderColumn,
  context: FieldContext,
): ReactNode {
  // Text that never became a value is shown as it was typed.
  if (write && write.value === undefined) return write.text
  if (value === undefined || value === null) return type.toggle ? type.format(value, field, context) : null
  const chips = type.chips?.(value, field, context)
  if (!chips) return type.format(value, field, context)
  return chips.map((chip, index) => (
    <span key={index} className={`field-chip ${chip.className}`}>
      {chip.picture && <FileThumb file={chip.picture} />}
      {chip.text}
    </span>
  ))
}
