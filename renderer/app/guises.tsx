// Owns saying that what is on the screen is not one's own: acting as somebody else, or previewing what they could open.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { call } from '../lib/api-client.ts'
import { impersonatorOf, useMe } from '../lib/me.ts'
import { setPreview, usePreview } from '../lib/preview.ts'
import { t } from '../lib/strings.ts'
import { showProblem } from '../lib/toast.ts'
import classes from './shell.module.css'

/** A line below the top bar for each guise; nothing for somebody who is simply oneself. */
export function Guises() {
  const me = useMe()
  const preview = usePreview()
  const acting = me && impersonatorOf(me) !== undefined ? me.user.name || me.user.email : undefined
  if (acting === undefined && !preview) return null
  return (
    <aside aria-label={t('guise.region')}>
      {acting !== undefined && <Acting name={acting} />}
      {preview && (
        <div className={classes.guise} role="status">
          <p>{t('guise.preview', { name: preview.label })}</p>
          <Button size="compact-sm" variant="default" onClick={() => setPreview(undefined)}>
            {t('guise.preview.stop')}
          </Button>
        </div>
      )}
    </aside>
  )
}

function Acting(props: { name: string }) {
  const [busy, setBusy] = useState(false)
  const stop = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('adminStopImpersonating', { body: {} })
      // Nothing loaded as somebody else may stay in the page.
      window.location.hash = '/access'
      window.location.reload()
    } catch (error) {
      showProblem(error)
      setBusy(false)
    }
  }
  return (
    <div className={classes.guise} data-kind="acting">
      <p>{t('guise.acting', { name: props.name })}</p>
      <Button size="compact-sm" variant="default" loading={busy} onClick={() => void stop()}>
        {t('guise.acting.stop')}
      </Button>
    </div>
  )
}
