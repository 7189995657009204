// Owns signing in with a name and a password. The password leaves the field with the request and with every failure.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import { call } from '../../lib/api-client.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { signInWithPassword } from './auth-requests.ts'
import classes from './sign-in.module.css'

/**
 * The form. `onSecondFactor` is called when the password was right and a code is due, `onMustChange` when it has to be
 * replaced first, with what that takes.
 */
export function PasswordForm(props: {
  onSignedIn: () => void
  onSecondFactor: () => void
  onMustChange: (name: string, resetToken: string) => void
}) {
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const [remember, setRemember] = useState(true)
  const [tried, setTried] = useState(false)
  const [problem, setProblem] = useState<{ text: string; at: 'password' | 'form' | 'unverified' }>()
  const [busy, setBusy] = useState(false)
  const nameField = useRef<HTMLInputElement>(null)
  const passwordField = useRef<HTMLInputElement>(null)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setProblem(undefined)
    if (name.trim() === '') return nameField.current?.focus()
    if (password === '') return passwordField.current?.focus()
    setBusy(true)
    try {
      const due = await signInWithPassword(name.trim(), password, remember)
      setPassword('')
      if (due) props.onSecondFactor()
      else props.onSignedIn()
    } catch (error) {
      setPassword('')
      setTried(false)
      const { resetToken } = error instanceof ApiError ? error.details : {}
      if (typeof resetToken === 'string') {
        props.onMustChange(name.trim(), resetToken)
        return
      }
      setProblem(problemOf(error))
      passwordField.current?.focus()
    } finally {
      setBusy(false)
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
      {problem && problem.at !== 'password' && (
        <Notice tone="bad" live actions={problem.at === 'unverified' && <SendAgain email={name.trim()} />}>
          {problem.text}
        </Notice>
      )}
      <TextInput
        ref={nameField}
        label={t('signIn.name')}
        value={name}
        error={tried && name.trim() === '' ? t('signIn.name.missing') : undefined}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <PasswordField
        ref={passwordField}
        label={t('word.password')}
        kind="current-password"
        value={password}
        error={
          problem?.at === 'password'
            ? problem.text
            : tried && password === ''
              ? t('signIn.password.missing')
              : undefined
        }
        onChange={setPassword}
      />
      <Checkbox
        label={t('signIn.remember')}
        checked={remember}
        onChange={(event) => setRemember(event.currentTarget.checked)}
      />
      <div className={classes.formEnd}>
        <Button type="submit" loading={busy}>
          {t('word.signIn')}
        </Button>
        <a href="#/forgot-password" className={classes.link}>
          {t('signIn.forgot')}
        </a>
      </div>
    </form>
  )
}

function problemOf(error: unknown): { text: string; at: 'password' | 'form' | 'unverified' } {
  if (hasCode(error, 'invalid_credentials')) return { text: t('signIn.wrong'), at: 'password' }
  if (hasCode(error, 'email_not_verified')) return { text: t('signIn.unverified'), at: 'unverified' }
  if (hasCode(error, 'rate_limit_exceeded') && error.retryAfterSeconds !== undefined) {
    return { text: t('signIn.locked', { seconds: error.retryAfterSeconds }), at: 'form' }
  }
  return { text: problemText(error), at: 'form' }
}

function SendAgain(props: { email: string }) {
  const [sent, setSent] = useState(false)
  if (!props.email.includes('@')) return null
  if (sent) return <span role="status">{t('signIn.unverified.sent')}</span>
  return (
    <Button
      size="compact-sm"
      variant="default"
      onClick={() => {
        setSent(true)
        // Whether the address exists is not told, so there is nothing to wait for.
        void call('sendVerificationEmail', { body: { email: props.email } }).catch(() => setSent(false))
      }}
    >
      {t('signIn.unverified.send')}
    </Button>
  )
}
