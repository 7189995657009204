// Owns setting the first password of an account and changing it later.
import { Button, Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { PasswordField } from '../../components/password-field.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { NewPasswordFields, noPassword, passwordProblem, refusedPassword } from '../sign-in/index.ts'
import { hasPasswordQuery } from './account-queries.ts'

/** The part of the page. */
export function PasswordPart(props: { limits: { minPasswordLength: number; maxPasswordLength: number } }) {
  const client = useQueryClient()
  const { data: hasPassword } = useQuery(hasPasswordQuery)
  const [current, setCurrent] = useState('')
  const [chosen, setChosen] = useState(noPassword)
  const [others, setOthers] = useState(true)
  const [tried, setTried] = useState(false)
  const [wrong, setWrong] = useState<string>()
  const [refused, setRefused] = useState<string>()
  const [busy, setBusy] = useState(false)
  const problem = passwordProblem(chosen, props.limits)

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setWrong(undefined)
    setRefused(undefined)
    if (problem || (hasPassword && current === '')) return
    setBusy(true)
    try {
      if (hasPassword) {
        const body = { currentPassword: current, newPassword: chosen.password, revokeOtherSessions: others }
        await call('changePassword', { body })
      } else await call('setOwnPassword', { body: { newPassword: chosen.password } })
      showToast({ message: t('password.saved'), tone: 'good' })
      await client.invalidateQueries({ queryKey: ['account'] })
      setChosen(noPassword)
      setTried(false)
    } catch (error) {
      if (hasCode(error, 'invalid_credentials')) setWrong(t('password.current.wrong'))
      else setRefused(refusedPassword(error) ?? problemText(error))
    } finally {
      setCurrent('')
      setBusy(false)
    }
  }

  if (hasPassword === undefined) return null
  return (
    <section className={parts.section} aria-labelledby="own-password">
      <h2 id="own-password">{t('word.password')}</h2>
      {!hasPassword && <p className={parts.lead}>{t('password.set.lead')}</p>}
      <form onSubmit={(event) => void submit(event)} noValidate className={parts.form}>
        {hasPassword && (
          <PasswordField
            label={t('password.current')}
            kind="current-password"
            value={current}
            error={wrong ?? (tried && current === '' && !busy && !wrong ? t('password.current.missing') : undefined)}
            onChange={(value) => {
              setWrong(undefined)
              setCurrent(value)
            }}
          />
        )}
        <NewPasswordFields
          value={chosen}
          limits={props.limits}
          problem={tried ? problem : undefined}
          onChange={setChosen}
        />
        {hasPassword && (
          <Checkbox
            label={t('word.signOutElsewhere')}
            checked={others}
            onChange={(event) => setOthers(event.currentTarget.checked)}
          />
        )}
        {refused && (
          <Notice tone="bad" live>
            {refused}
          </Notice>
        )}
        <Button type="submit" loading={busy} className={parts.start}>
          {t(hasPassword ? 'password.change' : 'password.set')}
        </Button>
      </form>
    </section>
  )
}
