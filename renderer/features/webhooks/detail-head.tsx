// Owns the beginning of a webhook's or receiver's page: its name, what can be done with it, and its switch.
import { Switch } from '@mantine/core'
import type { ReactNode } from 'react'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import classes from './webhooks.module.css'

/** The beginning; `id` names the heading for the section around it, `children` are its buttons. */
export function DetailHead(props: {
  id: string
  title: string
  description: string | undefined
  help: string
  isActive: boolean
  /** Whether nothing happens though it is switched on. */
  isStopped: boolean
  onActive: (isActive: boolean) => void
  children: ReactNode
}) {
  return (
    <>
      <div className={parts.head}>
        <h2 id={props.id}>{props.title}</h2>
        <div className={classes.tools}>{props.children}</div>
      </div>
      {props.description !== undefined && <p className={parts.lead}>{props.description}</p>}
      <Switch
        className={classes.switch}
        label={t('webhooks.active')}
        description={props.isActive && props.isStopped ? t('webhooks.stopped.help') : props.help}
        checked={props.isActive}
        onChange={(event) => props.onActive(event.currentTarget.checked)}
      />
    </>
  )
}
