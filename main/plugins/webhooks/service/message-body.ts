// What a webhook says of an event: the default body, or the one its maker wrote. Knows no request.
import type { webhookTriggers } from '#shared/contracts/webhooks.ts'
import type { PlatformEvent } from '#shared/events.ts'
import { compileOpenExpression } from '#shared/expression/compile-expression.ts'
import { fillTemplates } from '#shared/expression/templates.ts'
import type { PlatformRecord } from '#main/plugins/data/api.ts'
import type { DeliveryRow } from '../store.ts'
import type { StoredWebhook } from './webhook-list.ts'

/** A word of the triggers. */
export type Trigger = (typeof webhookTriggers)[number]

/** What makes a webhook fire, by the type of the event. */
export const triggerOfEvent: Readonly<Record<string, Trigger>> = {
  'record.created': 'create',
  'record.updated': 'update',
  'record.deleted': 'delete',
  'record.restored': 'undelete',
}

/** What is told. */
export interface Message {
  readonly id: string
  readonly type: string
  readonly trigger: Trigger
  readonly timestamp: string
  readonly webhook: string
  readonly object?: string
  readonly recordId?: string
  readonly record?: unknown
  readonly previous?: Readonly<Record<string, unknown>>
  readonly changes?: readonly string[]
  readonly session?: {
    readonly userId: string
    readonly userName: string | null
    readonly organizationId: string | null
  }
}

/** The fields of a record that a webhook asks for. */
export function wantedOf({ payloadFields }: StoredWebhook['definition'], readable: PlatformRecord): PlatformRecord {
  if (payloadFields.length === 0) return readable
  return Object.fromEntries(
    ['id', ...payloadFields].filter((name) => Object.hasOwn(readable, name)).map((name) => [name, readable[name]]),
  )
}

/**
 * What an event of a record says to a webhook: the fields that were asked for, of those its maker may read.
 * @param shown a record with the fields the maker may read
 * @source D-192
 */
export function messageOf(
  { row, definition }: StoredWebhook,
  event: PlatformEvent,
  shown: (record: PlatformRecord) => PlatformRecord,
): Message {
  const { record, changes = {} } = event.payload as {
    record: PlatformRecord
    changes?: Readonly<Record<string, { readonly old: unknown }>>
  }
  const wanted = (values: PlatformRecord): PlatformRecord => wantedOf(definition, shown(values))
  const trigger = triggerOfEvent[event.type]!
  const former = wanted(Object.fromEntries(Object.entries(changes).map(([name, { old }]) => [name, old])))
  const previous = Object.fromEntries(Object.entries(former).filter(([name]) => Object.hasOwn(changes, name)))
  return {
    id: String(event.eventId),
    type: event.type,
    trigger,
    timestamp: event.timestamp,
    webhook: row.name,
    object: event.object!,
    recordId: event.recordId!,
    record: { ...wanted(record), id: event.recordId },
    ...(trigger === 'update' ? { previous, changes: Object.keys(previous) } : {}),
    ...(definition.includeSession
      ? {
          session: {
            userId: event.actor.id,
            userName: event.actor.name ?? null,
            organizationId: row.organization_id,
          },
        }
      : {}),
  }
}

/**
 * What a deletion that waits to be told says once its record is gone for good: the same, with the id alone.
 * @throws ExpressionError when a template of the body fails
 */
export function bareBodyOf(webhook: StoredWebhook, delivery: DeliveryRow, timeZone: string): string | null {
  const { event_id: id, object, record_id: recordId, body, created_at: at } = delivery
  const isOwn = webhook.definition.body === undefined && body !== null
  const { timestamp = new Date(at).toISOString(), session } = isOwn ? (JSON.parse(body) as Partial<Message>) : {}
  const message: Message = {
    id,
    type: 'record.deleted',
    trigger: 'delete',
    timestamp,
    webhook: webhook.row.name,
    object: object!,
    recordId: recordId!,
    record: { id: recordId },
    ...(session === undefined ? {} : { session }),
  }
  return bodyOf(webhook, message, timeZone)
}

/**
 * The text that is sent; null where the method sends none.
 * @throws ExpressionError when a template of the body fails
 */
export function bodyOf({ definition }: StoredWebhook, message: Message, timeZone: string): string | null {
  if (definition.method === 'GET' || definition.method === 'DELETE') return null
  if (definition.body === undefined) return JSON.stringify(message)
  const { record, previous } = message as {
    record?: Readonly<Record<string, unknown>>
    previous?: Readonly<Record<string, unknown>>
  }
  const scope = {
    record: record ?? null,
    previous: previous ?? null,
    vars: message as unknown as Readonly<Record<string, unknown>>,
    event: message,
    now: Date.parse(message.timestamp),
    timeZone,
  }
  return JSON.stringify(fillTemplates(definition.body, scope, compileOpenExpression))
}
