// Who an invitation speaks for: whoever sent it, with the rights of the moment it is accepted.
import type { Reads, Write } from '#main/kernel/database.ts'
import { readMemberships, readUser } from '../store.ts'
import { putInviter } from './organization-store.ts'
import { isShutOut } from './session-lookup.ts'

/** What is asked of an invitation. */
export interface Invitation {
  readonly id: string
  readonly organizationId: string
  readonly inviterId: string
  /** With commas between several. */
  readonly role: string
}

/** The rights behind invitations. */
export interface Inviters {
  /** Whether the one who sent it may invite with its role now. @source D-406 */
  isGood(invitation: Invitation): boolean
  /** Gives an invitation that is good no more to who sends it again. */
  takeOn(invitation: Invitation, inviterId: string): Promise<void>
}

/** Makes them. @param now milliseconds since 1970 */
export function createInviters(parts: { read: Reads; write: Write; now: () => number }): Inviters {
  const { read, write, now } = parts

  const isGood: Inviters['isGood'] = ({ inviterId, organizationId, role }) => {
    const inviter = readUser(read, inviterId)
    if (inviter === undefined || isShutOut(inviter, now())) return false
    const own = readMemberships(read, inviterId)
      .find((one) => one.organizationId === organizationId)
      ?.role.split(',')
    if (own === undefined) return false
    return own.includes('owner') || (own.includes('admin') && !role.split(',').includes('owner'))
  }

  return {
    isGood,
    async takeOn(invitation, inviterId) {
      if (isGood(invitation) || !isGood({ ...invitation, inviterId })) return
      await write('auth.invitation', (tx) => putInviter(tx, invitation.id, inviterId))
    },
  }
}
