// Whether somebody may still act where they once could: the one place that says it (D-404). Knows accounts as others do.
import { localOwnerId } from '#main/kernel/context.ts'
import type { Absence, ActingPlace } from '#main/kernel/identity.ts'
import type { AuthService } from '../api.ts'

/** Says it of {@link AuthService.absence}. */
export function absenceFrom(
  accounts: Pick<AuthService, 'user' | 'memberships' | 'hasOrganizations' | 'keyScope'>,
  userId: string,
  { organizationId, keyId }: ActingPlace,
): Absence | undefined {
  const user = accounts.user(userId)
  if (user === undefined ? userId !== localOwnerId : user.banned) return 'user_gone'
  const isWithin = (): boolean => accounts.memberships(userId).some((one) => one.organizationId === organizationId)
  if (organizationId !== null && accounts.hasOrganizations && !isWithin()) return 'not_member'
  return keyId !== undefined && accounts.keyScope(userId, keyId) === undefined ? 'key_gone' : undefined
}
