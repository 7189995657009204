// What every resolver of one run works with. Types only.
import type { RequestContext } from '#main/kernel/context.ts'
import type { FollowedEvent } from '#main/plugins/realtime/api.ts'
import type { RelatedRecords } from './related-records.ts'

/** Events of a channel as the subscriber may see them. */
export type Follow = (request: {
  readonly channel: string
  readonly events: readonly string[]
  readonly filter?: Readonly<Record<string, unknown>>
}) => AsyncIterable<FollowedEvent>

/** The context of one run of a document; that of a subscription is that of its newest event. */
export interface RunContext {
  ctx: RequestContext
  related: RelatedRecords
  /** Of subscriptions alone. */
  readonly follow?: Follow
}
