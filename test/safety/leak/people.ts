// The people of the leak and oracle checks.
import type { TestPeople } from '../../support/test-identities.ts'
import { testUserId } from '../../support/test-identities.ts'

/** The callers. `designer` manages metadata, looks at the audit and writes SQL, but sees the same records as the others. */
export const roles = ['reader', 'clerk', 'ruled', 'keyed', 'designer'] as const

/** A limited caller. */
export type Role = (typeof roles)[number]

/** Numbers of the people: the roles in their order, then the owner of everything hidden. */
export const strangerNumber = roles.length

/** Who is there; with organizations, everybody is in the first and the stranger in the second. */
export function worldPeople(organizations = false): TestPeople {
  const member = (organizationId: string) =>
    organizations ? { organizationId, memberships: [{ organizationId, role: 'member', teams: [] }] } : {}
  return {
    organizations,
    users: [
      ...roles.map((role) => ({
        ...member('org-1'),
        ...(role === 'keyed' ? { scope: { permissionSets: ['narrow'], readOnly: false } } : {}),
      })),
      { ...member('org-2'), email: 'stranger@example.org' },
    ],
  }
}

/** The id of a caller. */
export function idOf(role: Role | 'stranger'): string {
  return testUserId(role === 'stranger' ? strangerNumber : roles.indexOf(role))
}
