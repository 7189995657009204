// Owns what drawing needs to know about each column, computed once per change of columns instead of per cell.

import type { CSSProperties } from 'react'
import { fieldLabel, fieldTypeOf, isEditable } from '../../fields/index.ts'
import type { FieldType } from '../../fields/index.ts'
import type { GridColumn } from './grid-types.ts'
import { columnOffsets } from './window.ts'

/** Width of the row number column in pixels; more when the numbers need it. */
export const ROW_NUMBER_WIDTH = 56
/** Height of the header in pixels. */
export const HEADER_HEIGHT = 32
/** Narrowest and widest a column can be made, in pixels. */
export const COLUMN_WIDTHS = { min: 48, max: 1200 } as const

/** A column ready for drawing. `style` keeps its identity, so that React does not compare its parts per cell. */
export interface RenderColumn {
  index: number
  field: GridColumn['field']
  name: string
  label: string
  type: FieldType
  editable: boolean
  frozen: boolean
  start: number
  width: number
  style: CSSProperties
}

/** All columns with their offsets; `offsets` does not include the row number column, `totalWidth` does. */
export interface RenderColumns {
  columns: readonly RenderColumn[]
  offsets: readonly number[]
  frozenCount: number
  numberWidth: number
  totalWidth: number
}

/** Width the row numbers need. */
export function rowNumberWidth(rowCount: number): number {
  return Math.max(ROW_NUMBER_WIDTH, String(rowCount).length * 9 + 16)
}

/** Limits a width to {@link COLUMN_WIDTHS}, in whole pixels. */
export function columnWidth(width: number): number {
  return Math.round(Math.min(Math.max(width, COLUMN_WIDTHS.min), COLUMN_WIDTHS.max))
}

/** Prepares columns; `resizing` is the width of a column while it is being dragged. */
export function renderColumns(
  source: readonly GridColumn[],
  frozenColumns: number,
  numberWidth: number,
  editable: boolean,
  resizing: { field: string; width: number } | null,
): RenderColumns {
  const widths = source.map(({ field, width }) => columnWidth(resizing?.field === field.name ? resizing.width : width))
  const offsets = columnOffsets(widths)
  const frozenCount = Math.min(frozenColumns, source.length)
  const columns = source.map(({ field, readonly }, index): RenderColumn => {
    const start = offsets[index] ?? 0
    const width = widths[index] ?? 0
    return {
      index,
      field,
      name: field.name,
      label: fieldLabel(field),
      type: fieldTypeOf(field),
      editable: editable && !readonly && isEditable(field),
      frozen: index < frozenCount,
      start,
      width,
      style: { inlineSize: width, insetInlineStart: numberWidth + start },
    }
  })
  return { columns, offsets, frozenCount, numberWidth, totalWidth: numberWidth + (offsets.at(-1) ?? 0) }
}
