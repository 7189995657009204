// Owns the list of one's own API keys, making one and revoking one.
import { Button } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { formatMoment } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { keysQuery } from './account-queries.ts'
import type { ApiKey } from './account-queries.ts'
import { KeyDialog } from './key-dialog.tsx'

/** The part of the page. */
export function KeyList() {
  const client = useQueryClient()
  const { data: keys, error, refetch } = useQuery(keysQuery)
  const [making, setMaking] = useState(false)
  const [openedAt] = useState(() => Date.now())
  const refresh = async (): Promise<void> => client.invalidateQueries({ queryKey: keysQuery.queryKey })

  const revoke = async (key: ApiKey): Promise<void> => {
    const yes = await confirmAction({
      title: t('keys.revoke.title', { name: key.name }),
      body: t('keys.revoke.body'),
      confirmLabel: t('keys.revoke'),
    })
    if (!yes) return
    try {
      await call('deleteKey', { params: { id: key.id } })
      showToast({ message: t('keys.revoked', { name: key.name }) })
    } catch (failure) {
      showProblem(failure)
    }
    await refresh()
  }

  if (error && !keys) {
    if (hasCode(error, 'permission_denied')) return <EmptyState title={t('keys.denied')} />
    return <LoadFailure error={error} onRetry={() => void refetch()} />
  }
  if (!keys) return null
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setMaking(true)}>
      {t('keys.new')}
    </Button>
  )
  const columns = [
    { label: t('word.name') },
    { label: t('keys.prefix') },
    { label: t('word.made') },
    { label: t('word.lastUsed') },
    { label: t('keys.expires') },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <>
      {keys.length === 0 ? (
        <EmptyState title={t('keys.none')} icon={<IconKey size={32} stroke={1.5} aria-hidden />} actions={make}>
          {t('keys.none.text')}
        </EmptyState>
      ) : (
        <>
          <p className={parts.lead}>{t('keys.lead')}</p>
          <div className={parts.actions}>{make}</div>
          <ListTable label={t('keys.list')} columns={columns}>
            {keys.map((key) => (
              <KeyLine key={key.id} apiKey={key} now={openedAt} onRevoke={() => void revoke(key)} />
            ))}
          </ListTable>
        </>
      )}
      <KeyDialog opened={making} onClose={() => setMaking(false)} onMade={() => void refresh()} />
    </>
  )
}

function KeyLine(props: { apiKey: ApiKey; now: number; onRevoke: () => void }) {
  const { apiKey: key } = props
  const isOver = key.expiresAt !== null && Date.parse(key.expiresAt) < props.now
  return (
    <tr>
      <th scope="row">{key.name}</th>
      <td>
        <code>{key.prefix}…</code>
      </td>
      <td data-time>{formatMoment(key.createdAt)}</td>
      <td data-time>{key.lastUsedAt === null ? t('word.never') : formatMoment(key.lastUsedAt)}</td>
      <td data-time>
        {key.expiresAt === null ? t('word.never') : formatMoment(key.expiresAt)}
        {isOver && (
          <span className={parts.badge} data-tone="bad">
            {t('keys.expired')}
          </span>
        )}
      </td>
      <td data-end>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t('keys.revokeOf', { name: key.name })}
          onClick={props.onRevoke}
        >
          {t('keys.revoke')}
        </Button>
      </td>
    </tr>
  )
}
