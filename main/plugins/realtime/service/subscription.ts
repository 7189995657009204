// A subscription: what of which channel goes to which connection, and which events it wants: names, patterns with a star at
// the end, and the short forms clients write. Pure.
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

const short: ReadonlySet<string> = new Set(['created', 'updated', 'deleted', 'restored', 'purged'])

/**
 * Makes the test for types of events; no names or none at all mean every event.
 * @source D-170
 */
export function wantedEvents(names: readonly string[] | undefined): (type: string) => boolean {
  if (names === undefined || names.length === 0) return () => true
  const exact = new Set<string>()
  const begins: string[] = []
  for (const given of names) {
    const bare = given.startsWith('data.') ? given.slice(5) : given
    const name = short.has(bare) ? `record.${bare}` : bare
    if (name === '*') return () => true
    if (name.endsWith('.*')) begins.push(name.slice(0, -1))
    else exact.add(name)
  }
  return (type) => exact.has(type) || begins.some((begin) => type.startsWith(begin))
}
