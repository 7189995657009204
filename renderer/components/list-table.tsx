// Owns the look of plain lists as tables: a region that scrolls sideways by itself where the page is narrow.
import type { ReactNode, Ref } from 'react'
import classes from './list-table.module.css'

/**
 * A column: its heading; `hidden` keeps the heading for readers only, `number` sets figures at the end, `wide` leaves the
 * column out where the page is narrow. Cells say the same by `data-number` and `data-wide`.
 */
export interface ListColumn {
  label: string
  hidden?: boolean
  number?: boolean
  wide?: boolean
}

/** A table; the rows are `tr` with a `th scope="row"` first. */
export function ListTable(props: {
  label: string
  columns: readonly ListColumn[]
  children: ReactNode
  /** Another layout of the table where the page is narrow. */
  className?: string | undefined
  body?: Ref<HTMLTableSectionElement>
  /** Where the page is narrow each row is a card, its last cell, the buttons, on a line of its own. */
  stacked?: boolean
}) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={props.label}>
      <table
        className={[classes.table, props.className].filter(Boolean).join(' ')}
        data-stacked={props.stacked || undefined}
      >
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                data-number={column.number || undefined}
                data-wide={column.wide || undefined}
              >
                {column.hidden ? <span className="cairn-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={props.body}>{props.children}</tbody>
      </table>
    </div>
  )
}
