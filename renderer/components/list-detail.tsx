// Owns the pattern of administration: a list of things at the start, the chosen one beside it. Where the page is narrow one
// of the two is shown. Knows no thing.
import { IconArrowLeft } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './list-detail.module.css'

/** One thing of the list. */
export interface ListEntry {
  key: string
  href: string
  label: string
  /** A quiet second line. */
  note?: string
  /** How it stands, at the end of the line. */
  mark?: ReactNode
}

/** The list and what is chosen of it. `back` leads from the chosen one to the list where there is room for one only. */
export function ListDetail(props: {
  label: string
  entries: readonly ListEntry[]
  chosen: string | undefined
  back: { href: string; label: string }
  /** Below the list. */
  after?: ReactNode
  children: ReactNode
}) {
  return (
    <div className={classes.frame} data-chosen={props.chosen !== undefined || undefined}>
      <nav aria-label={props.label} className={classes.list}>
        <ul>
          {props.entries.map((entry) => (
            <li key={entry.key}>
              <a
                href={entry.href}
                className={classes.entry}
                aria-current={entry.key === props.chosen ? 'page' : undefined}
              >
                <span className={classes.words}>
                  <span className={classes.label}>{entry.label}</span>
                  {entry.note !== undefined && <span className={classes.note}>{entry.note}</span>}
                </span>
                {entry.mark}
              </a>
            </li>
          ))}
        </ul>
        {props.after && <div className={classes.after}>{props.after}</div>}
      </nav>
      <div className={classes.detail}>
        <a href={props.back.href} className={classes.back}>
          <IconArrowLeft size={16} aria-hidden />
          {props.back.label}
        </a>
        {props.children}
      </div>
    </div>
  )
}
