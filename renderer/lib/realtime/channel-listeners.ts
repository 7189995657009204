// Owns who listens to which channel: one subscription per channel however many parts of a screen want it. Pure; knows no
// connection.
import type { z } from 'zod'
import type { PresenceMember as PresenceMemberShape, RealtimeEvent as RealtimeEventShape } from '#shared/realtime.ts'

/** An event of a channel. */
export type RealtimeEvent = z.infer<typeof RealtimeEventShape>

/** Somebody who looks at the same thing. */
export type PresenceMember = z.infer<typeof PresenceMemberShape>

/** What listeners of a channel are told. */
export type ChannelMessage =
  | { readonly kind: 'event'; readonly event: RealtimeEvent }
  | { readonly kind: 'presence'; readonly change: 'join' | 'update' | 'leave'; readonly member: PresenceMember }
  /** From here on events arrive; what happened before may have been missed: load again what is shown. */
  | { readonly kind: 'open' }

/** Told what happens on a channel. */
export type ChannelListener = (message: ChannelMessage) => void

/** Listeners by channel. */
export interface ChannelListeners {
  /** Adds a listener; true when it is the first of its channel. */
  add(channel: string, listener: ChannelListener): boolean
  /** Removes a listener; true when it was the last of its channel. */
  remove(channel: string, listener: ChannelListener): boolean
  has(channel: string): boolean
  channels(): string[]
  /** Tells the listeners of a channel; an event that was told on it already is told to nobody. */
  tell(channel: string, message: ChannelMessage): void
}

/** Creates an empty register. */
export function createChannelListeners(): ChannelListeners {
  const byChannel = new Map<string, Map<ChannelListener, number>>()
  const seen = new Map<string, bigint>()
  return {
    add(channel, listener) {
      const listeners = byChannel.get(channel) ?? new Map<ChannelListener, number>()
      byChannel.set(channel, listeners)
      const isFirst = listeners.size === 0
      listeners.set(listener, (listeners.get(listener) ?? 0) + 1)
      return isFirst
    },
    remove(channel, listener) {
      const listeners = byChannel.get(channel)
      const count = listeners?.get(listener)
      if (!listeners || count === undefined) return false
      if (count > 1) listeners.set(listener, count - 1)
      else listeners.delete(listener)
      if (listeners.size > 0) return false
      byChannel.delete(channel)
      seen.delete(channel)
      return true
    },
    has: (channel) => byChannel.has(channel),
    channels: () => [...byChannel.keys()],
    tell(channel, message) {
      const listeners = byChannel.get(channel)
      if (!listeners) return
      if (message.kind === 'event') {
        // Delivery is at least once and in order (D-174): what is not newer was told before.
        const id = BigInt(message.event.eventId)
        if (id <= (seen.get(channel) ?? -1n)) return
        seen.set(channel, id)
      }
      for (const listener of listeners.keys()) listener(message)
    },
  }
}
