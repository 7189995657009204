// Owns panels that say how things stand: nothing here yet, something failed, something needs attention.
import { Button } from '@mantine/core'
import { IconAlertTriangle, IconInfoCircle, IconPlugConnectedX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { problemText } from '../lib/problem-text.ts'
import { t } from '../lib/strings.ts'
import classes from './notice.module.css'

/** A bordered message inside the flow of a page. `live` announces it when it appears. */
export function Notice(props: {
  tone: 'info' | 'warn' | 'bad' | 'good'
  title?: string
  children?: ReactNode
  actions?: ReactNode
  live?: boolean
}) {
  const Icon = props.tone === 'info' || props.tone === 'good' ? IconInfoCircle : IconAlertTriangle
  return (
    <div className={classes.notice} data-tone={props.tone} role={props.live ? 'alert' : undefined}>
      <Icon size={18} aria-hidden className={classes.icon} />
      <div className={classes.body}>
        {props.title && <p className={classes.title}>{props.title}</p>}
        {props.children && <div className={classes.text}>{props.children}</div>}
        {props.actions && <div className={classes.actions}>{props.actions}</div>}
      </div>
    </div>
  )
}

/** A failed load in the middle of the room it would have filled, with the way to try again. */
export function LoadFailure(props: { error: unknown; onRetry: () => void }) {
  const requestId = props.error instanceof ApiError ? props.error.requestId : ''
  return (
    <div className={classes.center} role="alert">
      <IconPlugConnectedX size={32} stroke={1.5} aria-hidden />
      <p className={classes.centerText}>{problemText(props.error)}</p>
      {requestId !== '' && <p className={classes.small}>{t('problem.reference', { requestId })}</p>}
      <Button variant="default" onClick={props.onRetry}>
        {t('word.tryAgain')}
      </Button>
    </div>
  )
}

/** What a place without content says: what belongs here and the next action. */
export function EmptyState(props: { title: string; children?: ReactNode; actions?: ReactNode; icon?: ReactNode }) {
  return (
    <div className={classes.center}>
      {props.icon}
      <p className={classes.emptyTitle}>{props.title}</p>
      {props.children && <div className={classes.centerText}>{props.children}</div>}
      {props.actions && <div className={classes.actions}>{props.actions}</div>}
    </div>
  )
}
