// Owns drawing the header row: names with type icons, sort marks, menu buttons, handles that change widths, and where a
// dragged header would be dropped.

import { IconArrowDown, IconArrowUp, IconDotsVertical } from '@tabler/icons-react'
import { memo, useState } from 'react'
import type { PointerEvent, ReactNode } from 'react'
import { HEADER_ROW_INDEX, ROW_NUMBER_COLUMN_INDEX, ariaColumn } from './aria.ts'
import type { GridLabels } from './grid-labels.ts'
import type { GridSort } from './grid-types.ts'
import { dragHeader } from './header-drag.ts'
import type { HeaderDrop } from './header-drag.ts'
import { HEADER_HEIGHT, columnWidth } from './render-column.ts'
import type { RenderColumn } from './render-column.ts'
import './grid-header.css'

/** What the header needs. Clicks on names and menu buttons are handled by the grid, by position. */
export interface GridHeaderProps {
  frozen: readonly RenderColumn[]
  scrolling: readonly RenderColumn[]
  width: number
  numberStyle: { inlineSize: number }
  labels: GridLabels
  sort: readonly GridSort[] | undefined
  sortable: boolean
  activeColumn: number
  activeId: string
  onMenu: ((column: RenderColumn, anchor: HTMLElement) => void) | undefined
  /** Width while dragging, then with `done` the final one; absent: columns keep their width. */
  onResize: ((column: RenderColumn, width: number, done: boolean) => void) | undefined
  /** Puts a column at another place; absent: columns keep theirs. */
  onMove: ((column: RenderColumn, to: number) => void) | undefined
}

/** The header row. */
export const GridHeader = memo(function GridHeader(props: GridHeaderProps) {
  const { frozen, scrolling, width, numberStyle, labels } = props
  const [drop, setDrop] = useState<HeaderDrop | null>(null)
  return (
    <div role="rowgroup" className="cg-head" style={{ inlineSize: width, blockSize: HEADER_HEIGHT }}>
      <div role="row" aria-rowindex={HEADER_ROW_INDEX} className="cg-head-row">
        <div
          role="columnheader"
          aria-colindex={ROW_NUMBER_COLUMN_INDEX}
          className="cg-number cg-head-number"
          style={numberStyle}
          title={labels.selectAll}
        >
          <span aria-hidden="true">#</span>
          <span className="cg-unseen">{labels.rowNumber}</span>
        </div>
        {frozen.map((column) => headerCell(props, column, setDrop))}
        {scrolling.map((column) => headerCell(props, column, setDrop))}
        {drop && <span className="cg-head-drop" aria-hidden="true" style={{ insetInlineStart: drop.offset }} />}
      </div>
    </div>
  )
})

function headerCell(
  props: GridHeaderProps,
  column: RenderColumn,
  onOver: (drop: HeaderDrop | null) => void,
): ReactNode {
  const { sort, labels, activeColumn, activeId, onMenu, onResize, onMove } = props
  const place = sort?.findIndex(({ field }) => field === column.name) ?? -1
  const order = sort?.[place]?.order
  const active = activeColumn === column.index
  const Icon = column.type.icon
  const sortable = props.sortable && column.field.sortable !== false
  let className = column.frozen ? 'cg-head-cell cg-frozen' : 'cg-head-cell'
  if (active) className += ' cg-active'
  if (sortable) className += ' cg-sortable'
  return (
    <div
      key={column.name}
      id={active ? activeId : undefined}
      role="columnheader"
      aria-colindex={ariaColumn(column.index)}
      aria-sort={order === 'asc' ? 'ascending' : order === 'desc' ? 'descending' : undefined}
      className={className}
      style={column.style}
      title={column.field.description ?? column.label}
      onPointerDown={onMove && ((event) => dragHeader(event, column.index, onOver, (to) => onMove(column, to)))}
    >
      <Icon size={14} stroke={1.75} aria-hidden="true" className="cg-head-icon" />
      <span className="cg-head-label">{column.label}</span>
      {column.field.required && (
        <span aria-hidden="true" className="cg-head-required">
          *
        </span>
      )}
      {order && (
        <span className="cg-head-sort">
          {order === 'asc' ? (
            <IconArrowUp size={14} aria-hidden="true" />
          ) : (
            <IconArrowDown size={14} aria-hidden="true" />
          )}
          {(sort?.length ?? 0) > 1 && (
            <span aria-label={labels.sortedBy(place + 1)} role="note">
              {place + 1}
            </span>
          )}
        </span>
      )}
      {onMenu && (
        <button
          type="button"
          tabIndex={-1}
          className="cg-head-menu"
          onPointerDown={(event) => event.stopPropagation()}
          aria-label={labels.columnMenu(column.label)}
          aria-haspopup="menu"
          onClick={(event) => {
            event.stopPropagation()
            onMenu(column, event.currentTarget)
          }}
        >
          <IconDotsVertical size={14} aria-hidden="true" />
        </button>
      )}
      {onResize && (
        <span
          className="cg-head-handle"
          aria-hidden="true"
          onPointerDown={(event) => drag(event, column, onResize)}
          onClick={(event) => event.stopPropagation()}
        />
      )}
    </div>
  )
}

function drag(
  event: PointerEvent<HTMLElement>,
  column: RenderColumn,
  onResize: (column: RenderColumn, width: number, done: boolean) => void,
): void {
  if (event.button !== 0) return
  event.preventDefault()
  event.stopPropagation()
  const handle = event.currentTarget
  const direction = getComputedStyle(handle).direction === 'rtl' ? -1 : 1
  const from = event.clientX
  const widthAt = (clientX: number): number => columnWidth(column.width + (clientX - from) * direction)
  handle.setPointerCapture(event.pointerId)
  const move = (moved: globalThis.PointerEvent): void => onResize(column, widthAt(moved.clientX), false)
  const end = (ended: globalThis.PointerEvent): void => {
    handle.removeEventListener('pointermove', move)
    handle.removeEventListener('pointerup', end)
    handle.removeEventListener('pointercancel', end)
    onResize(column, ended.type === 'pointerup' ? widthAt(ended.clientX) : column.width, true)
  }
  handle.addEventListener('pointermove', move)
  handle.addEventListener('pointerup', end)
  handle.addEventListener('pointercancel', end)
}
