// Owns what can be done to somebody's account beside changing it: password, shutting out, acting as them, removing.
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { isAdmin, isBanned } from './access-queries.ts'
import type { Person } from './access-queries.ts'
import { actAs, sendPasswordLink } from './person-tasks.ts'

/** The section. */
export function PersonActions(props: { person: Person; name: string }) {
  const { person, name } = props
  const client = useQueryClient()
  const [open, setOpen] = useState<'password' | 'ban'>()
  const run = async (task: () => Promise<unknown>, message: string): Promise<boolean> => {
    try {
      await task()
      showToast({ message, tone: 'good' })
      await client.invalidateQueries({ queryKey: ['people'] })
      return true
    } catch (error) {
      showProblem(error)
      return false
    }
  }

  const setAdmin = async (): Promise<unknown> =>
    run(
      async () => call('adminSetRole', { body: { userId: person.id, role: isAdmin(person) ? 'user' : 'admin' } }),
      t('person.admin.done', { name }),
    )

  const impersonate = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('person.impersonate.title', { name }),
      body: t('person.impersonate.body', { name }),
      confirmLabel: t('person.impersonate.submit', { name }),
    })
    if (yes) await actAs(person.id).catch(showProblem)
  }

  const remove = async (): Promise<void> => {
    const yes = await confirmAction({
      title: t('person.remove.title', { name }),
      body: t('person.remove.body'),
      confirmLabel: t('word.remove'),
    })
    if (!yes) return
    const done = await run(
      async () => call('adminRemoveUser', { body: { userId: person.id } }),
      t('word.removedOf', { name }),
    )
    if (done) navigate('/access')
  }

  return (
    <section className={parts.section} aria-labelledby="person-more">
      <h2 id="person-more">{t('word.more')}</h2>
      <div className={parts.actions}>
        <Button variant="default" onClick={() => setOpen('password')}>
          {t('person.password')}
        </Button>
        <Button
          variant="default"
          onClick={() => void run(async () => sendPasswordLink(person.email), t('person.link.done'))}
        >
          {t('person.link')}
        </Button>
        <Button variant="default" onClick={() => void setAdmin()}>
          {t(isAdmin(person) ? 'person.admin.off' : 'person.admin.on')}
        </Button>
        {!isAdmin(person) && !isBanned(person) && (
          <Button variant="default" onClick={() => void impersonate()}>
            {t('person.impersonate', { name })}
          </Button>
        )}
        {isBanned(person) ? (
          <Button
            variant="default"
            onClick={() =>
              void run(
                async () => call('adminUnbanUser', { body: { userId: person.id } }),
                t('person.unban.done', { name }),
              )
            }
          >
            {t('person.unban')}
          </Button>
        ) : (
          <Button variant="default" onClick={() => setOpen('ban')}>
            {t('person.ban')}
          </Button>
        )}
        <Button variant="default" onClick={() => void remove()}>
          {t('word.removeDots')}
        </Button>
      </div>
      <Dialog
        opened={open === 'password'}
        onClose={() => setOpen(undefined)}
        title={t('person.password.title', { name })}
        closeOnClickOutside={false}
      >
        {open === 'password' && (
          <OneFieldForm
            lead={t('person.password.lead', { name })}
            submit={t('word.setPassword')}
            secret={t('word.newPassword')}
            onClose={() => setOpen(undefined)}
            onSubmit={async (newPassword) => {
              await call('adminSetPassword', { body: { userId: person.id, newPassword } })
              await run(async () => undefined, t('person.password.done', { name }))
            }}
          />
        )}
      </Dialog>
      <Dialog opened={open === 'ban'} onClose={() => setOpen(undefined)} title={t('person.ban.title', { name })}>
        {open === 'ban' && (
          <OneFieldForm
            lead={t('person.ban.lead', { name })}
            submit={t('person.ban.submit')}
            dangerous
            onClose={() => setOpen(undefined)}
            onSubmit={async (reason) => {
              const banReason = reason.trim()
              await call('adminBanUser', { body: { userId: person.id, ...(banReason === '' ? {} : { banReason }) } })
              await run(async () => undefined, t('person.ban.done', { name }))
            }}
          />
        )}
      </Dialog>
    </section>
  )
}

/** A password that is needed, or a reason that is not. */
function OneFieldForm(props: {
  lead: string
  submit: string
  /** Label of the password; absent asks for a reason. */
  secret?: string
  dangerous?: boolean
  onClose: () => void
  onSubmit: (value: string) => Promise<void>
}) {
  const [value, setValue] = useState('')
  return (
    <DialogForm
      submit={props.submit}
      ready={props.secret === undefined || value !== ''}
      dangerous={props.dangerous ?? false}
      onClose={props.onClose}
      onSubmit={async () => {
        await props.onSubmit(value)
        props.onClose()
      }}
    >
      {(tried) => (
        <>
          <p>{props.lead}</p>
          {props.secret === undefined ? (
            <TextInput
              label={t('word.reason')}
              description={t('person.ban.reason.help')}
              value={value}
              autoComplete="off"
              data-autofocus
              onChange={(event) => setValue(event.currentTarget.value)}
            />
          ) : (
            <PasswordField
              label={props.secret}
              kind="new-password"
              value={value}
              error={tried && value === '' ? t('person.password.missing') : undefined}
              autoFocus
              onChange={setValue}
            />
          )}
        </>
      )}
    </DialogForm>
  )
}
