// Owns the deliveries of a webhook: how each ended, those that were given up, and sending one again.
import { Button, NativeSelect } from '@mantine/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { EmptyState, LoadFailure, Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { call } from '../../lib/api-client.ts'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { deadQuery, deliveriesQuery, refreshWebhooks } from './webhook-queries.ts'
import type { Delivery, DeliveryStatus } from './webhook-queries.ts'
import { deliveryTone } from './webhook-words.ts'
import classes from './webhooks.module.css'

const statuses = ['pending', 'in_flight', 'success', 'failed', 'dead'] as const

/** The list of a webhook. */
export function DeliveryList(props: { name: string }) {
  const client = useQueryClient()
  const [status, setStatus] = useState<DeliveryStatus | ''>('')
  const [open, setOpen] = useState<string>()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesQuery(props.name, status),
  )
  const { data: dead = 0 } = useQuery(deadQuery(props.name))
  const deliveries = data?.pages.flatMap((page) => page.deliveries)
  const sendAgain = async (delivery: Delivery): Promise<void> => {
    try {
      await call('redeliverWebhook', { params: { id: delivery.id } })
      showToast({ message: t('deliveries.again.done'), tone: 'good' })
    } catch (failure) {
      showProblem(failure)
    }
    await refreshWebhooks(client)
  }
  return (
    <section className={classes.part} aria-labelledby="deliveries">
      <div className={classes.bar}>
        <h3 id="deliveries">{t('deliveries.title')}</h3>
        <NativeSelect
          aria-label={t('deliveries.status')}
          value={status}
          data={[
            { value: '', label: t('deliveries.status.any') },
            ...statuses.map((value) => ({ value, label: t(`deliveries.status.${value}`) })),
          ]}
          onChange={(event) => setStatus(statuses.find((each) => each === event.currentTarget.value) ?? '')}
        />
      </div>
      {dead > 0 && status !== 'dead' && (
        <div className={classes.notice}>
          <Notice
            tone="warn"
            title={tn('deliveries.dead', dead)}
            actions={
              <Button variant="default" size="compact-sm" onClick={() => setStatus('dead')}>
                {t('deliveries.dead.show')}
              </Button>
            }
          >
            {t('deliveries.dead.text')}
          </Notice>
        </div>
      )}
      {error && !data && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {deliveries?.length === 0 && (
        <EmptyState title={t(status === '' ? 'deliveries.none' : 'deliveries.noMatch')}>
          {status === '' && t('deliveries.none.text')}
        </EmptyState>
      )}
      {deliveries && deliveries.length > 0 && (
        <DeliveryTable deliveries={deliveries} onOpen={setOpen} onAgain={(one) => void sendAgain(one)} />
      )}
      {hasNextPage && (
        <div className={parts.actions}>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {t('deliveries.more')}
          </Button>
        </div>
      )}
      <DeliveryDialog
        delivery={deliveries?.find(({ id }) => id === open)}
        onClose={() => setOpen(undefined)}
        onAgain={(one) => void sendAgain(one)}
      />
    </section>
  )
}

function DeliveryTable(props: {
  deliveries: readonly Delivery[]
  onOpen: (id: string) => void
  onAgain: (delivery: Delivery) => void
}) {
  const columns = [
    { label: t('word.when') },
    { label: t('word.what') },
    { label: t('word.outcome') },
    { label: t('word.answer'), number: true },
    { label: t('deliveries.ms'), number: true },
    { label: t('deliveries.attempts'), number: true },
    { label: t('word.actions'), hidden: true },
  ]
  return (
    <ListTable label={t('deliveries.list')} columns={columns}>
      {props.deliveries.map((delivery) => {
        const when = formatMoment(delivery.createdAt)
        const last = delivery.attempts.at(-1)
        return (
          <tr key={delivery.id}>
            <th scope="row" style={{ whiteSpace: 'nowrap' }}>
              <time dateTime={delivery.createdAt}>{when}</time>
            </th>
            <td>
              {t(`deliveries.trigger.${delivery.trigger}`)}
              {delivery.recordId !== undefined && <span className={parts.under}>{delivery.recordId}</span>}
            </td>
            <td>
              <span className={parts.badge} data-tone={deliveryTone(delivery.status)}>
                {t(`deliveries.status.${delivery.status}`)}
              </span>
              {delivery.nextAttemptAt !== undefined && delivery.status === 'failed' && (
                <span className={parts.under}>
                  {t('deliveries.next', { when: formatMoment(delivery.nextAttemptAt) })}
                </span>
              )}
            </td>
            <td data-number>{last?.responseStatus ?? ''}</td>
            <td data-number>{last === undefined ? '' : formatNumber(Math.round(last.durationMs))}</td>
            <td data-number>{formatNumber(delivery.attempts.length)}</td>
            <td data-end>
              <Button
                size="compact-sm"
                variant="default"
                mr={8}
                aria-label={t('deliveries.openOf', { when })}
                onClick={() => props.onOpen(delivery.id)}
              >
                {t('word.details')}
              </Button>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={t('deliveries.againOf', { when })}
                onClick={() => props.onAgain(delivery)}
              >
                {t('word.sendAgain')}
              </Button>
            </td>
          </tr>
        )
      })}
    </ListTable>
  )
}
