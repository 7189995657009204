// Owns drawing the lines that stand for several rows: the heading of a group, and the totals at the bottom.

import { locale } from '../../lib/language.ts'
import { IconChevronRight } from '@tabler/icons-react'
import { memo } from 'react'
import type { ReactNode } from 'react'
import { ROW_NUMBER_COLUMN_INDEX, ariaColumn, ariaRow } from './aria.ts'
import type { GridLabels } from './grid-labels.ts'
import type { GridFigure, GridHeading, GridTotals } from './grid-types.ts'
import type { RenderColumn } from './render-column.ts'
import './group-row.css'

interface Figures {
  frozen: readonly RenderColumn[]
  scrolling: readonly RenderColumn[]
  labels: GridLabels
  /** Width of the row number column and the frozen columns, in pixels: the part that does not scroll sideways. */
  labelWidth: number
  width: number
}

/** The heading of a group: what its rows have in common, how many there are, and figures under their columns. */
export const GroupHeadingRow = memo(function GroupHeadingRow(
  props: Figures & {
    index: number
    heading: GridHeading
    top: number
    rowHeight: number
    active: boolean
    activeId: string
  },
) {
  const { index, heading, top, rowHeight, width, labels, active } = props
  const { level, open, field, label, count, figures } = heading
  const own = props.frozen.flatMap((column) => spoken(column, figures, labels))
  const others = [...figures].flatMap(([name, figure]) => {
    const column = props.scrolling.find((candidate) => candidate.name === name)
    return column ? spoken(column, new Map([[name, figure]]), labels) : []
  })
  const style = { insetBlockStart: top, blockSize: rowHeight, inlineSize: width }
  return (
    <div
      role="row"
      aria-rowindex={ariaRow(index)}
      aria-level={level}
      aria-expanded={open}
      className={`cg-row cg-group cg-group-${level}${active ? ' cg-group-active' : ''}`}
      style={style}
    >
      <div
        id={active ? props.activeId : undefined}
        role="rowheader"
        aria-colindex={ROW_NUMBER_COLUMN_INDEX}
        aria-colspan={props.frozen.length + 1}
        aria-label={[labels.group(field, label, count), ...own, ...others].join(', ')}
        className={active ? 'cg-group-label cg-active' : 'cg-group-label'}
        style={{ inlineSize: props.labelWidth, paddingInlineStart: 8 + (level - 1) * 16 }}
        title={`${field}: ${label}`}
      >
        <IconChevronRight size={16} aria-hidden="true" className={open ? 'cg-chevron cg-chevron-open' : 'cg-chevron'} />
        <span className="cg-group-field">{field}</span>
        <span className={heading.empty ? 'cg-group-value cg-group-empty' : 'cg-group-value'}>{label}</span>
        <span className="cg-group-count">{count.toLocaleString(locale)}</span>
        {props.frozen.map((column) => frozenFigure(column, figures))}
      </div>
      {props.scrolling.map((column) => figureCell(column, figures.get(column.name), false, labels))}
    </div>
  )
})

/** The line at the bottom: how many rows there are, and figures over all of them. */
export const TotalsRow = memo(function TotalsRow(props: Figures & { index: number; totals: GridTotals }) {
  const { index, totals, width, labels } = props
  const { label, count, figures } = totals
  return (
    <div role="rowgroup" className="cg-totals" style={{ inlineSize: width, blockSize: TOTALS_HEIGHT }}>
      <div role="row" aria-rowindex={ariaRow(index)} className="cg-totals-row">
        <div
          role="rowheader"
          aria-colindex={ROW_NUMBER_COLUMN_INDEX}
          aria-colspan={props.frozen.length + 1}
          className="cg-group-label"
          style={{ inlineSize: props.labelWidth }}
        >
          <span className="cg-group-value">{label}</span>
          {count !== undefined && <span className="cg-group-count">{count.toLocaleString(locale)}</span>}
          {props.frozen.map((column) => frozenFigure(column, figures))}
        </div>
        {props.scrolling.map((column) => figureCell(column, figures.get(column.name), true, labels))}
      </div>
    </div>
  )
})

/** Height of the totals in pixels. */
export const TOTALS_HEIGHT = 32

function figureCell(
  column: RenderColumn,
  figure: GridFigure | undefined,
  isNamed: boolean,
  labels: GridLabels,
): ReactNode {
  return (
    <div
      key={column.name}
      role="gridcell"
      aria-colindex={ariaColumn(column.index)}
      className={figure ? 'cg-figure' : 'cg-figure cg-figure-none'}
      style={column.style}
      title={figure && figure.text !== '' ? labels.figure(figure.name, column.label, figure.text) : undefined}
    >
      {figure && isNamed && <span className="cg-figure-name">{figure.name} </span>}
      {figure?.text}
    </div>
  )
}

function frozenFigure(column: RenderColumn, figures: ReadonlyMap<string, GridFigure>): ReactNode {
  const figure = figures.get(column.name)
  if (!figure || figure.text === '') return null
  return (
    <span key={column.name} className="cg-group-figure">
      <span className="cg-figure-name">{figure.name} </span>
      {figure.text}
    </span>
  )
}

function spoken(column: RenderColumn, figures: ReadonlyMap<string, GridFigure>, labels: GridLabels): readonly string[] {
  const figure = figures.get(column.name)
  return figure && figure.text !== '' ? [labels.figure(figure.name, column.label, figure.text)] : []
}
