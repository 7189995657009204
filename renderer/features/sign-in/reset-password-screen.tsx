// Owns setting a new password with the token of a link. The token leaves the address before anything else happens.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { useLinkParameters } from '../../lib/link-parameters.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { authConfigQuery } from '../../lib/auth-config.ts'
import { NewPasswordFields, noPassword, passwordProblem, refusedPassword } from './new-password.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

const usualLimits = { minPasswordLength: 8, maxPasswordLength: 128 }

/** The page. */
export function ResetPasswordScreen() {
  const { token, error: refusedBefore } = useLinkParameters('token', 'error')
  const { data: config } = useQuery(authConfigQuery)
  const limits = config?.emailAndPassword ?? usualLimits
  const [chosen, setChosen] = useState(noPassword)
  const [tried, setTried] = useState(false)
  const [refused, setRefused] = useState<string>()
  const [state, setState] = useState<'asking' | 'busy' | 'done' | 'invalid'>('asking')
  const problem = passwordProblem(chosen, limits)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setRefused(undefined)
    if (problem || token === undefined) return
    setState('busy')
    try {
      await call('resetPassword', { body: { newPassword: chosen.password, token } })
      setState('done')
    } catch (error) {
      setState(hasCode(error, 'token_invalid') ? 'invalid' : 'asking')
      setRefused(refusedPassword(error) ?? problemText(error))
    } finally {
      setChosen(noPassword)
      setTried(false)
    }
  }

  if (state === 'done') {
    return (
      <SignInFrame title={t('reset.done.title')} lead={t('reset.done')} step="done">
        <Button component="a" href="#/" className={classes.submit}>
          {t('word.signIn')}
        </Button>
      </SignInFrame>
    )
  }
  if (state === 'invalid' || token === undefined || refusedBefore !== undefined) {
    return (
      <SignInFrame title={t('reset.invalid.title')} lead={t('reset.invalid')} step="invalid">
        <Button component="a" href="#/forgot-password" className={classes.submit}>
          {t('reset.again')}
        </Button>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame title={t('reset.title')} step="ask">
      {refused && (
        <Notice tone="bad" live>
          {refused}
        </Notice>
      )}
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        <NewPasswordFields
          value={chosen}
          limits={limits}
          problem={tried ? problem : undefined}
          autoFocus
          onChange={setChosen}
        />
        <Button type="submit" loading={state === 'busy'} className={classes.submit}>
          {t('word.setPassword')}
        </Button>
      </form>
    </SignInFrame>
  )
}
