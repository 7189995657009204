// Owns the list of who is on a channel: what a change makes of it, and how people with several windows are one. Pure.
import type { PresenceMember } from './channel-listeners.ts'

/** The members after one joined, changed or left. */
export function changedMembers(
  members: readonly PresenceMember[],
  change: 'join' | 'update' | 'leave',
  member: PresenceMember,
): readonly PresenceMember[] {
  const others = members.filter(({ connectionId }) => connectionId !== member.connectionId)
  return change === 'leave' ? others : [...others, member]
}

/** A cell somebody is editing, as a state of presence names it. */
export interface EditedCell {
  recordId: string
  field: string
}

/** The cells others are editing, with who does. */
export function cellsOf(
  members: readonly PresenceMember[],
  ownId: string | undefined,
): readonly (EditedCell & Pick<PresenceMember, 'userId' | 'name'>)[] {
  return members.flatMap(({ userId, name, status, state }) => {
    const { cell } = state
    if (userId === ownId || status === 'offline' || typeof cell !== 'object' || cell === null) return []
    const { recordId, field } = cell as Partial<Record<keyof EditedCell, unknown>>
    return typeof recordId === 'string' && typeof field === 'string' ? [{ userId, name, recordId, field }] : []
  })
}

/** Everybody but oneself, once each, by name. */
export function othersOf(members: readonly PresenceMember[], ownId: string | undefined): readonly PresenceMember[] {
  const byUser = new Map<string, PresenceMember>()
  for (const member of members) {
    if (member.userId === ownId || member.status === 'offline') continue
    const known = byUser.get(member.userId)
    if (!known || known.status !== 'online') byUser.set(member.userId, member)
  }
  return [...byUser.values()].toSorted((one, other) => one.name.localeCompare(other.name))
}
