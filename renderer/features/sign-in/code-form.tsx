// Owns signing in with the one-time link of the terminal, pasted by hand (D-208).
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { codeInText, signInWithCode } from '../../lib/session.ts'
import { t } from '../../lib/strings.ts'
import classes from './sign-in.module.css'

/** The form. `refused` tells that the link the page was opened with did not work; `first` gives it the focus. */
export function CodeForm(props: { refused: boolean; first: boolean; onSignedIn: () => void }) {
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    const code = codeInText(text)
    if (code === undefined) {
      setProblem(t(text.trim() === '' ? 'signIn.code.empty' : 'signIn.code.malformed'))
      return
    }
    setBusy(true)
    setProblem(undefined)
    try {
      await signInWithCode(code)
      props.onSignedIn()
    } catch (error) {
      setProblem(hasCode(error, 'invalid_credentials') ? t('signIn.code.refused') : problemText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <section className={classes.section} aria-labelledby="sign-in-code">
      <h2 id="sign-in-code" className={classes.subtitle}>
        {t('signIn.code.title')}
      </h2>
      {props.refused && problem === undefined && (
        <Notice tone="warn" live>
          {t('signIn.code.refused')}
        </Notice>
      )}
      <p className={classes.text}>{t('signIn.code.how')}</p>
      <p className={classes.command}>
        <code>npm run open</code>
      </p>
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        <TextInput
          label={t('signIn.code')}
          description={t('signIn.code.then')}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          autoFocus={props.first}
        />
        <Button type="submit" variant={props.first ? 'filled' : 'default'} loading={busy} className={classes.submit}>
          {t('signIn.code.submit')}
        </Button>
      </form>
    </section>
  )
}
