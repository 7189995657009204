// Owns the second step of signing in: a code of the authenticator, or one of the backup codes.
import { Button, Checkbox, TextInput } from '@mantine/core'
import { useRef, useState } from 'react'
import type { SyntheticEvent } from 'react'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page of the second step. */
export function SecondFactorForm(props: { onSignedIn: () => void; onBack: () => void }) {
  const [backup, setBackup] = useState(false)
  const [code, setCode] = useState('')
  const [trust, setTrust] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const entered = backup ? code.trim() : code.replaceAll(/\s/g, '')
    if (entered === '') {
      setProblem(t('factor.code.missing'))
      field.current?.focus()
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      await call(backup ? 'verifyBackupCode' : 'verifyTotp', { body: { code: entered, trustDevice: trust } })
      props.onSignedIn()
    } catch (error) {
      setCode('')
      setProblem(problemOf(error, backup))
      field.current?.focus()
    } finally {
      setBusy(false)
    }
  }

  const change = (): void => {
    setBackup(!backup)
    setCode('')
    setProblem(undefined)
    field.current?.focus()
  }

  return (
    <SignInFrame title={t('factor.title')} lead={t(backup ? 'factor.backup.lead' : 'factor.lead')}>
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        <TextInput
          ref={field}
          label={t(backup ? 'factor.backup' : 'factor.code')}
          value={code}
          error={problem}
          autoComplete={backup ? 'off' : 'one-time-code'}
          inputMode={backup ? 'text' : 'numeric'}
          spellCheck={false}
          autoFocus
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Checkbox
          label={t('factor.trust')}
          checked={trust}
          onChange={(event) => setTrust(event.currentTarget.checked)}
        />
        <div className={classes.formEnd}>
          <Button type="submit" loading={busy}>
            {t('word.goOn')}
          </Button>
          <Button variant="subtle" onClick={change}>
            {t(backup ? 'factor.useApp' : 'factor.useBackup')}
          </Button>
        </div>
      </form>
      <Button variant="subtle" className={classes.submit} onClick={props.onBack}>
        {t('factor.back')}
      </Button>
    </SignInFrame>
  )
}

function problemOf(error: unknown, backup: boolean): string {
  if (hasCode(error, 'invalid_credentials', 'token_invalid')) {
    return t(backup ? 'factor.backup.wrong' : 'factor.wrong')
  }
  if (hasCode(error, 'unauthenticated', 'two_factor_required', 'session_expired')) return t('factor.expired')
  return problemText(error)
}
