// Owns letting one other device in: a backup and a code are made, the code is shown until somebody uses it, and the steps of
// pairing follow. Closing the dialog before the end gives the pairing up.
import { Button, Group } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { LoadFailure, Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { InviteCode } from './invite-code.tsx'
import { PairingSteps } from './pairing-steps.tsx'
import { Step } from './step.tsx'
import { pairingQuery, syncKey } from './sync-queries.ts'
import type { Invite } from './sync-queries.ts'
import { refusalText } from './sync-words.ts'
import classes from './sync.module.css'

/** An invite is made once per try and never again by itself: each costs a backup and ends the code before it. */
function inviteQuery(attempt: number) {
  return queryOptions({
    queryKey: ['pairing-invite', attempt] as const,
    queryFn: async () => call('invitePairing', {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
}

let attempts = 0

/** The dialog. */
export function InviteDialog(props: { opened: boolean; onClose: () => void }) {
  const client = useQueryClient()
  const [invite, setInvite] = useState<Invite>()
  const close = (): void => {
    if (invite) giveUp(invite.pairingId)
    setInvite(undefined)
    props.onClose()
    void client.invalidateQueries({ queryKey: syncKey })
  }
  const giveUp = (id: string): void => {
    const state = client.getQueryData(pairingQuery(id).queryKey)?.state ?? 'waiting'
    if (state !== 'waiting' && state !== 'comparing' && state !== 'confirmed') return
    // It ends by itself within five minutes if this does not reach the host.
    call('cancelPairing', { params: { id } }).catch(() => undefined)
  }
  return (
    <Dialog opened={props.opened} onClose={close} title={t('word.addADevice')} size="lg" closeOnClickOutside={false}>
      {props.opened && <Begin onInvite={setInvite} onClose={close} />}
    </Dialog>
  )
}

function Begin(props: { onInvite: (invite: Invite) => void; onClose: () => void }) {
  const [attempt, setAttempt] = useState(() => ++attempts)
  const { data: invite, error } = useQuery(inviteQuery(attempt))
  const again = (): void => setAttempt(++attempts)
  if (hasCode(error, 'pairing_refused')) return <Refused error={error} onAgain={again} onClose={props.onClose} />
  if (error) return <LoadFailure error={error} onRetry={again} />
  if (!invite) {
    return (
      <p role="status" className={classes.text}>
        {t('pair.invite.begin')}
      </p>
    )
  }
  return <Pairing key={invite.pairingId} invite={invite} onAgain={again} {...props} />
}

/** No code was made. Where this device only has to listen, that is one button away. */
function Refused(props: { error: ApiError; onAgain: () => void; onClose: () => void }) {
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const reason = String(props.error.details['reason'])
  const listen = async (): Promise<void> => {
    setBusy(true)
    try {
      await call('updateSyncSettings', { body: { listen: true } })
      props.onAgain()
    } catch (error) {
      setProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Step title={t('pair.noCode')}>
      <Notice tone="warn">{refusalText(reason)}</Notice>
      {problem !== undefined && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        {reason === 'not_listening' && (
          <Button loading={busy} onClick={() => void listen()}>
            {t('pair.listen')}
          </Button>
        )}
      </Group>
    </Step>
  )
}

function Pairing(props: {
  invite: Invite
  onInvite: (invite: Invite) => void
  onAgain: () => void
  onClose: () => void
}) {
  const { invite, onInvite, onAgain, onClose } = props
  // The dialog has to know what to give up when it closes.
  useEffect(() => onInvite(invite), [invite, onInvite])
  const { data: pairing, error, refetch } = useQuery(pairingQuery(invite.pairingId))
  if (error && !pairing && hasCode(error, 'pairing_not_found')) {
    return (
      <Step title={t('pair.failed')}>
        <p className={classes.text}>{t('pair.refused.used')}</p>
        <Group justify="flex-end">
          <Button onClick={onAgain}>{t('pair.newCode')}</Button>
        </Group>
      </Step>
    )
  }
  const code = (
    <InviteCode
      invite={invite}
      triesLeft={pairing?.triesLeft ?? invite.triesLeft}
      expiresAt={pairing?.expiresAt ?? invite.expiresAt}
    />
  )
  if (!pairing) return code
  return (
    <PairingSteps
      pairing={pairing}
      waiting={code}
      onAnswered={() => void refetch()}
      onDone={<Button onClick={onClose}>{t('word.done')}</Button>}
      onFailed={
        <>
          <Button variant="default" onClick={onClose}>
            {t('app.close')}
          </Button>
          <Button onClick={onAgain}>{t('pair.newCode')}</Button>
        </>
      }
    />
  )
}
