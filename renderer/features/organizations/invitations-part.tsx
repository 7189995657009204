// Owns the open invitations of an organization: making one, its link for those who hand it on themselves, sending it
// again, taking it back.
import { Button } from '@mantine/core'
import { IconMail, IconPlus } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { CopyField } from '../../components/copy-field.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { connection } from '../../lib/bridge.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { InviteDialog } from './invite-dialog.tsx'
import type { Invitation, OrganizationPartProps } from './organization-queries.ts'
import { useChanges } from './use-changes.ts'

/** The part. */
export function InvitationsPart(props: OrganizationPartProps) {
  const { organization, role } = props
  const { invitations } = organization
  const [inviting, setInviting] = useState(false)
  const base = useConsoleAddress()
  const run = useChanges()
  const mayInvite = role !== 'member'
  const invite = mayInvite && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setInviting(true)}>
      {t('invites.new')}
    </Button>
  )
  const organizationId = organization.id

  const resend = async ({ email, role: given }: Invitation): Promise<boolean> =>
    run(
      async () => call('inviteMember', { body: { email, role: given, organizationId, resend: true } }),
      t('invites.resent', { email }),
    )
  const cancel = async ({ id, email }: Invitation): Promise<boolean> =>
    run(async () => call('cancelInvitation', { body: { invitationId: id } }), t('invites.canceled', { email }))

  return (
    <>
      {invitations.length === 0 ? (
        <EmptyState title={t('invites.none')} icon={<IconMail size={32} stroke={1.5} aria-hidden />} actions={invite}>
          {mayInvite && t('invites.none.text')}
        </EmptyState>
      ) : (
        <>
          <p className={parts.lead}>{t('invites.lead')}</p>
          <div className={parts.actions}>{invite}</div>
          <ul className={parts.cards} aria-label={t('invites.list')}>
            {invitations.map((invitation) => {
              const { id, email, expiresAt } = invitation
              const until = formatMoment(expiresAt)
              return (
                <li key={id} className={parts.card}>
                  <CopyField
                    label={t('invites.linkFor', { email })}
                    description={t('invites.link.help', {
                      email,
                      role: t(`members.role.${invitation.role}`),
                      until,
                    })}
                    value={base === undefined ? '' : new URL(`#/invitations/${id}`, base).href}
                  />
                  {mayInvite && (
                    <div className={parts.actions}>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('invites.resendOf', { email })}
                        onClick={() => void resend(invitation)}
                      >
                        {t('word.sendAgain')}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        aria-label={t('invites.cancelOf', { email })}
                        onClick={() => void cancel(invitation)}
                      >
                        {t('invites.cancel')}
                      </Button>
                    </div>
                  )}
                </li>
              )
            })}
          </ul>
        </>
      )}
      <InviteDialog organization={organization} opened={inviting} onClose={() => setInviting(false)} />
    </>
  )
}

/** Where a browser finds these pages: the window of the desktop has an address of its own, which no browser knows. */
function useConsoleAddress(): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const { protocol } = window.location
    if (protocol === 'http:' || protocol === 'https:') {
      setAddress(document.baseURI)
      return
    }
    void connection().then(({ baseUrl }) => setAddress(`${baseUrl}/_console/`))
  }, [])
  return address
}
