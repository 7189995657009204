// Events as they are written to a receiver: one text per subscription, with what the receiver may see in it. What is
// equal for receivers of equal rights is worked out once per event.
import type { PlatformEvent } from '#shared/events.ts'
import type { QueryEnv } from '#shared/filter/query-env.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { sentType } from './channels.ts'
import type { EventViews } from './event-view.ts'
import type { SeenPayload } from './record-view.ts'
import type { FilterVerdict } from './record-filter.ts'
import { fits, verdictOf } from './record-filter.ts'
import type { Subscription } from './subscription.ts'

/** One event for one subscription, as JSON text (D-171). */
export interface EventMessage {
  readonly type: string
  readonly text: string
}

interface Written {
  readonly payload: Exclude<SeenPayload, null>
  readonly tail: string
  leftTail?: string
}

/** What was worked out for one event; thrown away after it, since rights are those of the moment. */
export interface EventCache {
  readonly written: Map<string, Written | null>
  readonly verdicts: Map<string, FilterVerdict>
}

/** A cache for one event. */
export function createEventCache(): EventCache {
  return { written: new Map(), verdicts: new Map() }
}

/** Writes messages. */
export interface MessageWriter {
  /** The messages of one event for a receiver; none when it may see nothing or wants none. */
  write(
    ctx: RequestContext,
    event: PlatformEvent,
    subscriptions: Iterable<Subscription>,
    cache: EventCache,
  ): EventMessage[]
}

/** Makes the writer. */
export function createMessageWriter(parts: {
  readonly read: Reads
  readonly views: Pick<EventViews, 'payloadOf' | 'keyOf'>
  readonly log: Logger
  schemaOf(object: string): ObjectSchema | undefined
  /** The world as the caller sees it. */
  queryEnv(ctx: RequestContext): QueryEnv
}): MessageWriter {
  const { views } = parts

  /** A right that cannot be judged is none; the others are served all the same. */
  const payloadOf = (ctx: RequestContext, event: PlatformEvent): SeenPayload => {
    try {
      return views.payloadOf(ctx, event)
    } catch (error) {
      parts.log.error({ err: error, eventType: event.type }, 'An event could not be judged for a receiver.')
      return null
    }
  }

  const seenBy = (ctx: RequestContext, event: PlatformEvent, cache: EventCache, key: string): Written | null => {
    let found = cache.written.get(key)
    if (found === undefined) {
      const payload = payloadOf(ctx, event)
      found = payload === null ? null : { payload, tail: tailOf(event, payload) }
      cache.written.set(key, found)
    }
    return found
  }

  const verdict = (
    ctx: RequestContext,
    event: PlatformEvent,
    { filter }: Subscription,
    cache: EventCache,
    key: string,
  ): FilterVerdict => {
    if (filter === null || !event.type.startsWith('record.')) return 'in'
    const asked = `${key} ${ctx.actor.id} ${JSON.stringify(filter)}`
    let found = cache.verdicts.get(asked)
    if (found === undefined) {
      const schema = parts.schemaOf(event.object!)
      found =
        schema === undefined
          ? 'out'
          : verdictOf(event, (record) => fits(parts.read, schema, record, filter, parts.queryEnv(ctx)))
      cache.verdicts.set(asked, found)
    }
    return found
  }

  return {
    write(ctx, event, subscriptions, cache) {
      const messages: EventMessage[] = []
      const type = sentType(event)
      let key: string | undefined
      for (const subscription of subscriptions) {
        if (subscription.since >= event.eventId || !subscription.wants(type)) continue
        key ??= views.keyOf(ctx, event)
        const seen = seenBy(ctx, event, cache, key)
        if (seen === null) return messages
        const stands = verdict(ctx, event, subscription, cache, key)
        if (stands === 'out') continue
        if (stands === 'left') seen.leftTail ??= tailOf(event, { ...seen.payload, left: true })
        const tail = stands === 'left' ? seen.leftTail! : seen.tail
        const { id, channel } = subscription
        const head = `{"eventId":"${event.eventId}","type":${JSON.stringify(type)}`
        const text = `${head},"channel":${JSON.stringify(channel.name)},"subscriptionId":"${id}"${tail}`
        messages.push({ type, text })
      }
      return messages
    },
  }
}

function tailOf(event: PlatformEvent, payload: Exclude<SeenPayload, null>): string {
  const { object, recordId, actor, timestamp } = event
  const rest = {
    ...(object === undefined ? {} : { object }),
    ...(recordId === undefined ? {} : { recordId }),
    payload,
    actor: { type: actor.type, id: actor.id },
    timestamp,
  }
  return `,${JSON.stringify(rest).slice(1)}`
}
