// Owns replacing a password that somebody else set, before the first sign-in with it is done.
import { Button } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { signInWithPassword } from './auth-requests.ts'
import { NewPasswordFields, noPassword, passwordProblem, refusedPassword } from './new-password.tsx'
import type { PasswordLimits } from './new-password.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page; signing in follows with the new password. */
export function ReplacePasswordForm(props: {
  name: string
  resetToken: string
  limits: PasswordLimits
  onSignedIn: () => void
  onSecondFactor: () => void
}) {
  const [chosen, setChosen] = useState(noPassword)
  const [tried, setTried] = useState(false)
  const [refused, setRefused] = useState<string>()
  const [busy, setBusy] = useState(false)
  const problem = passwordProblem(chosen, props.limits)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setRefused(undefined)
    if (problem) return
    setBusy(true)
    try {
      await call('resetPassword', { body: { newPassword: chosen.password, token: props.resetToken } })
      const due = await signInWithPassword(props.name, chosen.password, true)
      if (due) props.onSecondFactor()
      else props.onSignedIn()
    } catch (error) {
      setRefused(refusedPassword(error) ?? problemText(error))
      setBusy(false)
    }
  }

  return (
    <SignInFrame title={t('mustChange.title')} lead={t('mustChange.lead')} step="replace">
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        {/* Tells password stores whose password this is. */}
        <input type="text" name="username" autoComplete="username" value={props.name} readOnly hidden />
        {refused && (
          <Notice tone="bad" live>
            {refused}
          </Notice>
        )}
        <NewPasswordFields
          value={chosen}
          limits={props.limits}
          problem={tried ? problem : undefined}
          autoFocus
          onChange={setChosen}
        />
        <Button type="submit" loading={busy} className={classes.submit}>
          {t('word.setPassword')}
        </Button>
      </form>
    </SignInFrame>
  )
}
