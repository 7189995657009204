// Who is on which channel: entries by connection, refreshed by their clients and lapsing by themselves. Tells of joins,
// changes and leaves, and what a receiver sees of them: the cell somebody says it is at shows only to whoever may read that
// record and that field. Knows no transport.
import type { PresenceMember } from '#shared/realtime.ts'
import { validationError } from '#shared/errors.ts'
import type { z } from 'zod'
import type { RequestContext } from '#main/kernel/context.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { Channel } from './channels.ts'

/** Somebody on a channel, as clients see it. */
export type Member = z.infer<typeof PresenceMember>

/** How long an entry lasts without being refreshed (D-176). */
const lapseMs = 60_000

/** Most bytes of a state, as JSON. */
const maxStateBytes = 4_096

/** Most people a channel shows. */
const maxMembers = 1_000

/** A change of who is there. */
export interface PresenceChange {
  readonly channel: string
  readonly event: 'join' | 'update' | 'leave'
  readonly member: Member
  /** People of another organization do not see each other (D-41). */
  readonly organizationId: string | null
}

/** Who says so, and from where. */
export interface PresenceSubject {
  readonly userId: string
  readonly name: string
  readonly connectionId: string
  readonly organizationId: string | null
}

/** The presence of one host. */
export interface Presence {
  /** Takes a state; `offline` takes the entry away. @throws validation_error when the state is too large */
  say(channel: string, subject: PresenceSubject, state: Readonly<Record<string, unknown>>): void
  members(channel: string, organizationId: string | null): Member[]
  /** Takes everything of a connection away. */
  leave(connectionId: string): void
  /** Takes away what was not refreshed. */
  lapse(): void
}

interface Entry {
  readonly member: Member
  readonly organizationId: string | null
  readonly seenAt: number
}

const statuses = ['online', 'away', 'busy', 'offline'] as const

/** Makes it. */
export function createPresence(parts: {
  now(): number
  iso(): string
  /** Hears every change, in order. */
  changed(change: PresenceChange): void
}): Presence {
  const channels = new Map<string, Map<string, Entry>>()

  const take = (channel: string, connectionId: string): void => {
    const entries = channels.get(channel)
    const entry = entries?.get(connectionId)
    if (entries === undefined || entry === undefined) return
    entries.delete(connectionId)
    if (entries.size === 0) channels.delete(channel)
    const { member, organizationId } = entry
    const gone = { ...member, status: 'offline' as const, state: { ...member.state, status: 'offline' } }
    parts.changed({ channel, event: 'leave', member: gone, organizationId })
  }

  return {
    say(channel, { userId, name, connectionId, organizationId }, given) {
      const { status: asked = 'online', ...state } = given
      const status = statuses.find((one) => one === asked)
      if (status === undefined)
        throw validationError([
          {
            field: 'state.status',
            code: 'invalid_option',
            message: 'The status is none of presence.',
            constraint: statuses,
          },
        ])
      if (Buffer.byteLength(JSON.stringify(given)) > maxStateBytes)
        throw validationError([
          { field: 'state', code: 'max_length', message: 'The state is too large.', constraint: maxStateBytes },
        ])
      if (status === 'offline') {
        take(channel, connectionId)
        return
      }
      const entries = channels.get(channel) ?? new Map<string, Entry>()
      const before = entries.get(connectionId)
      if (before === undefined && entries.size >= maxMembers) return
      const member: Member = { userId, name, status, state: { status, ...state }, connectionId, lastSeen: parts.iso() }
      channels.set(channel, entries.set(connectionId, { member, organizationId, seenAt: parts.now() }))
      parts.changed({ channel, event: before === undefined ? 'join' : 'update', member, organizationId })
    },
    members: (channel, organizationId) =>
      [...(channels.get(channel)?.values() ?? [])]
        .filter((entry) => entry.organizationId === organizationId)
        .map(({ member }) => member),
    leave(connectionId) {
      for (const channel of channels.keys()) take(channel, connectionId)
    },
    lapse() {
      const oldest = parts.now() - lapseMs
      for (const [channel, entries] of channels)
        for (const [connectionId, { seenAt }] of entries) if (seenAt <= oldest) take(channel, connectionId)
    },
  }
}

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
