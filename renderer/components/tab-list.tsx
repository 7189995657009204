// Owns switching between the parts of a page: one tab stop, arrows move, the part follows the focus.
import { useId, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import classes from './tab-list.module.css'

/** One part; `count` is shown beside its name. */
export interface Tab {
  key: string
  label: string
  count?: number
}

/** The tabs and the panel of the chosen one. */
export function TabbedParts(props: {
  label: string
  tabs: readonly Tab[]
  chosen: string
  onChoose: (key: string) => void
  children: ReactNode
}) {
  const { tabs, chosen } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.key === chosen)
    const last = tabs.length - 1
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last }[event.key]
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length]
    if (!next || event.altKey) return
    event.preventDefault()
    props.onChoose(next.key)
    list.current?.querySelector<HTMLElement>(`[data-key="${next.key}"]`)?.focus()
  }

  return (
    <>
      <div ref={list} role="tablist" aria-label={props.label} className={classes.list} onKeyDown={onKeyDown}>
        {tabs.map((tab) => (
          <button
            key={tab.key}
            type="button"
            role="tab"
            id={`${id}-${tab.key}`}
            data-key={tab.key}
            aria-selected={tab.key === chosen}
            aria-controls={tab.key === chosen ? `${id}-panel` : undefined}
            tabIndex={tab.key === chosen ? 0 : -1}
            className={classes.tab}
            onClick={() => props.onChoose(tab.key)}
          >
            {tab.label}
            {tab.count !== undefined && tab.count > 0 && <span className={classes.count}>{tab.count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {props.children}
      </div>
    </>
  )
}
