// Owns the data grid: it puts window, selection, keys, pointer and editing together and draws them.
// Knows columns, rows by index and callbacks; knows no server, no objects and no routes.

import { IconPlus } from '@tabler/icons-react'
import {
  useCallback,
  useEffect,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { ReactNode } from 'react'
import { ariaColumn, ariaRow } from './aria.ts'
import { CellOverlay } from './cell-overlay.tsx'
import type { GridCore } from './grid-core.ts'
import { rowKeyOf, rowNumber } from './grid-core.ts'
import { GridHeader } from './grid-header.tsx'
import { gridLabels } from './grid-labels.ts'
import { GridRow } from './grid-row.tsx'
import type { RowSpan } from './grid-row.tsx'
import type { DataGridProps, RowChanges } from './grid-types.ts'
import { GroupHeadingRow, TOTALS_HEIGHT, TotalsRow } from './group-row.tsx'
import { renderColumns, rowNumberWidth } from './render-column.ts'
import type { RenderColumn } from './render-column.ts'
import { HEADER_ROW, activeCell, clampSelection, headCell, isSingleCell, rangeOf, selectCell } from './selection.ts'
import type { GridSelection } from './selection.ts'
import { useCellActions } from './use-cell-actions.ts'
import { useCellEdits } from './use-cell-edits.ts'
import { useGridKeys } from './use-grid-keys.ts'
import { useGridPointer } from './use-grid-pointer.ts'
import { useGridWindow } from './use-grid-window.ts'
import { useRangeActions } from './use-range-actions.ts'
import { useSteadySelection } from './use-steady-selection.ts'
import { poolSize, rowTop, spacerHeight } from './window.ts'
import './data-grid.css'

const firstCell: GridSelection = { ranges: [{ anchor: { row: 0, column: 0 }, head: { row: 0, column: 0 } }] }

/** Rows that change with the grid's own properties only. */
const unchanging: RowChanges = { subscribe: () => () => {}, version: () => 0 }

/** A grid of records: any number of rows, edited in place, one tab stop, readable by screen readers. */
export function DataGrid(props: DataGridProps): ReactNode {
  const { ref, rowCount, rowHeight = 36, frozenColumns = 1, onEdit, onAppend, queryKey, onVisibleRange, groups } = props
  const { subscribe, version } = props.changes ?? unchanging
  const rowsVersion = useSyncExternalStore(subscribe, version)
  const totals = rowCount === 0 ? undefined : props.totals
  const labels = useMemo(() => ({ ...gridLabels, ...props.labels }), [props.labels])
  const [resizing, setResizing] = useState<{ field: string; width: number } | null>(null)
  const numberWidth = rowNumberWidth(groups ? groups.records : rowCount)
  const editable = onEdit !== undefined
  const columns = useMemo(
    () => renderColumns(props.columns, frozenColumns, numberWidth, editable, resizing),
    [props.columns, frozenColumns, numberWidth, editable, resizing],
  )
  const bounds = useMemo(() => ({ rowCount, columnCount: columns.columns.length }), [rowCount, columns.columns.length])
  const window = useGridWindow(rowCount + (onAppend ? 1 : 0), rowHeight, columns, totals ? TOTALS_HEIGHT : 0)
  const { view, metrics, reveal, attach, onScroll, onReach } = window
  const [said, setSaid] = useState('')
  const announce = useCallback((text: string) => setSaid(text), [])

  const [rawSelection, setSelection] = useState(firstCell)
  const selection = useMemo(() => clampSelection(rawSelection, bounds), [rawSelection, bounds])
  const select = useCallback(
    (next: GridSelection, show = false): void => {
      setSelection(next)
      const head = headCell(next)
      if (show) reveal(head.row, head.column)
      const { top, left, bottom, right } = rangeOf({ anchor: activeCell(next), head })
      if (!isSingleCell(next)) announce(labels.selected(bottom - top + 1, right - left + 1))
    },
    [reveal, announce, labels],
  )

  const grid = useRef<HTMLDivElement>(null)
  const edits = useCellEdits({
    save: async ({ rowIndex, field, value, row }) => onEdit?.(rowIndex, field, value, row),
    saveMany: props.onEditMany,
    describe: props.describeError ?? ((error) => (error instanceof Error ? error.message : String(error))),
    onFailed: ({ field, rowIndex }, message) => {
      const label = columns.columns.find(({ name }) => name === field)?.label ?? field
      const text = labels.notSaved(label, rowNumber(props, rowIndex), message)
      if (grid.current) announce(text)
      // Who has left the table meanwhile sees no cell.
      else props.onNotice?.({ text, partly: true })
    },
  })

  const entry = useRef(false)
  const doors = useMemo(
    () => ({
      focusGrid: () => grid.current?.focus({ preventScroll: true }),
      activeElement: () => grid.current?.querySelector<HTMLElement>('.cg-active') ?? null,
      isEntry: () => entry.current,
      setEntry: (filling: boolean) => {
        entry.current = filling
      },
    }),
    [],
  )
  const core: GridCore = { props, labels, columns, bounds, window, edits, selection, select, announce, ...doors }
  const cells = useCellActions(core)
  const ranges = useRangeActions(core)
  const pointer = useGridPointer(core, cells)
  const onKeyDown = useGridKeys(core, cells, ranges)

  const { first, end } = view.shown
  const shownEnd = Math.min(end, rowCount)
  useEffect(() => onVisibleRange?.(Math.min(first, rowCount), shownEnd), [onVisibleRange, first, shownEnd, rowCount])

  const { onSelectionChange } = props
  useEffect(() => onSelectionChange?.(selection), [onSelectionChange, selection])

  const { onUnsavedChange } = props
  const { writes, editor } = edits.state
  const isEditing = editor !== null
  useEffect(() => {
    const failed = [...writes.values()].filter(({ status }) => status === 'failed').length
    onUnsavedChange?.({ pending: writes.size - failed, failed, editing: isEditing ? 1 : 0 })
  }, [onUnsavedChange, writes, isEditing])

  const { onEditing } = props
  const editedKey = editor?.rowKey
  const editedField = editor?.field
  useEffect(() => {
    onEditing?.(editedKey === undefined || editedField === undefined ? null : { rowKey: editedKey, field: editedField })
  }, [onEditing, editedKey, editedField])

  const { toTop } = window
  const lastQuery = useRef(queryKey)
  useLayoutEffect(() => {
    if (lastQuery.current === queryKey) return
    lastQuery.current = queryKey
    toTop()
    setSelection((last) => {
      const { row, column } = activeCell(last)
      const cell = { row: row === HEADER_ROW ? HEADER_ROW : 0, column }
      return { ranges: [{ anchor: cell, head: cell }] }
    })
  }, [queryKey, toTop])

  useImperativeHandle(ref, () => ({
    focus: doors.focusGrid,
    activate: (rowIndex, field) => {
      const named = columns.columns.findIndex(({ name }) => name === field)
      const column = named < 0 ? activeCell(selection).column : named
      select(selectCell({ row: rowIndex, column }, bounds), true)
    },
    scrollToRow: (rowIndex) => reveal(rowIndex, null),
    edit: () => cells.open(false),
    announce,
  }))
  useSteadySelection(props, rowsVersion, selection, setSelection)

  const id = useId()
  const activeId = `${id}-active`
  const noteId = `${id}-note`
  const active = activeCell(selection)
  const scrolling = useMemo(
    () => columns.columns.slice(view.columns.first, view.columns.end),
    [columns, view.columns.first, view.columns.end],
  )
  const frozen = useMemo(() => columns.columns.slice(0, columns.frozenCount), [columns])
  const numberStyle = useMemo(() => ({ inlineSize: numberWidth }), [numberWidth])
  const labelWidth = numberWidth + (columns.offsets[columns.frozenCount] ?? 0)
  const pinnedStyle = useMemo(() => ({ inlineSize: labelWidth }), [labelWidth])
  const spans = useMemo(() => spansByRow(selection, view.rows.first, view.rows.end), [selection, view.rows])
  const activeDrawn =
    groups?.headingAt(active.row) !== undefined ||
    active.column < columns.frozenCount ||
    (active.column >= view.columns.first && active.column < view.columns.end)
  const activeShown =
    activeDrawn && (active.row === HEADER_ROW || (active.row >= view.rows.first && active.row < view.rows.end))

  const headerMenu = props.onHeaderMenu
  const onMenu = useMemo(
    () => headerMenu && ((column: RenderColumn, anchor: HTMLElement) => headerMenu(column.name, anchor)),
    [headerMenu],
  )
  const columnResize = props.onColumnResize
  const onResize = useMemo(
    () =>
      columnResize &&
      ((column: RenderColumn, width: number, done: boolean) => {
        setResizing(done ? null : { field: column.name, width })
        if (done && width !== column.width) columnResize(column.name, width)
      }),
    [columnResize],
  )

  const columnMove = props.onColumnMove
  const onMove = useMemo(
    () => columnMove && ((column: RenderColumn, to: number) => columnMove(column.name, to)),
    [columnMove],
  )

  const lines = useMemo(() => columnLines(numberWidth, [...frozen, ...scrolling]), [numberWidth, frozen, scrolling])
  const pool = poolSize(metrics)
  const slots: ReactNode[] = []
  for (let row = view.rows.first; row < Math.min(view.rows.end, metrics.rowCount); row++) {
    if (row >= rowCount) {
      slots.push(
        appendLine(row, rowTop(row, rowHeight, view.shift), columns.totalWidth, rowHeight, labels.append, onAppend),
      )
      continue
    }
    const heading = groups?.headingAt(row)
    if (heading) {
      slots.push(
        <GroupHeadingRow
          key={row % pool}
          index={row}
          heading={heading}
          top={rowTop(row, rowHeight, view.shift)}
          rowHeight={rowHeight}
          width={columns.totalWidth}
          labelWidth={labelWidth}
          frozen={frozen}
          scrolling={scrolling}
          labels={labels}
          active={active.row === row}
          activeId={activeId}
        />,
      )
      continue
    }
    const record = props.getRow(row)
    const rowKey = record ? rowKeyOf(props, record, row) : undefined
    slots.push(
      <GridRow
        key={row % pool}
        index={row}
        number={rowNumber(props, row)}
        level={groups && groups.levels + 1}
        row={record}
        top={rowTop(row, rowHeight, view.shift)}
        rowHeight={rowHeight}
        width={columns.totalWidth}
        numberStyle={numberStyle}
        pinnedStyle={pinnedStyle}
        frozen={frozen}
        scrolling={scrolling}
        context={props.fieldContext}
        labels={labels}
        activeColumn={active.row === row ? active.column : -1}
        activeId={activeId}
        noteId={active.row === row ? noteId : undefined}
        spans={spans.get(row)}
        writes={rowKey === undefined ? undefined : edits.writesByRow.get(rowKey)}
        others={rowKey === undefined ? undefined : props.others?.get(rowKey)}
        conflicts={rowKey === undefined ? undefined : props.conflicts?.get(rowKey)}
        checked={props.checkedRows && rowKey !== undefined ? props.checkedRows.has(rowKey) : undefined}
        editableGrid={editable}
      />,
    )
  }

  return (
    <div className={activeShown ? 'cg' : 'cg cg-adrift'} data-row-height={rowHeight}>
      <div ref={attach} className="cg-scroller" onScroll={onScroll} onWheel={onReach} onPointerDown={onReach}>
        <div
          ref={grid}
          role={groups ? 'treegrid' : 'grid'}
          tabIndex={0}
          className="cg-grid"
          aria-label={props.label}
          aria-rowcount={rowCount + (onAppend ? 2 : 1) + (totals ? 1 : 0)}
          aria-colcount={columns.columns.length + 1}
          aria-multiselectable="true"
          aria-readonly={!editable || undefined}
          aria-activedescendant={activeShown ? activeId : undefined}
          style={{ inlineSize: columns.totalWidth }}
          onKeyDown={onKeyDown}
          onCopy={ranges.onCopy}
          onCut={ranges.onCut}
          onPaste={ranges.onPaste}
          onFocus={(event) => {
            ranges.prepare()
            if (event.target === event.currentTarget && !activeShown) reveal(active.row, active.column)
          }}
          onBlur={() => doors.setEntry(false)}
          {...pointer}
        >
          <GridHeader
            frozen={frozen}
            scrolling={scrolling}
            width={columns.totalWidth}
            numberStyle={numberStyle}
            labels={labels}
            sort={props.sort}
            sortable={props.onSort !== undefined}
            activeColumn={active.row === HEADER_ROW ? active.column : -1}
            activeId={activeId}
            onMenu={onMenu}
            onResize={onResize}
            onMove={onMove}
          />
          <div role="rowgroup" className="cg-body" style={{ blockSize: spacerHeight(metrics) }}>
            {lines}
            {slots}
          </div>
          {totals && (
            <TotalsRow
              index={rowCount + (onAppend ? 1 : 0)}
              totals={totals}
              width={columns.totalWidth}
              labelWidth={labelWidth}
              frozen={frozen}
              scrolling={scrolling}
              labels={labels}
            />
          )}
        </div>
        <CellOverlay core={core} cells={cells} noteId={noteId} rowHeight={rowHeight} onFill={ranges.fillTo} />
        {rowCount === 0 && props.emptyState && <div className="cg-empty">{props.emptyState}</div>}
      </div>
      {props.footer !== undefined && <div className="cg-footer">{props.footer}</div>}
      <div className="cg-live" role="status" aria-live="polite">
        {said}
      </div>
    </div>
  )
}

/** The lines at the ends of columns, over all rows at once. */
function columnLines(numberWidth: number, columns: readonly RenderColumn[]): ReactNode {
  return [{ name: '', frozen: true, start: 0, width: 0 }, ...columns].map(({ name, frozen, start, width }) => (
    <div
      key={name}
      aria-hidden="true"
      className="cg-line"
      data-strong={frozen || undefined}
      style={{ insetInlineStart: numberWidth + start + width - 1 }}
    />
  ))
}

function appendLine(
  row: number,
  top: number,
  width: number,
  rowHeight: number,
  label: string,
  onAppend: (() => void) | undefined,
): ReactNode {
  const style = { insetBlockStart: top, blockSize: rowHeight, inlineSize: width }
  return (
    <div key="append" role="row" aria-rowindex={ariaRow(row)} className="cg-row cg-append" style={style}>
      <div role="gridcell" aria-colindex={ariaColumn(0)} className="cg-append-cell">
        <button type="button" tabIndex={-1} onClick={() => onAppend?.()}>
          <IconPlus size={14} aria-hidden="true" /> {label}
        </button>
      </div>
    </div>
  )
}

/** Parts of the selection in each drawn row; a single cell has none, it is the active cell. */
function spansByRow(selection: GridSelection, first: number, end: number): ReadonlyMap<number, readonly RowSpan[]> {
  const spans = new Map<number, RowSpan[]>()
  if (isSingleCell(selection)) return spans
  for (const ends of selection.ranges) {
    const { top, left, bottom, right } = rangeOf(ends)
    for (let row = Math.max(top, first); row <= Math.min(bottom, end - 1); row++) {
      const ofRow = spans.get(row) ?? []
      ofRow.push({ left, right, top: row === top, bottom: row === bottom })
      spans.set(row, ofRow)
    }
  }
  return spans
}
