// Owns the line of an object's views: its name as the heading, a tab for each view, and the menus of views. One tab stop,
// arrows move between views.
import { IconLock, IconStarFilled } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'
import { t } from '../../lib/strings.ts'
import type { StoredView } from './record-views.ts'
import { viewTypeIcons } from './view-menu.tsx'
import classes from './view-tabs.module.css'

/** The line; `menus` stands behind the tabs. The tab of all records comes first. */
export function ViewTabs(props: {
  label: string
  heading: RefObject<HTMLHeadingElement | null>
  /** Undefined where the host keeps no views: then there is the heading alone. */
  views: readonly StoredView[] | undefined
  current: StoredView | undefined
  changed: boolean
  onChoose: (view: StoredView | undefined) => void
  menus: ReactNode
}) {
  const { views, current } = props
  const list = useRef<HTMLDivElement>(null)
  const key = current?.id ?? ''

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [key, views])

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!views || event.altKey) return
    const all = [undefined, ...views]
    const at = all.findIndex((view) => view?.id === current?.id)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = all[(to + all.length) % all.length]
    props.onChoose(next)
    list.current?.querySelector<HTMLElement>(`[data-view="${next?.id ?? ''}"]`)?.focus()
  }

  return (
    <div className={classes.bar}>
      <h1 ref={props.heading} className={classes.title} tabIndex={-1}>
        {props.label}
      </h1>
      {views && (
        <>
          <div
            ref={list}
            role="tablist"
            aria-label={t('word.viewsOf', { object: props.label })}
            className={classes.tabs}
            onKeyDown={onKeyDown}
          >
            {[undefined, ...views].map((view) => {
              const isCurrent = view?.id === current?.id
              const Icon = viewTypeIcons[view?.type ?? 'grid']
              const name = view?.label ?? t('word.allRecords')
              return (
                <button
                  key={view?.id ?? ''}
                  type="button"
                  role="tab"
                  data-view={view?.id ?? ''}
                  aria-selected={isCurrent}
                  tabIndex={isCurrent ? 0 : -1}
                  className={classes.tab}
                  onClick={() => props.onChoose(view)}
                >
                  <Icon size={16} aria-hidden />
                  {isCurrent && props.changed ? t('views.changed', { view: name }) : name}
                  {view?.isDefault && (
                    <IconStarFilled size={10} className={classes.mark} role="img" aria-label={t('views.isDefault')} />
                  )}
                  {view?.personal && (
                    <IconLock size={12} className={classes.mark} role="img" aria-label={t('views.isPersonal')} />
                  )}
                </button>
              )
            })}
          </div>
          {props.menus}
        </>
      )}
    </div>
  )
}
