// Owns reading organizations, their members, invitations and teams, and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { listOf, textOf } from '../../lib/text-of.ts'

/** What somebody is in an organization; the first may everything. */
export const memberRoles = ['owner', 'admin', 'member'] as const

/** A word of {@link memberRoles}. */
export type MemberRole = (typeof memberRoles)[number]

/** An organization as lists show it. */
export interface Organization {
  id: string
  name: string
  slug: string
  createdAt: string
}

/** Somebody in an organization. */
export interface Member {
  id: string
  userId: string
  role: MemberRole
  name: string
  email: string
  createdAt: string
}

/** An invitation that waits for an answer. */
export interface Invitation {
  id: string
  email: string
  role: MemberRole
  expiresAt: string
}

/** A team of an organization. */
export interface Team {
  id: string
  name: string
}

/** An organization with everything in it. */
export interface FullOrganization extends Organization {
  members: readonly Member[]
  invitations: readonly Invitation[]
  teams: readonly Team[]
}

const everybody = '500'

/** The organizations of the caller. */
export const organizationsQuery = queryOptions({
  queryKey: ['organizations'] as const,
  queryFn: async ({ signal }) => (await call('listOrganizations', { signal })).map(organizationOf),
  staleTime: 30_000,
})

/** One organization with everything in it; null where it is none of the caller's. */
export function organizationQuery(id: string) {
  return queryOptions({
    queryKey: ['organizations', id] as const,
    queryFn: async ({ signal }): Promise<FullOrganization | null> => {
      try {
        const query = { organizationId: id, membersLimit: everybody }
        const answer = await call('getFullOrganization', { query, signal })
        return answer === null ? null : fullOrganizationOf(answer)
      } catch (error) {
        if (hasCode(error, 'resource_not_found', 'permission_denied', 'validation_error')) return null
        throw error
      }
    },
  })
}

/** The open invitations of the caller; none while the address of the account is not confirmed. */
export const ownInvitationsQuery = queryOptions({
  queryKey: ['organizations', 'invited'] as const,
  queryFn: async ({ signal }): Promise<{ id: string; organization: string }[]> => {
    try {
      const invitations = await call('listUserInvitations', { signal })
      return invitations.map((each) => ({
        id: textOf(each, 'id'),
        organization: textOf(each, 'organizationName') || textOf(each, 'organizationId'),
      }))
    } catch (error) {
      if (hasCode(error, 'permission_denied', 'validation_error')) return []
      throw error
    }
  },
})

/** Ids of the people in a team. */
export function teamMembersQuery(teamId: string) {
  return queryOptions({
    queryKey: ['organizations', 'team', teamId] as const,
    queryFn: async ({ signal }) =>
      (await call('listTeamMembers', { query: { teamId }, signal })).map((each) => textOf(each, 'userId')),
  })
}

/** Makes an organization the one the session works in, and begins anew: nothing loaded before belongs to it. */
export async function workIn(organizationId: string): Promise<void> {
  await call('setActiveOrganization', { body: { organizationId } })
  window.location.hash = '/'
  window.location.reload()
}

function organizationOf(value: object): Organization {
  return {
    id: textOf(value, 'id'),
    name: textOf(value, 'name'),
    slug: textOf(value, 'slug'),
    createdAt: textOf(value, 'createdAt'),
  }
}

function fullOrganizationOf(value: object): FullOrganization {
  return {
    ...organizationOf(value),
    members: listOf(value, 'members').map((each) => {
      const user = typeof each['user'] === 'object' && each['user'] !== null ? each['user'] : {}
      return {
        id: textOf(each, 'id'),
        userId: textOf(each, 'userId'),
        role: roleOf(each),
        name: textOf(user, 'name') || textOf(user, 'email'),
        email: textOf(user, 'email'),
        createdAt: textOf(each, 'createdAt'),
      }
    }),
    invitations: listOf(value, 'invitations')
      .filter((each) => each['status'] === 'pending')
      .map((each) => ({
        id: textOf(each, 'id'),
        email: textOf(each, 'email'),
        role: roleOf(each),
        expiresAt: textOf(each, 'expiresAt'),
      })),
    teams: listOf(value, 'teams').map((each) => ({ id: textOf(each, 'id'), name: textOf(each, 'name') })),
  }
}

function roleOf(value: object): MemberRole {
  const given = textOf(value, 'role').split(',')
  return memberRoles.find((role) => given.includes(role)) ?? 'member'
}

/** What every part is given. */
export interface OrganizationPartProps {
  organization: FullOrganization
  /** What the caller is in it. */
  role: MemberRole
  userId: string
}
