// Owns the look of plain lists as tables: a region that scrolls sideways by itself where the page is narrow.
import type { ReactNode } from 'react'
import classes from './list-table.module.css'

/** A column: its heading; `hidden` keeps the heading for readers only. */
export interface ListColumn {
  label: string
  hidden?: boolean
}

/** A table; the rows are `tr` with a `th scope="row"` first. */
export function ListTable(props: { label: string; columns: readonly ListColumn[]; children: ReactNode }) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={props.label}>
      <table className={classes.table}>
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.label} scope="col">
                {column.hidden ? <span className="cairn-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  )
}
