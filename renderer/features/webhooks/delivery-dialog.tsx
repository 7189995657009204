// Owns all that is known of one delivery: its attempts, what was sent and what came back.
import { Button, Group } from '@mantine/core'
import { CodeText, readable } from '../../components/code-text.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { ListTable } from '../../components/list-table.tsx'
import { Notice } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { formatMoment, formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/strings.ts'
import type { Delivery } from './webhook-queries.ts'

interface DeliveryDialogProps {
  /** Undefined shows nothing. */
  delivery: Delivery | undefined
  onClose: () => void
  onAgain: (delivery: Delivery) => void
}

/** The dialog. */
export function DeliveryDialog(props: DeliveryDialogProps) {
  const { delivery } = props
  return (
    <Dialog
      opened={delivery !== undefined}
      onClose={props.onClose}
      title={delivery ? t('deliveries.one', { when: formatMoment(delivery.createdAt) }) : ''}
      size="xl"
    >
      {delivery && <Content {...props} delivery={delivery} />}
    </Dialog>
  )
}

function Content(props: DeliveryDialogProps & { delivery: Delivery }) {
  const { request, attempts, responseBody, eventId, withheld } = props.delivery
  const headers = Object.entries(request.headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  const columns = [
    { label: t('deliveries.attempt'), number: true },
    { label: t('word.when') },
    { label: t('word.answer'), number: true },
    { label: t('deliveries.ms'), number: true },
    { label: t('deliveries.error') },
  ]
  return (
    <div className={parts.stack}>
      <ListTable label={t('deliveries.attempts')} columns={columns}>
        {attempts.map((attempt, at) => (
          <tr key={attempt.at}>
            <th scope="row" data-number>
              {formatNumber(at + 1)}
            </th>
            <td data-time>{formatMoment(attempt.at)}</td>
            <td data-number>{attempt.responseStatus ?? ''}</td>
            <td data-number>{formatNumber(Math.round(attempt.durationMs))}</td>
            <td>{attempt.error ?? ''}</td>
          </tr>
        ))}
      </ListTable>
      <CodeText label={t('word.request')} text={`${request.method} ${request.url}\n${headers}`} />
      {withheld === true && (
        <Notice tone="info" title={t('deliveries.withheld')}>
          {t('deliveries.withheld.text')}
        </Notice>
      )}
      {request.body !== undefined && <CodeText label={t('deliveries.body')} text={readable(request.body)} />}
      {responseBody !== undefined && responseBody !== '' && (
        <CodeText label={t('deliveries.answer')} text={readable(responseBody)} />
      )}
      <p className={parts.quiet}>{t('deliveries.id', { id: eventId })}</p>
      <Group justify="flex-end">
        <Button variant="default" onClick={props.onClose}>
          {t('app.close')}
        </Button>
        <Button onClick={() => props.onAgain(props.delivery)}>{t('word.sendAgain')}</Button>
      </Group>
    </div>
  )
}
