// Makes deliveries of committed changes: a durable consumer, so that whoever should be told is told though the process ends.
// What became effective on this machine is told of here, from wherever it came. Knows no request.
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { OutboxConsumer } from '#main/kernel/plugin.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { NewDelivery } from '../store.ts'
import { addDelivery, forgetRecord } from '../store.ts'
import { bodyOf, messageOf, triggerOfEvent } from './message-body.ts'
import type { StoredWebhook, WebhookList } from './webhook-list.ts'

/** What emission works with. */
export interface EmissionParts {
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly webhooks: WebhookList
  readonly data: Pick<DataService, 'shown'>
  readonly permissionEpoch: () => number
  readonly timeZone: () => string
  /** Called when deliveries are on disk. */
  readonly wake: () => void
}

/** Makes the consumer. @source D-191, D-205 */
export function createEmission(parts: EmissionParts): OutboxConsumer {
  const { clock, ids, webhooks, data } = parts

  const firing = (event: PlatformEvent): readonly StoredWebhook[] => {
    const trigger = triggerOfEvent[event.type]
    if (event.object === undefined || trigger === undefined) return []
    return webhooks.ofObject(event.object).filter((one) => fires(one, event, trigger))
  }

  const deliveriesOf = (event: PlatformEvent): NewDelivery[] =>
    firing(event).flatMap((webhook) => {
      const maker = contextOf(webhook, parts.permissionEpoch())
      const message = messageOf(webhook, event, (record) => data.shown(maker, event.object!, record))
      const now = clock.now()
      try {
        return [
          {
            id: ids.uuid(),
            webhook_id: webhook.row.id,
            event_id: message.id,
            trigger: message.trigger,
            object: event.object!,
            record_id: event.recordId!,
            body: bodyOf(webhook, message, parts.timeZone()),
            next_attempt_at: now,
            created_at: now,
          },
        ]
      } catch (error) {
        parts.log.warn({ err: error, webhook: webhook.row.name }, 'The body of a webhook could not be made.')
        return []
      }
    })

  return {
    wants: (event) =>
      firing(event).length > 0 ||
      // What was told of a record that is gone for good is forgotten, also what is told after it is gone.
      (event.type === 'record.purged' && event.object !== undefined && webhooks.ofObject(event.object).length > 0),
    runOf: () => 'webhooks',
    async handle(first, more) {
      const made = [first, ...more].map((event) => ({ event, deliveries: deliveriesOf(event) }))
      await parts.write('webhooks.emit', (tx) => {
        for (const { event, deliveries } of made) {
          for (const delivery of deliveries) addDelivery(tx, delivery)
          if (event.type === 'record.purged' && event.recordId !== undefined) forgetRecord(tx, event.recordId)
        }
        tx.whenOnDisk(parts.wake)
      })
    },
  }
}

function fires({ row, definition }: StoredWebhook, event: PlatformEvent, trigger: string): boolean {
  if (!(definition.triggers as readonly string[]).includes(trigger)) return false
  if (row.organization_id === null) return true
  const { record } = event.payload as { record?: Readonly<Record<string, unknown>> }
  return record?.['organization_id'] === row.organization_id
}

/** Whoever made a webhook, whose rights say what it may tell. */
function contextOf({ row }: StoredWebhook, permissionEpoch: number): RequestContext {
  return {
    ...internalContext('webhooks', 'webhook'),
    actor: { type: 'user', id: row.created_by },
    credential: 'session',
    organizationId: row.organization_id,
    permissionEpoch,
  }
}
