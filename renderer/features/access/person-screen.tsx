// Owns the page of one person: the account, the rights, the sessions, and what can be done to the account.
import { Button, Group } from '@mantine/core'
import { IconArrowLeft, IconEye } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import { Page } from '../../components/page.tsx'
import parts from '../../components/parts.module.css'
import { hasCode } from '../../lib/api-error.ts'
import { useMe } from '../../lib/me.ts'
import { t } from '../../lib/strings.ts'
import { textOf } from '../../lib/text-of.ts'
import { Denied } from './access-page.tsx'
import { isBanned, personQuery } from './access-queries.ts'
import { PersonAccount } from './person-account.tsx'
import { PersonActions } from './person-actions.tsx'
import { PersonRights } from './person-rights.tsx'
import { PersonSessions } from './person-sessions.tsx'
import classes from './access.module.css'

/** The page. */
export function PersonScreen(props: { id: string }) {
  const { data: person, error, refetch } = useQuery(personQuery(props.id))
  const me = useMe()
  if (!person) {
    return (
      <Page title={t('word.access')}>
        {hasCode(error, 'resource_not_found', 'validation_error') ? (
          <EmptyState
            title={t('person.missing')}
            actions={
              <Button component="a" href="#/access" variant="default">
                {t('person.back')}
              </Button>
            }
          >
            {t('person.missing.text')}
          </EmptyState>
        ) : hasCode(error, 'permission_denied') ? (
          <Denied permission="manage_users" />
        ) : (
          error && <LoadFailure error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    )
  }
  const name = person.name || person.email
  const isSelf = me?.user.id === person.id
  return (
    <Page
      title={name}
      actions={
        <>
          <Button component="a" href="#/access" variant="subtle" leftSection={<IconArrowLeft size={16} aria-hidden />}>
            {t('person.back')}
          </Button>
          <Group gap={8} wrap="nowrap">
            <Button
              component="a"
              href={`#/access/check?user=${person.id}`}
              leftSection={<IconEye size={16} aria-hidden />}
            >
              {t('person.preview', { name })}
            </Button>
            {!isSelf && <PersonActions person={person} name={name} />}
          </Group>
        </>
      }
    >
      {isBanned(person) && (
        <div className={parts.section}>
          <Notice tone="bad" title={t('person.banned', { name })}>
            {textOf(person, 'banReason')}
          </Notice>
        </div>
      )}
      <div className={classes.columns}>
        <PersonAccount key={person.id} person={person} />
        <PersonRights userId={person.id} name={name} />
      </div>
      <PersonSessions userId={person.id} name={name} />
    </Page>
  )
}
