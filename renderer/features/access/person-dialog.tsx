// Owns adding a person: name, address, and either a first password or a link to choose one.
import { Button, Checkbox, Group, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { call } from '../../lib/api-client.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { fieldProblemText, problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { sendPasswordLink } from './person-tasks.ts'
import classes from './access.module.css'

/** The dialog; the page of the new person follows. */
export function PersonDialog(props: { opened: boolean; onClose: () => void }) {
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('people.new.title')} closeOnClickOutside={false}>
      {props.opened && <PersonForm onClose={props.onClose} />}
    </Dialog>
  )
}

function PersonForm(props: { onClose: () => void }) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const [invite, setInvite] = useState(true)
  const [tried, setTried] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const emailIsGood = /^\S+@\S+$/.test(email.trim())

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setProblem(undefined)
    if (name.trim() === '' || !emailIsGood) return
    setBusy(true)
    try {
      const { user } = await call('adminCreateUser', {
        body: {
          name: name.trim(),
          email: email.trim(),
          ...(password === '' ? {} : { password }),
          ...(username.trim() === '' ? {} : { data: { username: username.trim() } }),
        },
      })
      // The account exists from here on, whatever becomes of the link.
      if (password === '' && invite) await sendPasswordLink(email.trim()).catch(showProblem)
      await client.invalidateQueries({ queryKey: ['people'] })
      showToast({ message: t('people.new.done', { name: name.trim() }), tone: 'good' })
      props.onClose()
      navigate(`/access/people/${user.id}`)
    } catch (error) {
      setPassword('')
      setProblem(error)
      setBusy(false)
    }
  }

  const said = (field: string): string | undefined => {
    if (field === 'email' && hasCode(problem, 'user_already_exists')) return problemText(problem)
    if (!(problem instanceof ApiError)) return undefined
    const found = problem.fieldErrors.find((one) => one.field === field || one.field.endsWith(`.${field}`))
    return found && fieldProblemText(found, true)
  }
  const atFields = ['name', 'email', 'username', 'password'].some((field) => said(field) !== undefined)

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={classes.stack}>
      <p className={classes.quiet}>{t('people.new.lead')}</p>
      <TextInput
        label={t('people.name')}
        value={name}
        error={tried && name.trim() === '' ? t('people.new.name.missing') : said('name')}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        type="email"
        label={t('people.email')}
        value={email}
        error={tried && !emailIsGood ? t('people.new.email.missing') : said('email')}
        autoComplete="off"
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <TextInput
        label={t('people.username')}
        description={t('people.new.username.help')}
        value={username}
        error={said('username')}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={(event) => setUsername(event.currentTarget.value)}
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
          {t('people.new.submit')}
        </Button>
      </Group>
    </form>
  )
}
