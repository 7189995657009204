// Owns the list of sessions of one's own account and ending them.
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import { ListTable } from '../../components/list-table.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { textOf } from '../../lib/text-of.ts'
import { sessionsQuery } from './account-queries.ts'
import type { Session } from './account-queries.ts'
import { deviceName } from './device-name.ts'

/** The part of the page; `currentId` marks the session in use. */
export function SessionList(props: { currentId: string | undefined }) {
  const client = useQueryClient()
  const { data: sessions, error, refetch } = useQuery(sessionsQuery)
  const end = async (run: () => Promise<unknown>, message: string): Promise<void> => {
    try {
      await run()
      showToast({ message })
    } catch (failure) {
      showProblem(failure)
    }
    await client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  }
  if (error && !sessions) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (!sessions) return null
  if (sessions.length === 0) return <EmptyState title={t('sessions.none')}>{t('sessions.none.text')}</EmptyState>
  const columns = [
    { label: t('word.device') },
    { label: t('sessions.since') },
    { label: t('sessions.until') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      <ListTable label={t('sessions.title')} columns={columns}>
        {sessions.map((session) => (
          <SessionLine
            key={session.id}
            session={session}
            isCurrent={session.id === props.currentId}
            onEnd={() =>
              void end(async () => call('revokeSession', { body: { token: session.token } }), t('sessions.revoked'))
            }
          />
        ))}
      </ListTable>
      {sessions.length > 1 && (
        <div className={parts.actions}>
          <Button
            variant="default"
            onClick={() => void end(async () => call('revokeOtherSessions', { body: {} }), t('sessions.othersDone'))}
          >
            {t('word.signOutElsewhere')}
          </Button>
        </div>
      )}
    </>
  )
}

function SessionLine(props: { session: Session; isCurrent: boolean; onEnd: () => void }) {
  const { session } = props
  const device = deviceName(textOf(session, 'userAgent')) ?? t('sessions.unknown')
  const since = formatMoment(textOf(session, 'createdAt'))
  return (
    <tr>
      <th scope="row">
        {device}
        {props.isCurrent && <span className={parts.badge}>{t('sessions.this')}</span>}
      </th>
      <td data-time>{since}</td>
      <td data-time>{formatMoment(session.expiresAt)}</td>
      <td data-end>
        {!props.isCurrent && (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={t('sessions.revokeOf', { device, since })}
            onClick={props.onEnd}
          >
            {t('word.signOut')}
          </Button>
        )}
      </td>
    </tr>
  )
}
