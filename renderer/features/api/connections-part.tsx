// Owns the connections of assistants: making one, what each did last, ending one.
import { Button } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import type { CallResult } from '../../lib/endpoints.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { ConnectionDialog } from './connection-dialog.tsx'

type Key = CallResult<'listKeys'>['keys'][number]
type Act = CallResult<'listMcpActs'>['acts'][number]

/** The connections with what came in over each lately. */
const connectionsQuery = queryOptions({
  queryKey: ['api', 'connections'] as const,
  queryFn: async ({ signal }) => {
    const [{ keys }, { acts }] = await Promise.all([call('listKeys', { signal }), call('listMcpActs', { signal })])
    return { keys: keys.filter(({ purpose }) => purpose === 'assistant'), acts }
  },
  staleTime: 0,
})

/** Acts shown of a connection. */
const shownActs = 3

/** The part. */
export function ConnectionsPart() {
  const client = useQueryClient()
  const { data, error, refetch } = useQuery(connectionsQuery)
  const [making, setMaking] = useState(false)
  const refresh = async (): Promise<void> => {
    await client.invalidateQueries({ queryKey: connectionsQuery.queryKey })
    await client.invalidateQueries({ queryKey: ['account', 'keys'] })
  }

  const end = async ({ id, name }: Key): Promise<void> => {
    const yes = await confirmAction({
      title: t('api.assistants.revoke.title', { name }),
      body: t('api.assistants.revoke.body'),
      confirmLabel: t('word.end'),
    })
    if (!yes) return
    try {
      await call('deleteKey', { params: { id } })
      showToast({ message: t('api.assistants.revoked', { name }) })
    } catch (failure) {
      showProblem(failure)
    }
    await refresh()
  }

  if (error && !data) {
    if (hasCode(error, 'permission_denied')) return <EmptyState title={t('api.assistants.denied')} />
    return <LoadFailure error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <Loading />
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('word.connectAnAssistant')}
    </Button>
  )
  return (
    <>
      {data.keys.length === 0 ? (
        <EmptyState
          title={t('api.assistants.none')}
          icon={<IconPlugConnected size={32} stroke={1.5} aria-hidden />}
          actions={make}
        />
      ) : (
        <>
          <p className={parts.lead}>{t('api.assistants.lead')}</p>
          <div className={parts.actions}>{make}</div>
          <ListTable
            label={t('api.assistants.list')}
            columns={[
              { label: t('word.name') },
              { label: t('word.may') },
              { label: t('word.made') },
              { label: t('word.lastUsed') },
              { label: t('api.assistants.did') },
              { label: t('word.actions'), hidden: true },
            ]}
          >
            {data.keys.map((key) => (
              <Connection
                key={key.id}
                connection={key}
                acts={data.acts.filter(({ keyId }) => keyId === key.id).slice(0, shownActs)}
                onEnd={() => void end(key)}
              />
            ))}
          </ListTable>
        </>
      )}
      <ConnectionDialog opened={making} onClose={() => setMaking(false)} onMade={() => void refresh()} />
    </>
  )
}

function Connection(props: { connection: Key; acts: readonly Act[]; onEnd: () => void }) {
  const { name, readOnly, permissionSets, createdAt, lastUsedAt } = props.connection
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        {t(readOnly ? 'api.assistants.limits.read' : 'api.assistants.limits.all')}
        {permissionSets !== null && <span className={parts.under}>{permissionSets.join(', ')}</span>}
      </td>
      <td data-time>{formatMoment(createdAt)}</td>
      <td data-time>{lastUsedAt === null ? t('word.never') : formatMoment(lastUsedAt)}</td>
      <td>
        {props.acts.length === 0
          ? t('api.assistants.did.nothing')
          : props.acts.map((act) => (
              <span key={`${act.at} ${act.tool}`} className={parts.under}>
                {formatMoment(act.at)} <code>{act.tool}</code> {act.object}
                {act.refused && (
                  <span className={parts.badge} data-tone="bad">
                    {t('api.assistants.did.refused')}
                  </span>
                )}
              </span>
            ))}
      </td>
      <td data-end>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('api.assistants.revokeOf', { name })}
          onClick={props.onEnd}
        >
          {t('word.end')}
        </Button>
      </td>
    </tr>
  )
}
