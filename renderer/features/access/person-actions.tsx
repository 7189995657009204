// Owns what can be done to somebody's account beside changing it: password, shutting out, acting as them, removing.
import { ActionIcon, Menu, TextInput } from '@mantine/core'
import {
  IconBan,
  IconDots,
  IconKey,
  IconLockOpen,
  IconMail,
  IconMasksTheater,
  IconShield,
  IconTrash,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { DialogForm } from '../../components/dialog-form.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useMenu } from '../../components/menu-options.ts'
import { PasswordField } from '../../components/password-field.tsx'
import { call } from '../../lib/api-client.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { isAdmin, isBanned } from './access-queries.ts'
import type { Person } from './access-queries.ts'
import { actAs, sendPasswordLink } from './person-tasks.ts'

/** The menu, what cannot be taken back apart and marked. */
export function PersonActions(props: { person: Person; name: string }) {
  const { person, name } = props
  const client = useQueryClient()
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
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
    <>
      <Menu position="bottom-end" {...options}>
        <Menu.Target>
          <ActionIcon
            ref={button}
            variant="subtle"
            color="gray"
            size={32}
            aria-label={t('word.moreOf', { label: name })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconMail size={14} aria-hidden />}
            onClick={after(() => void run(async () => sendPasswordLink(person.email), t('person.link.done')))}
          >
            {t('person.link')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={14} aria-hidden />} onClick={after(() => setOpen('password'))}>
            {t('person.password')}
          </Menu.Item>
          <Menu.Divider />
          {!isAdmin(person) && !isBanned(person) && (
            <Menu.Item
              leftSection={<IconMasksTheater size={14} aria-hidden />}
              onClick={after(() => void impersonate())}
            >
              {t('person.impersonate', { name })}
            </Menu.Item>
          )}
          <Menu.Item leftSection={<IconShield size={14} aria-hidden />} onClick={after(() => void setAdmin())}>
            {t(isAdmin(person) ? 'person.admin.off' : 'person.admin.on')}
          </Menu.Item>
          {isBanned(person) && (
            <Menu.Item
              leftSection={<IconLockOpen size={14} aria-hidden />}
              onClick={after(
                () =>
                  void run(
                    async () => call('adminUnbanUser', { body: { userId: person.id } }),
                    t('person.unban.done', { name }),
                  ),
              )}
            >
              {t('person.unban')}
            </Menu.Item>
          )}
          <Menu.Divider />
          {!isBanned(person) && (
            <Menu.Item
              c="var(--cairn-bad)"
              leftSection={<IconBan size={14} aria-hidden />}
              onClick={after(() => setOpen('ban'))}
            >
              {t('person.ban')}
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--cairn-bad)"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={after(() => void remove())}
          >
            {t('word.removeDots')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
    </>
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
