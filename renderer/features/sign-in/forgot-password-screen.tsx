// Owns asking for a link that sets a new password. Tells the same whether or not the address belongs to an account.
import { Button, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page. */
export function ForgotPasswordScreen() {
  const [email, setEmail] = useState('')
  const [sentTo, setSentTo] = useState<string>()
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    if (!/^\S+@\S+$/.test(email.trim())) {
      setProblem(t('word.needEmail'))
      field.current?.focus()
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      const redirectTo = new URL('#/reset-password', document.baseURI).href
      await call('requestPasswordReset', { body: { email: email.trim(), redirectTo } })
      setSentTo(email.trim())
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }

  if (sentTo !== undefined) {
    return (
      <SignInFrame title={t('forgot.sent.title')} lead={t('forgot.sent', { email: sentTo })} step="sent">
        <a href="#/" className={classes.link}>
          {t('forgot.back')}
        </a>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame title={t('forgot.title')} lead={t('forgot.lead')} step="ask">
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        <TextInput
          ref={field}
          type="email"
          label={t('word.emailAddress')}
          value={email}
          error={problem}
          autoComplete="email"
          autoFocus
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <div className={classes.formEnd}>
          <Button type="submit" loading={busy}>
            {t('word.sendLink')}
          </Button>
          <a href="#/" className={classes.link}>
            {t('forgot.back')}
          </a>
        </div>
      </form>
    </SignInFrame>
  )
}
