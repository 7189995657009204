// Owns answering an invitation into an organization.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useMe } from '../../lib/me.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { textOf } from '../../lib/text-of.ts'

/** The page of one invitation. */
export function InvitationScreen(props: { id: string }) {
  const client = useQueryClient()
  const invitation = useQuery({
    queryKey: ['invitation', props.id] as const,
    queryFn: async ({ signal }) => call('getInvitation', { query: { id: props.id }, signal }),
  })
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const { data, error } = invitation
  const isUnproved = hasCode(error, 'permission_denied') && /EMAIL_VERIFICATION/.test(String(error.details['reason']))
  const isOver = data === null || hasCode(error, 'resource_not_found', 'permission_denied', 'validation_error')

  const answer = async (accept: boolean, organization: string): Promise<void> => {
    setBusy(true)
    setProblem(undefined)
    try {
      await call(accept ? 'acceptInvitation' : 'rejectInvitation', { body: { invitationId: props.id } })
      showToast({
        message: accept ? t('invitation.accepted', { organization }) : t('invitation.rejected'),
        tone: accept ? 'good' : 'plain',
      })
      await client.invalidateQueries()
      navigate('/', { replace: true })
    } catch (failure) {
      setProblem(problemText(failure))
      setBusy(false)
    }
  }

  if (isUnproved) {
    return (
      <Page title={t('invitation.title')} width="narrow">
        <EmptyState title={t('invitation.unproved')} actions={<ProveAddress />}>
          {t('invitation.unproved.text')}
        </EmptyState>
      </Page>
    )
  }
  if (isOver) {
    return (
      <Page title={t('invitation.title')} width="narrow">
        <EmptyState title={t('invitation.unknown')}>{t('invitation.unknown.text')}</EmptyState>
      </Page>
    )
  }
  if (error) {
    return (
      <Page title={t('invitation.title')} width="narrow">
        <LoadFailure error={error} onRetry={() => void invitation.refetch()} />
      </Page>
    )
  }
  if (!data) return <Page title={t('invitation.title')} width="narrow" />
  const organization = textOf(data, 'organizationName') || textOf(data, 'organizationId')
  const inviter = textOf(data, 'inviterEmail')
  const role = textOf(data, 'role')
  const lead =
    inviter === ''
      ? t('invitation.leadPlain', { organization, role })
      : t('invitation.lead', { inviter, organization, role })
  return (
    <Page title={t('invitation.title')} lead={lead} width="narrow">
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <div className={parts.actions}>
        <Button loading={busy} onClick={() => void answer(true, organization)}>
          {t('invitation.accept')}
        </Button>
        <Button variant="default" disabled={busy} onClick={() => void answer(false, organization)}>
          {t('invitation.reject')}
        </Button>
      </div>
    </Page>
  )
}

function ProveAddress() {
  const me = useMe()
  const [sent, setSent] = useState(false)
  const send = async (): Promise<void> => {
    try {
      await call('sendVerificationEmail', { body: { email: me?.user.email ?? '', callbackURL: window.location.href } })
      setSent(true)
    } catch (error) {
      showProblem(error)
    }
  }
  if (sent) return <p role="status">{t('invitation.unproved.sent')}</p>
  return <Button onClick={() => void send()}>{t('word.sendLink')}</Button>
}
