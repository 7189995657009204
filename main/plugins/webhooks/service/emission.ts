// Makes deliveries of committed changes: a durable consumer, so that whoever should be told is told though the process ends.
// What became effective on this machine is told of here, from wherever it came. Knows no request.
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { OutboxConsumer } from '#main/kernel/plugin.ts'
import type { PlatformEvent } from '#shared/events.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import { isStored } from '#main/database/query/object-rows.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { NewDelivery } from '../store.ts'
import { addDelivery } from '../store.ts'
import { bodyOf, messageOf, triggerOfEvent } from './message-body.ts'
import type { Speakers } from './speakers.ts'
import type { StoredWebhook, WebhookList } from './webhook-list.ts'

/** What emission works with. */
export interface EmissionParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Logger
  readonly webhooks: WebhookList
  readonly data: Pick<DataService, 'shown'>
  readonly speakers: Pick<Speakers, 'standingOf' | 'hears' | 'fieldsOf'>
  readonly objectSchema: (name: string) => ObjectSchema | undefined
  readonly timeZone: () => string
  /** Called when deliveries are on disk. */
  readonly wake: () => void
}

/** Makes the consumer. @source D-191, D-205 */
export function createEmission(parts: EmissionParts): OutboxConsumer {
  const { clock, ids, webhooks, data, speakers } = parts

  const firing = (event: PlatformEvent): readonly StoredWebhook[] => {
    const trigger = triggerOfEvent[event.type]
    if (event.object === undefined || trigger === undefined) return []
    return webhooks.ofObject(event.object).filter((one) => fires(one, trigger))
  }

  const isGone = (reads: Pick<Reads, 'get'>, { object, recordId }: PlatformEvent): boolean => {
    const schema = parts.objectSchema(object!)
    return schema === undefined || !isStored(reads, schema, recordId!)
  }

  const deliveriesOf = (event: PlatformEvent, gone: boolean): NewDelivery[] =>
    firing(event).flatMap((webhook) => {
      const speaker = speakers.standingOf(webhook, { object: event.object!, id: event.recordId! })
      if (typeof speaker === 'string' || !speakers.hears(speaker, event)) return []
      // Of what was purged nothing is told but its id; what has no trash is told of once more, as it was.
      const isLast =
        gone && event.type === 'record.deleted' && parts.objectSchema(event.object!)?.enable.trash === false
      const isBare = gone && !isLast
      const message = messageOf(webhook, event, (one) => (isBare ? {} : data.shown(speaker, event.object!, one)))
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
            is_purged: isLast ? 1 : 0,
            created_at: now,
            made_for: webhook.row.saved_by,
            fields: isBare ? '[]' : speakers.fieldsOf(event.object!, message.record as Record<string, unknown>),
          },
        ]
      } catch (error) {
        parts.log.warn({ err: error, webhook: webhook.row.name }, 'The body of a webhook could not be made.')
        return []
      }
    })

  return {
    wants: (event) => firing(event).length > 0,
    runOf: () => 'webhooks',
    async handle(first, more) {
      const made = [first, ...more].map((event) => {
        const gone = isGone(parts.read, event)
        return { event, gone, deliveries: deliveriesOf(event, gone) }
      })
      await parts.write('webhooks.emit', (tx) => {
        for (const { event, gone, deliveries } of made) {
          // It may have been purged since; from here on a purge finds what is added.
          const left = gone || deliveries.length === 0 || !isGone(tx, event) ? deliveries : deliveriesOf(event, true)
          for (const delivery of left) addDelivery(tx, delivery)
        }
        tx.whenOnDisk(parts.wake)
      })
    },
  }
}

function fires({ definition }: StoredWebhook, trigger: string): boolean {
  return (definition.triggers as readonly string[]).includes(trigger)
}
