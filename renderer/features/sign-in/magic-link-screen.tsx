// Owns the landing of a link that signs in. Programs that look into mail must not use it up: it waits for a press.
import { Button } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { navigate } from '../../lib/hash-location.ts'
import { useLinkParameters } from '../../lib/link-parameters.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { Notice } from '../../components/notice.tsx'
import { SignInFrame } from './sign-in-frame.tsx'
import classes from './sign-in.module.css'

/** The page. */
export function MagicLinkScreen(props: { onSignedIn: () => void }) {
  const { token, error: refused } = useLinkParameters('token', 'error')
  const [state, setState] = useState<'asking' | 'busy' | 'invalid'>('asking')
  const [problem, setProblem] = useState<string>()

  const use = async (): Promise<void> => {
    if (token === undefined) return
    setState('busy')
    setProblem(undefined)
    try {
      await call('verifyMagicLink', { body: { token } })
      navigate('/', { replace: true })
      props.onSignedIn()
    } catch (error) {
      setState(hasCode(error, 'token_invalid', 'resource_not_found') ? 'invalid' : 'asking')
      setProblem(problemText(error))
    }
  }

  if (state === 'invalid' || token === undefined || refused !== undefined) {
    return (
      <SignInFrame title={t('reset.invalid.title')} lead={t('reset.invalid')} step="invalid">
        <Button component="a" href="#/" className={classes.submit}>
          {t('forgot.back')}
        </Button>
      </SignInFrame>
    )
  }
  return (
    <SignInFrame title={t('magic.title')} lead={t('magic.lead')} step="ask">
      {problem && (
        <Notice tone="bad" live>
          {problem}
        </Notice>
      )}
      <Button className={classes.submit} loading={state === 'busy'} onClick={() => void use()} autoFocus>
        {t('word.signIn')}
      </Button>
    </SignInFrame>
  )
}
