// Owns inviting somebody by address.
import { NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { memberRoles } from './organization-queries.ts'
import type { MemberRole, Organization } from './organization-queries.ts'

/** The dialog. */
export function InviteDialog(props: { organization: Organization; opened: boolean; onClose: () => void }) {
  const { organization } = props
  return (
    <Dialog
      opened={props.opened}
      onClose={props.onClose}
      title={t('invites.title', { name: organization.name })}
      closeOnClickOutside={false}
    >
      {props.opened && <InviteForm organizationId={organization.id} onClose={props.onClose} />}
    </Dialog>
  )
}

function InviteForm(props: { organizationId: string; onClose: () => void }) {
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<MemberRole>('member')
  const isGood = /^\S+@\S+$/.test(email.trim())
  const invite = async (): Promise<void> => {
    const body = { email: email.trim(), role, organizationId: props.organizationId }
    await call('inviteMember', { body })
    showToast({ message: t('invites.sent', { email: body.email }), tone: 'good' })
    props.onClose()
    await client.invalidateQueries({ queryKey: ['organizations'] })
  }
  return (
    <DialogForm
      submit={t('invites.submit')}
      ready={isGood}
      describe={(error) => (hasCode(error, 'conflict') ? t('invites.already') : undefined)}
      onClose={props.onClose}
      onSubmit={invite}
    >
      {(tried) => (
        <>
          <p>{t('invites.lead')}</p>
          <TextInput
            type="email"
            label={t('word.emailAddress')}
            value={email}
            error={tried && !isGood ? t('word.needEmail') : undefined}
            autoComplete="off"
            data-autofocus
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <NativeSelect
            label={t('invites.role')}
            value={role}
            data={memberRoles
              .filter((value) => value !== 'owner')
              .map((value) => ({ value, label: t(`members.role.${value}`) }))}
            onChange={(event) => setRole(event.currentTarget.value as MemberRole)}
          />
        </>
      )}
    </DialogForm>
  )
}
