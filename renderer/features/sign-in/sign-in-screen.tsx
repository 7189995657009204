// Owns signing in a browser by hand: says where a link comes from and takes a pasted link or code.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { usePageTitle } from '../../components/page.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { codeInText, signInWithCode } from '../../lib/session.ts'
import { t } from '../../lib/strings.ts'
import classes from './sign-in.module.css'

/** The page for a browser without a session. `refused` tells that the link it was opened with did not work. */
export function SignInScreen(props: { refused: boolean; onSignedIn: () => void }) {
  usePageTitle(t('signIn.title'))
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const code = codeInText(text)
    if (code === undefined) {
      setProblem(t(text.trim() === '' ? 'signIn.empty' : 'signIn.malformed'))
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      await signInWithCode(code)
      props.onSignedIn()
    } catch (error) {
      setProblem(hasCode(error, 'invalid_credentials') ? t('signIn.refused') : problemText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <main className={classes.page}>
      <div className={classes.panel}>
        <h1 className={classes.title}>{t('signIn.title')}</h1>
        <p className={classes.text}>{t('signIn.lead')}</p>
        {props.refused && problem === undefined && (
          <Notice tone="warn" live>
            {t('signIn.refused')}
          </Notice>
        )}
        <p className={classes.text}>{t('signIn.how')}</p>
        <p className={classes.command}>
          <code>npm run open</code>
        </p>
        <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
          <TextInput
            label={t('signIn.code')}
            description={t('signIn.then')}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={problem}
            autoComplete="off"
            spellCheck={false}
            autoFocus
          />
          <Button type="submit" loading={busy} style={{ alignSelf: 'flex-start' }}>
            {t('signIn.submit')}
          </Button>
        </form>
      </div>
    </main>
  )
}
