// Owns the words between the grid and the screen that uses it. Types only.

import type { ReactNode, Ref } from 'react'
import type { FieldContext, FieldDefinition } from '../../fields/index.ts'
import type { GridLabels } from './grid-labels.ts'
import type { GridSelection } from './selection.ts'

/** A record as the grid sees it: values by field name. Never changed in place: a changed record is a new object. */
export type GridRecord = Readonly<Record<string, unknown>>

/** A column: a field and how wide it is, in pixels. */
export interface GridColumn {
  field: FieldDefinition
  width: number
  /** Refuses editing although the field would allow it (permission, view). */
  readonly?: boolean
}

/** Height of all rows in pixels. */
export type GridRowHeight = 28 | 36 | 56

/** One term of the order the rows are in; the first term is the strongest. */
export interface GridSort {
  field: string
  order: 'asc' | 'desc'
}

/** A changed cell of a group of changes (clear, fill, paste). */
export interface GridEdit {
  rowIndex: number
  row: GridRecord
  field: string
  value: unknown
}

/** What a range is to become in one step: cells of rows that are there, and rows to add after the last one. */
export interface GridWrite {
  edits: readonly GridEdit[]
  records: readonly Readonly<Record<string, unknown>>[]
  /** Told how many rows have been written so far. */
  onProgress(rows: number): void
}

/** What became of a {@link GridWrite}. */
export interface GridWritten {
  /** One per edit; null: saved. */
  messages: readonly (string | null)[]
  /** One per record: as it was added, or why it was not. */
  added: readonly (GridRecord | string)[]
  /** Takes all of it back; undefined when nothing was written. */
  undo?: (() => void) | undefined
}

/** How far a write of many rows is. */
export interface GridProgress {
  phase: 'reading' | 'writing'
  done: number
  total: number
}

/** Something a person has to see, not only to hear. */
export interface GridNotice {
  text: string
  /** Whether something was left out or failed. */
  partly: boolean
  undo?: (() => void) | undefined
}

/** Cells whose text the server does not have; `editing` counts the open editor. */
export interface GridUnsaved {
  pending: number
  failed: number
  editing: number
}

/** Somebody else who is editing a cell. Never changed in place. */
export interface GridOther {
  name: string
  initials: string
  /** One of six hues, from 0. */
  hue: number
}

/** Who edits which cell: by row key, then by field; maps of untouched rows keep their identity. */
export type GridOthers = ReadonlyMap<string, ReadonlyMap<string, GridOther>>

/** Something worked out of the values of a column: `name` says what, `text` how much. */
export interface GridFigure {
  name: string
  text: string
}

/** A line that heads a group of rows. Never changed in place: drawn again when it is another object. */
export interface GridHeading {
  /** Identity, stable while rows come and go. */
  key: string
  /** Depth, 1 for the outermost. */
  level: number
  /** What the rows are grouped by. */
  field: string
  /** What the rows of this group have in common. */
  label: string
  /** Whether that is having no value. */
  empty: boolean
  count: number
  open: boolean
  figures: ReadonlyMap<string, GridFigure>
}

/** Groups of rows: lines of the grid are then headings and rows. */
export interface GridGroups {
  /** Number of levels. */
  levels: number
  /** Number of rows, in open groups and closed ones. */
  records: number
  /** The heading at a line; undefined for a row. */
  headingAt(line: number): GridHeading | undefined
  /** One-based number of the row at a line, over all groups. */
  numberOf(line: number): number
  /** Line of the heading above a line; -1 for an outermost one. */
  parentOf(line: number): number
  /** Where a row that stood at a line is now, as far as it is loaded and not far away. */
  follow(rowKey: string, line: number): number | undefined
  /** Line of a heading, undefined when it is gone or hidden. */
  lineOf(headingKey: string): number | undefined
  onToggle(headingKey: string, open: boolean): void
}

/** The line at the bottom that stands for all rows. */
export interface GridTotals {
  label: string
  count: number | undefined
  figures: ReadonlyMap<string, GridFigure>
}

/** What a screen can ask a mounted grid. */
export interface DataGridHandle {
  /** Moves the focus into the grid, to its active cell. */
  focus(): void
  /** Makes a cell active and shows it; the column stays when no field is named. */
  activate(rowIndex: number, field?: string): void
  /** Shows a row without changing the selection. */
  scrollToRow(rowIndex: number): void
  /** Opens the editor of the active cell. */
  edit(): void
  /** Tells screen readers something about the rows. */
  announce(text: string): void
}

/** Where rows tell that they changed, to whoever draws them: a screen around them need not be drawn for every block. */
export interface RowChanges {
  /** Calls back after every change until the returned function is called. */
  subscribe(listener: () => void): () => void
  /** A number that rises whenever a row may be another one. */
  version(): number
}

/** Everything a grid is told. Callbacks that are absent switch their feature off. */
export interface DataGridProps {
  ref?: Ref<DataGridHandle>
  /** Accessible name. */
  label: string
  /** Order of display. Keep the array's identity while nothing changes. */
  columns: readonly GridColumn[]
  /** Number of rows, loaded or not; of lines where there are groups. */
  rowCount: number
  /** Row at an index, undefined while it is loading; must return the same object until the record changes. */
  getRow(index: number): GridRecord | undefined
  /** Tells that `getRow` answers differently; without, rows change with the grid's own properties only. */
  changes?: RowChanges
  /** Identity of a row, stable over sorting; default: its `id`. */
  getRowKey?(row: GridRecord, index: number): string
  /** Identifies filter and sort; when it changes the grid goes back to the top. */
  queryKey?: string
  /** Headings between the rows; another object whenever a heading changes. */
  groups?: GridGroups | undefined
  /** Figures over all rows, kept in sight at the bottom. */
  totals?: GridTotals | undefined
  fieldContext: FieldContext
  rowHeight?: GridRowHeight
  /** Columns at the start that do not scroll sideways. */
  frozenColumns?: number
  /** Rows on screen, `end` excluded; called after mounting and whenever they change. */
  onVisibleRange?(first: number, end: number): void
  sort?: readonly GridSort[]
  /** Asks for an order (null: none); `additive` keeps the other terms. */
  onSort?(field: string, order: 'asc' | 'desc' | null, additive: boolean): void
  /**
   * Saves one cell. The cell shows the new value as pending until the promise settles, so the record behind `getRow`
   * must carry it by then. A rejection's message is shown at the cell, with the typed text kept and a retry offered.
   */
  onEdit?(rowIndex: number, field: string, value: unknown, row: GridRecord): Promise<unknown>
  /**
   * Saves many cells as one step. Resolves to one message per edit (null: saved), or to nothing when all are saved.
   * Without it clear, fill and paste call `onEdit` for each cell, up to 200 cells.
   */
  onEditMany?(edits: readonly GridEdit[]): Promise<readonly (string | null)[] | void>
  /**
   * Saves more cells than fit on a screen, and adds rows, as one step; told of progress. Without it only loaded rows are
   * written.
   */
  onWriteMany?(write: GridWrite): Promise<GridWritten>
  /** Whether pasting below the last row adds rows, by `onWriteMany`. */
  growing?: boolean
  /** How far such a write is; null when it has ended. */
  onProgress?(progress: GridProgress | null): void
  /** Words about a range that have to be seen; without it they are only announced. */
  onNotice?(notice: GridNotice): void
  /** Words for a rejection; default: the error's message. */
  describeError?(error: unknown): string
  /** Where a row that stood at a line of a list is now, as far as it is loaded and not far away; see {@link GridGroups}. */
  followRow?(rowKey: string, line: number): number | undefined
  /** Space, or a double click on the row's number: opens the record. */
  onOpen?(rowIndex: number, row: GridRecord): void
  /** Shift+Enter: adds a record below a row. */
  onInsertBelow?(rowIndex: number): void
  /** The last line "+": adds a record at the end. */
  onAppend?(): void
  /** Header button, right click or Alt+Enter on a header; `anchor` is where a menu belongs. */
  onHeaderMenu?(field: string, anchor: HTMLElement): void
  /** Right click or Alt+Enter on a cell. */
  onCellMenu?(rowIndex: number, field: string, anchor: HTMLElement): void
  /** A new width in pixels, after dragging or Shift+Alt+arrows. */
  onColumnResize?(field: string, width: number): void
  /** A column was dragged, or moved with Alt+arrows, to a place among the columns, from 0. */
  onColumnMove?(field: string, to: number): void
  /** Keys of the rows whose box is ticked. */
  checkedRows?: ReadonlySet<string>
  /** Ticks or unticks a row; `extend` asks for all rows from the last ticked one (Shift). */
  onCheckRow?(rowKey: string, rowIndex: number, extend: boolean): void
  onSelectionChange?(selection: GridSelection): void
  /**
   * Told how many cells wait for an answer and how many were refused: leaving the screen loses what they hold, so
   * the screen asks first.
   */
  onUnsavedChange?(unsaved: GridUnsaved): void
  /** Others who are editing cells. */
  others?: GridOthers | undefined
  /** Fields with a conflict by key of their row; an empty name means the row as a whole. */
  conflicts?: ReadonlyMap<string, ReadonlySet<string>> | undefined
  /** Told which cell the open editor belongs to; null when it is closed. */
  onEditing?(cell: { rowKey: string; field: string } | null): void
  /** Loads rows of a range for copying; without it only loaded rows are copied. */
  loadRows?(first: number, end: number): Promise<readonly GridRecord[]>
  /** Escape in display mode with nothing left to cancel: the screen may move the focus on. */
  onEscape?(): void
  labels?: Partial<GridLabels>
  /** Status line under the rows. */
  footer?: ReactNode
  /** Shown in place of rows when there are none. */
  emptyState?: ReactNode
}
