// Owns making an organization: its name, and the short name that follows from it until somebody writes another.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { showToast } from '../../lib/toast.ts'
import { NameFields } from './name-fields.tsx'
import { isSlug, slugFromName } from './slug.ts'

/** The dialog; the page of the new organization follows. */
export function OrganizationDialog(props: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('orgs.new')} closeOnClickOutside={false}>
      {props.opened && <OrganizationForm onClose={props.onClose} />}
    </Dialog>
  )
}

function OrganizationForm(props: { onClose: () => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [written, setWritten] = useState<string>()
  const slug = written ?? slugFromName(name)
  const create = async (): Promise<void> => {
    const made = await call('createOrganization', { body: { name: name.trim(), slug } })
    showToast({ message: t('orgs.created', { name: name.trim() }), tone: 'good' })
    props.onClose()
    // The session works in it from here on, unless it came with a credential of the host.
    await client.invalidateQueries()
    navigate(`/organizations/${textOf(made, 'id')}`)
  }
  return (
    <DialogForm
      submit={t('word.create')}
      ready={name.trim() !== '' && isSlug(slug)}
      describe={(error) => (hasCode(error, 'conflict') ? t('orgs.slug.taken') : undefined)}
      onClose={props.onClose}
      onSubmit={create}
    >
      {(tried) => <NameFields name={name} slug={slug} tried={tried} focused onName={setName} onSlug={setWritten} />}
    </DialogForm>
  )
}
