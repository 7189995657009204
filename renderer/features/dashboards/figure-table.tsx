// Owns groups and their figures as a table; a group that leads to its records is a link.
import { t } from '../../lib/strings.ts'
import classes from './dashboards.module.css'

interface FigureRow {
  cells: readonly string[]
  figures: readonly string[]
  /** Path of the records behind it; undefined where no address says them. */
  path: string | undefined
}

/** The table; `head` names the groups first, then the figures. */
export function FigureTable(props: {
  label: string
  head: readonly string[]
  groups: number
  rows: readonly FigureRow[]
}) {
  return (
    <div className={classes.scroll} tabIndex={0} role="group" aria-label={props.label}>
      <table className={`${classes.table} cairn-numbers`}>
        <thead>
          <tr>
            {props.head.map((text, at) => (
              <th key={text} scope="col" data-figure={at >= props.groups || undefined}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map(({ cells: [first = '', ...cells], figures, path }, at) => (
            <tr key={`${first} ${cells.join(' ')} ${at}`}>
              <th scope="row">
                {path === undefined ? (
                  first
                ) : (
                  <a href={`#${path}`} aria-label={t('summary.show', { group: [first, ...cells].join(' · ') })}>
                    {first}
                  </a>
                )}
              </th>
              {cells.map((text, place) => (
                <td key={place}>{text}</td>
              ))}
              {figures.map((text, place) => (
                <td key={place} data-figure>
                  {text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
