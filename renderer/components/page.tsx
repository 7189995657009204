// Owns the frame of a page inside the main region: its heading, the window's title, the column it stands in.
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { t } from '../lib/strings.ts'
import classes from './page.module.css'

let pagesShown = 0

/** A page with one heading of level 1. `actions` stand beside the heading; `full` drops the reading column. */
export function Page(props: {
  title: string
  lead?: ReactNode
  actions?: ReactNode
  children?: ReactNode
  width?: 'narrow' | 'wide' | 'full'
}) {
  usePageTitle(props.title)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    const isFirst = pagesShown === 0
    pagesShown += 1
    // What had the focus went with the page before: without this a keyboard would begin at the top of the document.
    const lost = document.activeElement === null || document.activeElement === document.body
    if (!isFirst && lost) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={classes.page} data-width={props.width ?? 'wide'}>
      <div className={classes.head}>
        <h1 ref={heading} className={classes.title} tabIndex={-1}>
          {props.title}
        </h1>
        {props.actions && <div className={classes.actions}>{props.actions}</div>}
      </div>
      {props.lead && <p className={classes.lead}>{props.lead}</p>}
      {props.children}
    </div>
  )
}

/** Names the window after the page while it is shown. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = t('app.title', { page: title })
  }, [title])
}
