// Hands events to listeners: inside the transaction in plugin order, and after COMMIT in event order.
// Knows nothing of what the events mean.
import type { EventDraft, NarrowKey, PlatformEvent } from '#shared/events.ts'
import type { Clock } from './clock.ts'
import type { RequestContext } from './context.ts'
import type { Tx } from './database.ts'
import type { Logger } from './logger.ts'
import type { EventListener } from './plugin.ts'

/** The event bus of one host. The write queue is its only caller for `emit` and `committed`. */
export interface EventBus {
  on(eventType: string, listener: EventListener, priority: number): () => void
  onCommitted(eventType: string, listener: (event: PlatformEvent) => void): () => void
  /** Builds the event, gives it its id and runs the in-transaction listeners; throws what they throw. */
  emit(tx: Tx, ctx: RequestContext, draft: EventDraft): PlatformEvent
  /** Runs the after-commit listeners; a listener that throws is logged and does not stop the others. */
  committed(events: readonly PlatformEvent[]): void
  /** The id given last; events of writes that were rolled back have ids too. */
  lastId(): number
  /** Number of after-commit listeners that have thrown so far. */
  failures(): number
}

interface Entry {
  listener: EventListener
  priority: number
  order: number
}

/**
 * Makes an event bus. Event ids start at the present time in microseconds, so they keep rising over restarts without
 * a stored counter; `lastKnownId` guards against a clock that stepped back.
 */
export function createEventBus(options: { clock: Clock; log: Logger; lastKnownId?: number }): EventBus {
  const inside = new Map<string, Entry[]>()
  /** The listeners of each type seen so far, in order; emptied when a listener comes or goes. */
  const merged = new Map<string, readonly Entry[]>()
  const after = new Map<string, ((event: PlatformEvent) => void)[]>()
  let lastId = Math.max(options.clock.now() * 1000, options.lastKnownId ?? 0)
  let order = 0
  let failures = 0

  const insideFor = (type: string): readonly Entry[] => {
    let entries = merged.get(type)
    if (entries === undefined) {
      const lists = [...inside].filter(([pattern]) => matches(pattern, type)).map(([, list]) => list)
      entries = lists.length === 1 ? lists[0]! : lists.flat().toSorted(byPriority)
      merged.set(type, entries)
    }
    return entries
  }

  return {
    on(eventType, listener, priority) {
      const entry: Entry = { listener, priority, order: order++ }
      const list = [...(inside.get(eventType) ?? []), entry].toSorted(byPriority)
      inside.set(eventType, list)
      merged.clear()
      return () => {
        merged.clear()
        const rest = (inside.get(eventType) ?? []).filter((other) => other !== entry)
        if (rest.length === 0) inside.delete(eventType)
        else inside.set(eventType, rest)
      }
    },
    onCommitted(eventType, listener) {
      after.set(eventType, [...(after.get(eventType) ?? []), listener])
      return () => {
        const rest = (after.get(eventType) ?? []).filter((other) => other !== listener)
        if (rest.length === 0) after.delete(eventType)
        else after.set(eventType, rest)
      }
    },
    emit(tx, ctx, draft) {
      lastId += 1
      const event: PlatformEvent = {
        eventId: lastId,
        type: draft.type,
        ...(draft.object === undefined ? {} : { object: draft.object }),
        ...(draft.recordId === undefined ? {} : { recordId: draft.recordId }),
        payload: draft.payload,
        actor: ctx.actor,
        source: ctx.source,
        requestId: ctx.requestId,
        timestamp: options.clock.iso(),
        ...(ctx.causeEventId === undefined ? {} : { causeEventId: ctx.causeEventId }),
        depth: ctx.depth,
        ...(ctx.work === undefined ? {} : { work: ctx.work }),
        ...(ctx.onBehalfOf === undefined ? {} : { onBehalfOf: ctx.onBehalfOf }),
        ...keyBehind(ctx),
        ...(ctx.runAutomations === false ? { runAutomations: false as const } : {}),
      }
      for (const entry of insideFor(draft.type)) entry.listener(event, tx, ctx)
      return event
    },
    committed(events) {
      if (after.size === 0) return
      for (const event of events) {
        for (const listener of [...(after.get(event.type) ?? []), ...(after.get('*') ?? [])]) {
          try {
            listener(event)
          } catch (error) {
            failures += 1
            options.log.error({ err: error, eventType: event.type }, 'An after-commit listener failed.')
          }
        }
      }
    },
    lastId: () => lastId,
    failures: () => failures,
  }
}

function keyBehind({ key, scope, credentialId = '' }: RequestContext): { key?: NarrowKey } {
  if (key !== undefined) return { key }
  const sets = scope?.permissionSets ?? null
  return sets === null ? {} : { key: { id: credentialId, permissionSets: sets } }
}

/** Whether a name, a beginning with `.*`, or `*` means the type. */
function matches(pattern: string, type: string): boolean {
  if (pattern === type || pattern === '*') return true
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1))
}

function byPriority(a: Entry, b: Entry): number {
  return a.priority - b.priority || a.order - b.order
}
