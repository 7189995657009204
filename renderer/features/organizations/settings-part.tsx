// Owns renaming an organization, leaving it and deleting it.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { meQuery } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { NameFields } from './name-fields.tsx'
import type { OrganizationPartProps } from './organization-queries.ts'
import { isSlug } from './slug.ts'
import { useChanges } from './use-changes.ts'

/** The part. */
export function SettingsPart(props: OrganizationPartProps) {
  const { organization, role } = props
  const { id, name } = organization
  const client = useQueryClient()
  const run = useChanges()

  const part = async (ask: Parameters<typeof confirmAction>[0], change: () => Promise<unknown>, done: string) => {
    if (!(await confirmAction(ask)) || !(await run(change, done))) return
    navigate('/organizations')
    await client.invalidateQueries({ queryKey: meQuery.queryKey })
  }
  const leave = async (): Promise<void> =>
    part(
      {
        title: t('orgs.leave.title', { name }),
        body: t('orgs.leave.lead'),
        confirmLabel: t('word.leave'),
      },
      async () => call('leaveOrganization', { body: { organizationId: id } }),
      t('orgs.left', { name }),
    )
  const remove = async (): Promise<void> =>
    part(
      {
        title: t('word.askDelete', { name }),
        body: t('orgs.delete.body'),
        confirmLabel: t('word.delete'),
      },
      async () => call('deleteOrganization', { body: { organizationId: id } }),
      t('word.deletedOf', { name }),
    )

  return (
    <>
      {role !== 'member' && <Rename {...props} />}
      <section className={parts.section} aria-labelledby="organization-leave">
        <h2 id="organization-leave">{t('word.leave')}</h2>
        <p className={parts.lead}>{t('orgs.leave.lead')}</p>
        <div className={parts.actions}>
          <Button variant="default" onClick={() => void leave()}>
            {t('orgs.leave.button')}
          </Button>
        </div>
      </section>
      {role === 'owner' && (
        <section className={parts.section} aria-labelledby="organization-delete">
          <h2 id="organization-delete">{t('word.delete')}</h2>
          <p className={parts.lead}>{t('orgs.delete.lead')}</p>
          <div className={parts.actions}>
            <Button variant="default" onClick={() => void remove()}>
              {t('orgs.delete.button')}
            </Button>
          </div>
        </section>
      )}
    </>
  )
}

function Rename(props: OrganizationPartProps) {
  const { organization } = props
  const run = useChanges()
  const [name, setName] = useState(organization.name)
  const [slug, setSlug] = useState(organization.slug)
  const [tried, setTried] = useState(false)
  const [busy, setBusy] = useState(false)
  const save = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    if (name.trim() === '' || !isSlug(slug)) return
    setBusy(true)
    const data = { name: name.trim(), ...(slug === organization.slug ? {} : { slug }) }
    await run(
      async () => call('updateOrganization', { body: { organizationId: organization.id, data } }),
      t('word.savedOf', { name: data.name }),
    )
    setBusy(false)
  }
  return (
    <section className={parts.section} aria-labelledby="organization-rename">
      <h2 id="organization-rename">{t('orgs.rename')}</h2>
      <form onSubmit={(event) => void save(event)} noValidate className={parts.form}>
        <NameFields name={name} slug={slug} tried={tried} onName={setName} onSlug={setSlug} />
        <Button type="submit" variant="default" loading={busy} className={parts.start}>
          {t('word.save')}
        </Button>
      </form>
    </section>
  )
}
