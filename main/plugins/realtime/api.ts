// What other plugins may ask of realtime. Types only; what is pushed are the events they raise.
import type { PlatformEvent } from '#shared/events.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Caller } from '#main/kernel/identity.ts'

/** An event as its receiver may see it (D-171). */
export interface FollowedEvent {
  readonly eventId: string
  readonly type: string
  readonly subscriptionId: string
  readonly object?: string
  readonly recordId?: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly actor: { readonly type: string; readonly id: string }
  readonly timestamp: string
}

/** Who takes the events of a follower. */
export interface FollowerSink {
  /** Bytes that were taken and have not left yet: a follower that does not keep up is ended (D-175). */
  buffered(): number
  /** @param bytes about what the event takes on its way */
  take(event: FollowedEvent, bytes: number): void
  /** Called once it is over, with a close code of the protocol. */
  ended(code: number, reason: string): void
}

/** One that follows channels. */
export interface Follower {
  /** The context of what the follower may do at this moment. */
  context(): RequestContext
  /** @returns the id its events carry. @throws channel_invalid, channel_forbidden, connection_limit, invalid_query */
  subscribe(request: {
    readonly channel: string
    readonly events?: readonly string[]
    readonly filter?: Readonly<Record<string, unknown>>
  }): string
  unsubscribe(subscriptionId: string): void
  /** Notes that the client is there. */
  touch(): void
  /** Goes on handing over; called when something has left. */
  pump(): void
  end(): void
}

/** The realtime service. */
export interface RealtimeService {
  /** How many connections there are. */
  connections(): number
  /** The most bytes that wait for one connection at this moment, those the network has not taken included (D-175). */
  largestBuffer(): number
  /** Whether a caller may read the record of an event now; for one that is gone, whether it could have. */
  canSee(ctx: RequestContext, event: Pick<PlatformEvent, 'object' | 'recordId' | 'payload' | 'type'>): boolean
  /** Whether somebody is connected at this moment, so that a message reaches the screen by itself. */
  isConnected(userId: string): boolean
  /**
   * Follows changes for somebody over another way than realtime's own.
   * @param opening who, and how its credential is asked again
   * @throws connection_limit
   */
  follow(opening: { readonly caller: Caller; recheck(): Caller | null }, to: FollowerSink): Follower
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    realtime: RealtimeService
  }
}
