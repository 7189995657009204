// Owns whether one's own account asks for a second factor, and the ways to change that.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import parts from '../../components/parts.module.css'
import { meQuery } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { hasPasswordQuery } from './account-queries.ts'
import { TwoFactorDialog } from './two-factor-dialog.tsx'
import type { TwoFactorTask } from './two-factor-dialog.tsx'

/** The part of the page. */
export function TwoFactorPart(props: { isOn: boolean }) {
  const client = useQueryClient()
  const { data: hasPassword } = useQuery(hasPasswordQuery)
  const [task, setTask] = useState<TwoFactorTask>()
  const done = (message: string | undefined): void => {
    setTask(undefined)
    if (message !== undefined) showToast({ message, tone: 'good' })
    void client.invalidateQueries({ queryKey: meQuery.queryKey })
  }
  return (
    <section className={parts.section} aria-labelledby="two-factor">
      <h2 id="two-factor">{t('twoFactor.title')}</h2>
      <p className={parts.lead}>
        {t(props.isOn ? 'twoFactor.on' : hasPassword === false ? 'twoFactor.needsPassword' : 'twoFactor.off')}
      </p>
      <div className={parts.actions}>
        {hasPassword === false ? null : props.isOn ? (
          <>
            <Button variant="default" onClick={() => setTask('codes')}>
              {t('twoFactor.codes')}
            </Button>
            <Button variant="default" onClick={() => setTask('disable')}>
              {t('twoFactor.disable')}
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setTask('enable')}>
            {t('twoFactor.enable')}
          </Button>
        )}
      </div>
      <TwoFactorDialog task={task} onClose={() => setTask(undefined)} onDone={done} />
    </section>
  )
}
