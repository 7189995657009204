// A subscription: what of which channel goes to which connection. Types only.
import type { Filter } from '#shared/filter/filter.ts'
import type { Channel } from './channels.ts'

/** A subscription of a connection. */
export interface Subscription {
  readonly id: string
  readonly channel: Channel
  wants(type: string): boolean
  /** Null for every record. */
  readonly filter: Filter | null
  /** Events up to this one are not for it; 0 when its connection came back for what it missed. */
  since: number
}

/** What a client asks for. */
export interface SubscriptionRequest {
  readonly channel: string
  readonly events?: readonly string[] | undefined
  readonly filter?: Readonly<Record<string, unknown>> | undefined
}
