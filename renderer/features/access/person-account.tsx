// Owns name, address and username of somebody's account.
import { Button, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { SyntheticEvent } from 'react'
import { Notice } from '../../components/notice.tsx'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { textOf } from '../../lib/text-of.ts'
import type { Person } from './access-queries.ts'
import classes from './access.module.css'

/** The section. */
export function PersonAccount(props: { person: Person }) {
  const { person } = props
  const client = useQueryClient()
  const [name, setName] = useState(person.name)
  const [email, setEmail] = useState(person.email)
  const [username, setUsername] = useState(textOf(person, 'username'))
  const [tried, setTried] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [busy, setBusy] = useState(false)
  const emailIsGood = /^\S+@\S+$/.test(email.trim())

  const submit = async (event: SyntheticEvent): Promise<void> => {
    event.preventDefault()
    setTried(true)
    setProblem(undefined)
    if (name.trim() === '' || !emailIsGood) return
    setBusy(true)
    try {
      await call('adminUpdateUser', {
        body: {
          userId: person.id,
          data: {
            name: name.trim(),
            ...(email.trim() === person.email ? {} : { email: email.trim() }),
            ...(username.trim() === textOf(person, 'username') ? {} : { username: username.trim() || null }),
          },
        },
      })
      showToast({ message: t('person.saved', { name: name.trim() }), tone: 'good' })
      await client.invalidateQueries({ queryKey: ['people'] })
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <section className={classes.section} aria-labelledby="person-account">
      <h2 id="person-account">{t('person.account')}</h2>
      <form onSubmit={(event) => void submit(event)} noValidate className={classes.form}>
        <TextInput
          label={t('people.name')}
          value={name}
          error={tried && name.trim() === '' ? t('people.new.name.missing') : undefined}
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          type="email"
          label={t('people.email')}
          value={email}
          error={tried && !emailIsGood ? t('people.new.email.missing') : undefined}
          autoComplete="off"
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <TextInput
          label={t('people.username')}
          value={username}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        {problem && (
          <Notice tone="bad" live>
            {problem}
          </Notice>
        )}
        <Button type="submit" variant="default" loading={busy} className={classes.start}>
          {t('person.save')}
        </Button>
      </form>
    </section>
  )
}
