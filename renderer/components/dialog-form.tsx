// Owns the form inside of a dialog: what is wrong is said above the buttons, nothing is sent twice, Cancel comes first.
import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { problemText } from '../lib/problem-text.ts'
import { t } from '../lib/strings.ts'
import { useSubmit } from '../lib/use-submit.ts'
import classes from './parts.module.css'
import { Notice } from './notice.tsx'

/**
 * The form. Its fields are told whether sending it was tried, so that they complain no earlier; it is sent only when it
 * is `ready`. A rejection of `onSubmit` is said in words and keeps the form as it is.
 */
export function DialogForm(props: {
  submit: string
  ready: boolean
  dangerous?: boolean
  /** Words for a rejection, where the usual ones do not fit. */
  describe?: (error: unknown) => string | undefined
  children: (tried: boolean) => ReactNode
  onClose: () => void
  onSubmit: () => Promise<void>
}) {
  const { tried, busy, problem, onSubmit } = useSubmit(props.onSubmit, props.ready)
  return (
    <form onSubmit={onSubmit} noValidate className={classes.stack}>
      {props.children(tried)}
      {problem !== undefined && (
        <Notice tone="bad" live>
          {props.describe?.(problem) ?? problemText(problem)}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" color={props.dangerous ? 'red' : undefined} loading={busy}>
          {props.submit}
        </Button>
      </Group>
    </form>
  )
}
