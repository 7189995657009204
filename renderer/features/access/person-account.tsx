// Owns name, address and username of somebody's account.
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { textOf } from '../../lib/text-of.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import type { Person } from './access-queries.ts'
import type { PersonDraft } from './person-fields.tsx'
import { PersonFields, isPersonReady } from './person-fields.tsx'

/** The section. */
export function PersonAccount(props: { person: Person }) {
  const { person } = props
  const client = useQueryClient()
  const stored: PersonDraft = { name: person.name, email: person.email, username: textOf(person, 'username') }
  const [changes, setChanges] = useState<Partial<PersonDraft>>({})
  const draft = { ...stored, ...changes }

  const save = async (): Promise<void> => {
    const { name, email, username } = draft
    await call('adminUpdateUser', {
      body: {
        userId: person.id,
        data: {
          name: name.trim(),
          ...(email.trim() === stored.email ? {} : { email: email.trim() }),
          ...(username.trim() === stored.username ? {} : { username: username.trim() || null }),
        },
      },
    })
    showToast({ message: t('word.savedOf', { name: name.trim() }), tone: 'good' })
    await client.invalidateQueries({ queryKey: ['people'] })
    // What was typed meanwhile is not saved yet.
    setChanges((now) => changesOf(draft, { ...draft, ...now }))
  }
  const { tried, busy, problem, onSubmit } = useSubmit(save, isPersonReady(draft))

  return (
    <section className={parts.section} aria-labelledby="person-account">
      <h2 id="person-account">{t('person.account')}</h2>
      <form onSubmit={onSubmit} noValidate className={parts.form}>
        <PersonFields
          draft={draft}
          tried={tried}
          onChange={(next) => setChanges((now) => ({ ...now, ...changesOf(draft, next) }))}
        />
        {problem !== undefined && (
          <Notice tone="bad" live>
            {problemText(problem)}
          </Notice>
        )}
        <Button type="submit" variant="default" loading={busy} className={parts.start}>
          {t('word.save')}
        </Button>
      </form>
    </section>
  )
}

/** The fields in which a draft differs. */
function changesOf(before: PersonDraft, now: PersonDraft): Partial<PersonDraft> {
  const names = Object.keys(now) as (keyof PersonDraft)[]
  return Object.fromEntries(names.flatMap((name) => (now[name] === before[name] ? [] : [[name, now[name]]])))
}
