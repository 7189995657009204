// Owns asking for a proof now: all documents are compared with the devices that are connected.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { syncKey } from './sync-queries.ts'
import { useMayManage } from './use-may-manage.ts'

/** The button; nothing for people who may not ask for it. */
export function CheckButton(props: { size?: string }) {
  const client = useQueryClient()
  const mayManage = useMayManage()
  const [busy, setBusy] = useState(false)
  if (mayManage !== true) return null
  const check = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('verifySync', {})
      showToast({ message: t('sync.check.started') })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
    await client.invalidateQueries({ queryKey: syncKey })
  }
  return (
    <Button variant="default" size={props.size ?? 'sm'} loading={busy} onClick={() => void check()}>
      {t('sync.check')}
    </Button>
  )
}
