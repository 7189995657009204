// Owns where a person is signed in, and ending it.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { textOf } from '../../lib/text-of.ts'
import { personSessionsQuery } from './access-queries.ts'
import classes from './access.module.css'

/** The section; nothing while it is not known. */
export function PersonSessions(props: { userId: string; name: string }) {
  const { userId, name } = props
  const client = useQueryClient()
  const { data: sessions } = useQuery(personSessionsQuery(userId))
  if (!sessions) return null
  const end = async (): Promise<void> => {
    try {
      await call('adminRevokeSessions', { body: { userId } })
      showToast({ message: t('person.sessions.done', { name }) })
    } catch (error) {
      showProblem(error)
    }
    await client.invalidateQueries({ queryKey: personSessionsQuery(userId).queryKey })
  }
  return (
    <section className={parts.section} aria-labelledby="person-sessions">
      <h2 id="person-sessions">{t('person.sessions')}</h2>
      {sessions.length === 0 ? (
        <p className={parts.lead}>{t('person.sessions.none')}</p>
      ) : (
        <>
          <ul className={classes.tree}>
            {sessions.map((session) => (
              <li key={session.id}>{formatMoment(textOf(session, 'createdAt'))}</li>
            ))}
          </ul>
          <div className={parts.actions}>
            <Button variant="default" onClick={() => void end()}>
              {t('person.sessions.end')}
            </Button>
          </div>
        </>
      )}
    </section>
  )
}
