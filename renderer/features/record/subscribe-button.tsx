// Owns the bell of a record: whether one is told of what happens to it.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconBell, IconBellFilled } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import type { Subscription } from './record-queries.ts'

/** The bell. */
export function SubscribeButton(props: { object: string; recordId: string }) {
  const { object, recordId } = props
  const client = useQueryClient()
  const [busy, setBusy] = useState(false)
  const queryKey = ['subscription', object, recordId]
  const { data } = useQuery<Subscription>({
    queryKey,
    queryFn: async ({ signal }) => {
      try {
        return await call('getSubscription', { params: { object, recordId }, signal })
      } catch (error) {
        if (hasCode(error, 'subscription_not_found')) return null
        throw error
      }
    },
  })
  if (data === undefined) return null
  const isOn = data !== null && data.active
  const toggle = async (): Promise<void> => {
    setBusy(true)
    try {
      if (isOn) {
        await call('unsubscribeRecord', { params: { object, recordId } })
        client.setQueryData<Subscription>(queryKey, null)
      } else {
        client.setQueryData<Subscription>(queryKey, await call('subscribeRecord', { params: { object, recordId } }))
      }
      showToast({ message: t(isOn ? 'record.unsubscribed' : 'record.subscribed'), tone: 'good' })
    } catch (error) {
      showProblem(error)
    } finally {
      setBusy(false)
    }
  }
  const label = t('record.subscribe')
  const Icon = isOn ? IconBellFilled : IconBell
  return (
    <Tooltip label={t(isOn ? 'record.unsubscribe' : 'record.subscribe')}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        c={isOn ? 'var(--cairn-accent)' : 'var(--cairn-text-quiet)'}
        aria-label={label}
        aria-pressed={isOn}
        aria-busy={busy || undefined}
        onClick={() => void (busy || toggle())}
      >
        <Icon size={18} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  )
}
