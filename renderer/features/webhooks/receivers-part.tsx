// Owns the part of receivers: their list, the chosen one, making one.
import { Button } from '@mantine/core'
import { IconPlus, IconWebhook } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading } from '../../components/delayed.tsx'
import { ListDetail } from '../../components/list-detail.tsx'
import { EmptyState } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { navigate } from '../../lib/hash-location.ts'
import { t } from '../../lib/strings.ts'
import { AccessFailure } from '../access/index.ts'
import { ReceiverDetail } from './receiver-detail.tsx'
import { ReceiverDialog } from './receiver-dialog.tsx'
import { receiverPath, receiversPath } from './webhook-places.ts'
import { receiversQuery, refreshWebhooks } from './webhook-queries.ts'
import type { Receiver } from './webhook-queries.ts'

/** The part; `name` is the chosen receiver. */
export function ReceiversPart(props: { name: string | undefined }) {
  const client = useQueryClient()
  const { data: receivers, error, refetch } = useQuery(receiversQuery)
  const [editing, setEditing] = useState<Receiver | 'new'>()
  const saved = (receiver: Receiver): void => {
    setEditing(undefined)
    void refreshWebhooks(client)
    navigate(receiverPath(receiver.name))
  }
  const make = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEditing('new')}>
      {t('receivers.new')}
    </Button>
  )
  const chosen = receivers?.find(({ name }) => name === props.name)
  return (
    <>
      {error && !receivers && (
        <AccessFailure error={error} permission="manage_webhooks" onRetry={() => void refetch()} />
      )}
      {!error && !receivers && <Loading />}
      {receivers?.length === 0 && (
        <EmptyState
          title={t('receivers.none')}
          icon={<IconWebhook size={32} stroke={1.5} aria-hidden />}
          actions={make}
        />
      )}
      {receivers && receivers.length > 0 && (
        <>
          <div className={parts.bar}>
            <p className={parts.quiet}>{t('receivers.lead')}</p>
            {make}
          </div>
          <ListDetail
            label={t('receivers.list')}
            entries={receivers.map((receiver) => ({
              key: receiver.name,
              href: `#${receiverPath(receiver.name)}`,
              label: receiver.label ?? receiver.name,
              note: receiver.path,
              mark: (!receiver.isActive || receiver.stopped !== undefined) && (
                <span className={parts.badge} data-tone="quiet">
                  {t(receiver.isActive ? 'webhooks.stopped' : 'webhooks.off')}
                </span>
              ),
            }))}
            chosen={props.name}
            back={{ href: `#${receiversPath}`, label: t('receivers.back') }}
          >
            {chosen ? (
              <ReceiverDetail key={chosen.name} receiver={chosen} onEdit={() => setEditing(chosen)} />
            ) : (
              <EmptyState title={t(props.name === undefined ? 'receivers.choose' : 'receivers.gone')} />
            )}
          </ListDetail>
        </>
      )}
      <ReceiverDialog receiver={editing} onClose={() => setEditing(undefined)} onSaved={saved} />
    </>
  )
}
