// One connection: its subscriptions, the position it has reached and what waits for it. A transport attaches to it as a
// sink. Nothing is handed over without asking whether the credential still holds and what the receiver may see.
import type { PlatformEvent } from '#shared/events.ts'
import type { ServerFrame } from '#shared/realtime.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'
import { channelsOf } from './channels.ts'
import type { EventCache, EventMessage, MessageWriter } from './messages.ts'
import { createEventCache } from './messages.ts'
import type { WaitingEvent } from './outbox.ts'
import { createOutbox } from './outbox.ts'
import type { EventRing, ResetReason } from './ring.ts'
import type { Subscription } from './subscription.ts'

/** What a transport offers to a connection. */
export interface Sink {
  /** Bytes handed over and not yet taken by the network. */
  buffered(): number
  /** Takes all messages of one event. */
  deliver(eventId: number, messages: readonly EventMessage[]): void
  frame(frame: ServerFrame): void
  close(code: number, reason: string): void
}

/** The ways events travel. */
export type Transport = 'websocket' | 'sse' | 'polling'

/** Bytes handed to the network at once; what is beyond waits, where it can be merged and judged again. */
const highWaterBytes = 256 * 1024

/** Bytes that wait for one connection, the network's included (D-175). */
export const maxBufferedBytes = 1024 * 1024

/** Events looked at in one turn of the event loop while a connection catches up. */
const turn = 200

/** How long a connection that came back without subscriptions is waited for with what it missed. */
const holdMs = 250

/** How old the last look at a credential may be when something is sent; with the sweep below the second of safety D5. */
const recheckMs = 700

/** The events a connection that asks was given so far, and the position they reach. */
export interface PolledPage {
  readonly texts: string[]
  bytes: number
  position: number
}

/** What connections work with. */
export interface ConnectionParts {
  readonly ring: EventRing
  readonly writer: MessageWriter
  now(): number
  /** The state of rights: a text that changes when anything of them may have changed. */
  stamp(): string
  contextOf(caller: Caller, id: string): RequestContext
  /** Called when it is over, with what ended it. */
  ended(connection: Connection, code: number): void
}

/** What a connection is made of. */
export interface ConnectionStart {
  readonly id: string
  readonly caller: Caller
  readonly transport: Transport
  recheck(): Caller | null
}

/** One connection. */
export interface Connection {
  readonly id: string
  readonly transport: Transport
  readonly userId: string
  readonly credentialId: string
  readonly createdAt: number
  readonly subscriptions: ReadonlyMap<string, Subscription>
  readonly isAttached: boolean
  readonly wasAttached: boolean
  /** Bytes that wait for it, the network's included. */
  readonly buffered: number
  /** Whether nothing waits for it: its position is the newest. */
  readonly isSettled: boolean
  readonly isEnded: boolean
  /** What ended it; 0 before. */
  readonly endCode: number
  activeAt: number
  /** The position after everything handed over or passed by. */
  position: number
  /** Called when there is something for a connection that asks rather than listens. */
  wake: ((isTaken?: boolean) => void) | null
  context(): RequestContext
  /** Notes that its client is there. */
  touch(): void
  add(subscription: Subscription): void
  remove(id: string): boolean
  /** Begins to hand over, after `resume` when given; answers why it cannot go on from there. */
  attach(sink: Sink, resume: string | undefined): ResetReason | null
  detach(sink: Sink): void
  /** An event that was just committed, for some of its subscriptions. */
  offer(event: PlatformEvent, subscriptions: readonly Subscription[], cache: EventCache): void
  /** Hands a frame over at once; a connection that takes nothing is ended. */
  frame(frame: ServerFrame): void
  /** Goes on handing over; called when the network has taken something. */
  pump(): void
  /** Whether the credential holds; asked at most about once a second unless it is to be `atOnce`. Ends the connection when not. */
  holds(atOnce?: boolean): boolean
  /**
   * Adds the next events after the position of a page for a connection that asks, looking at so many; true when the page
   * ends there. Where it ends depends on what the caller sees alone: never on how much there is that it does not.
   */
  collect(page: PolledPage, limit: number, scanned: number): boolean
  end(code: number, reason: string): void
}

/** Makes a connection at the newest position. */
export function createConnection(parts: ConnectionParts, start: ConnectionStart): Connection {
  const { ring, writer } = parts
  const { id, transport, caller } = start
  const subscriptions = new Map<string, Subscription>()
  const byChannel = new Map<string, Subscription[]>()
  const outbox = createOutbox()
  let sink: Sink | null = null
  let isReplaying = false
  let isHeld = false
  let isScheduled = false
  let ctx = parts.contextOf(caller, id)
  let current = caller
  let stamp = parts.stamp()
  let checkedAt = parts.now()

  const write = (event: PlatformEvent, wanting: readonly Subscription[], cache: EventCache): WaitingEvent => {
    const messages = writer.write(self.context(), event, wanting, cache)
    const bytes = messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
    return { event, subscriptions: wanting, messages, bytes, stamp: parts.stamp() }
  }

  const hand = ({ event, messages }: WaitingEvent): void => {
    if (messages.length > 0) sink!.deliver(event.eventId, messages)
    self.position = event.eventId
  }

  const wantingOf = (event: PlatformEvent): Subscription[] =>
    channelsOf(event).flatMap((name) => byChannel.get(name) ?? [])

  /** Reads on from the position until the end of the ring; false when it has to go on later. */
  const replay = (): boolean => {
    for (let looked = 0; looked < turn; looked += 1) {
      if (sink === null || sink.buffered() >= highWaterBytes) return false
      if (!ring.holds(self.position)) {
        self.position = ring.latest()
        sink.frame({ type: 'reset', reason: 'too_old', lastEventId: String(self.position) })
      }
      const event = ring.next(self.position)
      if (event === undefined) {
        self.position = Math.max(self.position, ring.latest())
        return true
      }
      hand(write(event, wantingOf(event), createEventCache()))
    }
    later()
    return false
  }

  const later = (): void => {
    if (isScheduled) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      self.pump()
    })
  }

  let holding: ReturnType<typeof setTimeout> | undefined
  const hold = (): void => {
    isHeld = true
    clearTimeout(holding)
    holding = setTimeout(() => {
      isHeld = false
      self.pump()
    }, holdMs)
    holding.unref()
  }

  const self: Connection = {
    id,
    transport,
    userId: caller.actor.id,
    credentialId: caller.credentialId,
    createdAt: parts.now(),
    subscriptions,
    get isAttached() {
      return sink !== null
    },
    wasAttached: false,
    get buffered() {
      return outbox.bytes + (sink?.buffered() ?? 0)
    },
    get isSettled() {
      return sink !== null && !isReplaying && outbox.length === 0
    },
    isEnded: false,
    endCode: 0,
    activeAt: parts.now(),
    position: ring.latest(),
    wake: null,
    context() {
      const now = parts.stamp()
      if (now !== stamp) {
        stamp = now
        ctx = parts.contextOf(current, id)
      }
      return ctx
    },
    touch() {
      change(self, { wasAttached: true })
      self.activeAt = parts.now()
    },
    add(subscription) {
      if (isHeld) {
        subscription.since = 0
        hold()
      }
      subscriptions.set(subscription.id, subscription)
      const { name } = subscription.channel
      byChannel.set(name, [...(byChannel.get(name) ?? []), subscription])
    },
    remove(subscriptionId) {
      const subscription = subscriptions.get(subscriptionId)
      if (subscription === undefined) return false
      subscriptions.delete(subscriptionId)
      const { name } = subscription.channel
      const rest = byChannel.get(name)!.filter((one) => one !== subscription)
      if (rest.length === 0) byChannel.delete(name)
      else byChannel.set(name, rest)
      return true
    },
    attach(given, resume) {
      const before = sink
      sink = given
      if (before !== null && before !== given) before.close(4409, 'another one took over')
      self.touch()
      outbox.clear()
      isReplaying = true
      if (resume === undefined) {
        later()
        return null
      }
      const position = ring.positionOf(resume)
      if (typeof position === 'string') {
        self.position = ring.latest()
        later()
        return position
      }
      self.position = position
      for (const one of subscriptions.values()) one.since = 0
      if (subscriptions.size === 0) hold()
      else later()
      return null
    },
    detach(given) {
      if (sink !== given) return
      sink = null
      isReplaying = false
      outbox.clear()
      self.activeAt = parts.now()
    },
    offer(event, wanting, cache) {
      // It may have read the event from the ring meanwhile.
      if (event.eventId <= self.position) return
      if (self.wake !== null && self.holds() && write(event, wanting, cache).messages.length > 0) self.wake?.()
      if (sink === null || isReplaying || !self.holds()) return
      const entry = write(event, wanting, cache)
      if (entry.messages.length === 0) return
      if (outbox.length === 0 && sink.buffered() < highWaterBytes) {
        hand(entry)
        return
      }
      outbox.push(entry)
      if (outbox.bytes + sink.buffered() <= maxBufferedBytes) return
      outbox.coalesce((merged, all) => write(merged, all, createEventCache()))
      if (outbox.bytes + sink.buffered() > maxBufferedBytes) self.end(1013, 'too slow')
    },
    frame(frame) {
      if (sink === null) return
      sink.frame(frame)
      if (sink.buffered() > maxBufferedBytes) self.end(1013, 'too slow')
    },
    pump() {
      if (sink === null || isHeld || !self.holds()) return
      if (isReplaying && replay()) isReplaying = false
      while (outbox.length > 0 && sink.buffered() < highWaterBytes) {
        const entry = outbox.shift()!
        const isFresh = entry.stamp === parts.stamp()
        hand(isFresh ? entry : write(entry.event, entry.subscriptions, createEventCache()))
      }
    },
    holds(atOnce = false) {
      if (self.isEnded) return false
      const now = parts.now()
      if (!atOnce && Math.abs(now - checkedAt) < recheckMs) return true
      const found = start.recheck()
      if (found === null || found.actor.id !== self.userId || found.credentialId !== self.credentialId) {
        self.end(4401, 'the credential holds no more')
        return false
      }
      checkedAt = now
      if (found !== current) {
        current = found
        ctx = parts.contextOf(current, id)
      }
      return true
    },
    collect(page, limit, scanned) {
      const { texts } = page
      for (let looked = 0; looked < scanned; looked += 1) {
        const event = ring.next(page.position)
        if (event === undefined) {
          page.position = Math.max(page.position, ring.latest())
          return true
        }
        const { messages, bytes } = write(event, wantingOf(event), createEventCache())
        // All messages of an event or none, so that the position says what was received.
        if (texts.length > 0 && messages.length > 0)
          if (texts.length + messages.length > limit || page.bytes + bytes > maxBufferedBytes) return true
        for (const { text } of messages) texts.push(text)
        page.bytes += bytes
        page.position = event.eventId
      }
      return false
    },
    end(code, reason) {
      if (self.isEnded) return
      change(self, { isEnded: true, endCode: code })
      clearTimeout(holding)
      const last = sink
      sink = null
      outbox.clear()
      parts.ended(self, code)
      last?.close(code, reason)
      self.wake?.()
    },
  }
  return self
}

/** Sets what is read-only for everybody else. */
function change(connection: Connection, values: Partial<Connection>): void {
  Object.assign(connection, values)
}
