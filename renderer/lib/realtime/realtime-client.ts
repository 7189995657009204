// Owns the one connection of a window to what happens on the host: opened with the first channel, closed after the last,
// opened again when it breaks, going on where it stopped. Knows no screen and no meaning of an event.
import type { ServerFrame } from '#shared/realtime.ts'
import { call } from '../api-client.ts'
import { hasCode } from '../api-error.ts'
import { onHostBack } from '../host-status.ts'
import { createChannelListeners } from './channel-listeners.ts'
import type { ChannelListener } from './channel-listeners.ts'
import { openTransport, transportNames } from './transports.ts'
import type { Transport } from './transports.ts'

/** Longest wait between two tries, in milliseconds. */
const maxBackoffMs = 5_000
const firstBackoffMs = 250
/** A screen that replaces another wants the same channels a moment later. */
const lingerMs = 1_500
/** Tries of one way before the next one. */
const triesPerTransport = 2
/** Most channels a connection holds. @source D-175 */
const maxChannels = 100

/** The connection of a window. */
export interface RealtimeClient {
  /** Listens to a channel until the returned function is called. */
  listen(channel: string, listener: ChannelListener): () => void
  /** Says where one is; lost while there is no connection. */
  sayPresence(channel: string, state: Readonly<Record<string, unknown>>): void
}

interface Live {
  readonly transport: Transport
  readonly connectionId: string
  readonly subscriptions: Map<string, string>
  ready: boolean
}

/** Wait before a try, growing with the tries before it; `chance` is between 0 and 1. @internal Seen by tests. */
export function backoffMs(tries: number, chance: number): number {
  const longest = Math.min(maxBackoffMs, firstBackoffMs * 2 ** Math.min(tries, 10))
  return Math.round(longest * (0.5 + chance / 2))
}

/** Creates a client without a connection. */
export function createRealtimeClient(): RealtimeClient {
  const listeners = createChannelListeners()
  const waitingAcks = new Map<number, string>()
  let live: Live | undefined
  let opening = false
  let tries = 0
  let way = 0
  let lastEventId: string | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let linger: ReturnType<typeof setTimeout> | undefined
  let frameId = 0

  const again = (): void => {
    if (retry !== undefined || listeners.channels().length === 0) return
    retry = setTimeout(
      () => {
        retry = undefined
        void open()
      },
      backoffMs(tries++, Math.random()),
    )
  }
  onHostBack(() => {
    clearTimeout(retry)
    retry = undefined
    if (!live) void open()
  })

  const failed = (): void => {
    const isLast = way === transportNames.length - 1
    if (tries > 0 && tries % triesPerTransport === 0 && !isLast) way++
    again()
  }

  const open = async (): Promise<void> => {
    if (live || opening || listeners.channels().length === 0) return
    opening = true
    try {
      const name = transportNames[way] ?? 'polling'
      const wanted = listeners.channels().slice(0, maxChannels)
      const body = { transport: name, channels: wanted }
      // One channel that is gone must not cost the others: then each is asked for by itself.
      const given = await call('connectRealtime', { body }).catch(async (error: unknown) => {
        if (!hasCode(error, 'channel_forbidden', 'channel_invalid')) throw error
        return call('connectRealtime', { body: { transport: name, channels: [] } })
      })
      const current: Live = {
        connectionId: given.connectionId,
        subscriptions: new Map(
          given.subscriptions.map((each, at) => [each.subscriptionId, wanted[at] ?? each.channel]),
        ),
        ready: false,
        transport: openTransport(
          name,
          { ...given, lastEventId },
          { onFrame: (frame) => receive(current, frame), onClose: () => lose(current) },
        ),
      }
      live = current
    } catch (error) {
      if (hasCode(error, 'transport_unavailable') && way < transportNames.length - 1) way++
      // Without a session or without the service there is nothing to try again for; a screen that comes asks anew.
      if (!hasCode(error, 'unauthenticated', 'session_expired', 'resource_not_found')) again()
    } finally {
      opening = false
    }
  }

  const lose = (lost: Live): void => {
    if (live !== lost) return
    live = undefined
    waitingAcks.clear()
    if (lost.ready) again()
    else failed()
  }

  const receive = (from: Live, frame: ServerFrame): void => {
    if (live !== from) return
    if (frame.type === 'ready') {
      from.ready = true
      tries = 0
      const known = new Set(from.subscriptions.values())
      const isFresh = lastEventId === undefined || !frame.resumed
      if (isFresh && frame.lastEventId !== '') ({ lastEventId } = frame)
      for (const channel of listeners.channels()) {
        if (!known.has(channel)) subscribe(from, channel)
        else if (isFresh) listeners.tell(channel, { kind: 'open' })
      }
      for (const [subscriptionId, channel] of from.subscriptions) {
        if (!listeners.has(channel)) unsubscribe(from, subscriptionId)
      }
    } else if (frame.type === 'event') {
      const { eventId, subscriptionId, channel } = frame.event
      lastEventId = eventId
      const own = subscriptionId === undefined ? undefined : from.subscriptions.get(subscriptionId)
      listeners.tell(own ?? channel, { kind: 'event', event: frame.event })
    } else if (frame.type === 'presence') {
      listeners.tell(frame.channel, { kind: 'presence', change: frame.event, member: frame.member })
    } else if (frame.type === 'reset') {
      ;({ lastEventId } = frame)
      for (const channel of listeners.channels()) listeners.tell(channel, { kind: 'open' })
    } else if (frame.type === 'subscribed' && typeof frame.id === 'number') {
      acknowledged(from, frame.id, frame.subscriptionId)
    }
  }

  const acknowledged = (from: Live, id: number, subscriptionId: string): void => {
    const channel = waitingAcks.get(id)
    waitingAcks.delete(id)
    if (channel === undefined) return
    if (!listeners.has(channel)) return unsubscribe(from, subscriptionId)
    from.subscriptions.set(subscriptionId, channel)
    listeners.tell(channel, { kind: 'open' })
  }

  const subscribe = (to: Live, channel: string): void => {
    const id = ++frameId
    waitingAcks.set(id, channel)
    if (to.transport.send) return to.transport.send({ type: 'subscribe', id, channel })
    call('subscribeRealtime', { body: { channel, connectionId: to.connectionId } }).then(
      ({ subscriptionId }) => acknowledged(to, id, subscriptionId),
      () => waitingAcks.delete(id), // refused: the screen shows what its own requests are told
    )
  }

  const unsubscribe = (from: Live, subscriptionId: string): void => {
    from.subscriptions.delete(subscriptionId)
    if (from.transport.send) return from.transport.send({ type: 'unsubscribe', subscriptionId })
    // Gone with its connection if not before.
    call('unsubscribeRealtime', { body: { subscriptionId } }).catch(() => undefined)
  }

  const release = (): void => {
    linger = undefined
    if (live?.ready) {
      for (const [subscriptionId, channel] of live.subscriptions) {
        if (!listeners.has(channel)) unsubscribe(live, subscriptionId)
      }
    }
    if (listeners.channels().length > 0 || !live) return
    const idle = live
    live = undefined
    lastEventId = undefined
    idle.transport.close()
    // The host drops it by itself when this is not heard.
    call('disconnectRealtime', { body: { connectionId: idle.connectionId } }).catch(() => undefined)
  }

  return {
    listen(channel, listener) {
      const held = live && [...live.subscriptions.values()].includes(channel)
      const isFirst = listeners.add(channel, listener)
      if (live?.ready && isFirst && !held) subscribe(live, channel)
      else if (!live) void open()
      return () => {
        if (listeners.remove(channel, listener)) linger ??= setTimeout(release, lingerMs)
      }
    },
    sayPresence(channel, state) {
      if (!live?.ready) return
      if (live.transport.send) return live.transport.send({ type: 'presence', channel, state })
      const body = { channel, state: { status: 'online' as const, ...state }, connectionId: live.connectionId }
      // Said again before long.
      call('setPresence', { body }).catch(() => undefined)
    },
  }
}
