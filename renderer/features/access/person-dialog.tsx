// Owns adding a person: name, address, and either a first password or a link to choose one.
import { Button, Checkbox, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { PersonFields, isPersonReady } from './person-fields.tsx'
import type { PersonDraft } from './person-fields.tsx'
import { sendPasswordLink } from './person-tasks.ts'

/** The dialog; the page of the new person follows. */
export function PersonDialog(props: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('word.addAPerson')} closeOnClickOutside={false}>
      {props.opened && <PersonForm onClose={props.onClose} />}
    </Dialog>
  )
}

function PersonForm(props: { onClose: () => void }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState<PersonDraft>({ name: '', email: '', username: '' })
  const [password, setPassword] = useState('')
  const [invite, setInvite] = useState(true)

  const make = async (): Promise<void> => {
    const { name, email, username } = draft
    const { user } = await call('adminCreateUser', {
      body: {
        name: name.trim(),
        email: email.trim(),
        ...(password === '' ? {} : { password }),
        ...(username.trim() === '' ? {} : { data: { username: username.trim() } }),
      },
    }).catch((error: unknown) => {
      setPassword('')
      throw error
    })
    // The account exists from here on, whatever becomes of the link.
    if (password === '' && invite) await sendPasswordLink(email.trim()).catch(showProblem)
    await client.invalidateQueries({ queryKey: ['people'] })
    showToast({ message: t('people.new.done', { name: name.trim() }), tone: 'good' })
    props.onClose()
    navigate(`/access/people/${user.id}`)
  }
  const { tried, busy, problem, onSubmit } = useSubmit(make, isPersonReady(draft))

  const said = (field: string): string | undefined => {
    if (field === 'email' && hasCode(problem, 'user_already_exists')) return problemText(problem)
    if (!(problem instanceof ApiError)) return undefined
    const found = problem.fieldErrors.find((one) => one.field === field || one.field.endsWith(`.${field}`))
    return found && fieldProblemText(found, true)
  }
  const atFields = ['name', 'email', 'username', 'password'].some((field) => said(field) !== undefined)

  return (
    <form onSubmit={onSubmit} noValidate className={parts.stack}>
      <p className={parts.quiet}>{t('people.new.lead')}</p>
      <PersonFields
        draft={draft}
        tried={tried}
        said={said}
        usernameHelp={t('people.new.username.help')}
        autoFocus
        onChange={setDraft}
      />
      <PasswordField
        label={t('people.new.password')}
        kind="new-password"
        description={t('people.new.password.help')}
        value={password}
        error={said('password')}
        onChange={setPassword}
      />
      {password === '' && (
        <Checkbox
          label={t('people.new.invite')}
          checked={invite}
          onChange={(event) => setInvite(event.currentTarget.checked)}
        />
      )}
      {problem !== undefined && !atFields && (
        <Notice tone="bad" live>
          {problemText(problem)}
        </Notice>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.cancel')}
        </Button>
        <Button type="submit" loading={busy}>
          {t('word.add')}
        </Button>
      </Group>
    </form>
  )
}
