// What a receiver sees of somebody's presence: on the channel of an object the cell it says it is at shows only to whoever
// may read that record and that field. Knows no connection.
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { Channel } from './channels.ts'
import type { Member } from './presence.ts'

/** A member as a caller sees it. */
export type PresenceView = (ctx: RequestContext, channel: Channel, member: Member) => Member

/**
 * Makes the view.
 * @source D-176
 */
export function createPresenceView(data: Pick<DataService, 'reach' | 'canReadField'>): PresenceView {
  return (ctx, channel, member) => {
    const { cell, ...state } = member.state
    if (channel.kind !== 'object' || cell === undefined) return member
    const { recordId, field } = (typeof cell === 'object' && cell !== null ? cell : {}) as Record<string, unknown>
    const isOpen =
      typeof recordId === 'string' &&
      typeof field === 'string' &&
      data.reach(ctx, { object: channel.object, id: recordId, action: 'read' }) === 'open' &&
      data.canReadField(ctx, channel.object, field)
    return isOpen ? { ...member, state: { ...state, cell: { recordId, field } } } : { ...member, state }
  }
}
