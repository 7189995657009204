// Contracts of organizations and their teams; mounted where the switch is on (D-32, D-41).
import { z } from 'zod'
import { defineRoutes } from '../route.ts'
import { AnyPayload, Email, NoQuery, Text, authGet, authPost } from './auth-parts.ts'
import { PlainName } from './common.ts'

const id = z.string().min(1).max(100)
const organizationId = id.optional()
const slug = z.string().min(1).max(100)
const role = z.enum(['owner', 'admin', 'member'])
const roles = z.union([role, z.array(role).min(1).max(3)])
const namesSomething = (change: object): boolean => Object.values(change).some((value) => value !== undefined)
/** What a client keeps beside an organization; the host gives it no meaning. */
const metadata = z.record(z.string().max(200), z.unknown()).optional()
const data = z
  .object({ name: PlainName.optional(), slug: slug.optional(), logo: Text.nullable().optional(), metadata })
  .refine(namesSomething, { message: 'What is to change must be named.' })
const organizationSlug = slug.optional()
/** What the list shows of a member itself: a condition tells nothing that is not shown. */
const memberField = z.enum(['id', 'userId', 'role', 'createdAt'])
const membersQuery = z.object({
  organizationId,
  organizationSlug,
  limit: z.string().optional(),
  offset: z.string().optional(),
  sortBy: memberField.optional(),
  sortDirection: z.enum(['asc', 'desc']).optional(),
  /** One condition, as the library has it; ignored without a value. */
  filterField: memberField.optional(),
  filterOperator: z
    .enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'starts_with', 'ends_with'])
    .optional(),
  /** Several for `in` and `not_in` (D-13). */
  filterValue: z.union([Text, z.array(Text).max(500)]).optional(),
})
const nullable = AnyPayload.nullable()

/** The routes of organizations. */
export const authOrganizationRoutes = defineRoutes({
  createOrganization: authPost(
    'createOrganization',
    'organization/create',
    'Make an organization; the caller owns it.',
    z.object({
      name: PlainName,
      slug,
      logo: Text.optional(),
      metadata,
      keepCurrentActiveOrganization: z.boolean().optional(),
    }),
    AnyPayload,
  ),
  updateOrganization: authPost(
    'updateOrganization',
    'organization/update',
    'Change an organization.',
    z.object({ organizationId, data }),
    nullable,
  ),
  deleteOrganization: authPost(
    'deleteOrganization',
    'organization/delete',
    'Delete an organization.',
    z.object({ organizationId: id }),
    z.unknown(),
  ),
  setActiveOrganization: authPost(
    'setActiveOrganization',
    'organization/set-active',
    'Work in an organization, or in none.',
    z.object({ organizationId: id.nullable().optional(), organizationSlug }),
    nullable,
  ),
  checkSlug: authPost(
    'checkSlug',
    'organization/check-slug',
    'Whether a short name is free.',
    z.object({ slug }),
    AnyPayload,
  ),
  inviteMember: authPost(
    'inviteMember',
    'organization/invite-member',
    'Invite somebody by address.',
    z.object({
      email: Email,
      role: roles,
      organizationId,
      teamId: z.union([id, z.array(id).max(50)]).optional(),
      resend: z.boolean().optional(),
    }),
    AnyPayload,
  ),
  acceptInvitation: authPost(
    'acceptInvitation',
    'organization/accept-invitation',
    'Join an organization.',
    z.object({ invitationId: id }),
    nullable,
  ),
  rejectInvitation: authPost(
    'rejectInvitation',
    'organization/reject-invitation',
    'Turn an invitation down.',
    z.object({ invitationId: id }),
    nullable,
  ),
  cancelInvitation: authPost(
    'cancelInvitation',
    'organization/cancel-invitation',
    'Take an invitation back.',
    z.object({ invitationId: id }),
    nullable,
  ),
  removeMember: authPost(
    'removeMember',
    'organization/remove-member',
    'Take somebody out of an organization.',
    z.object({ memberIdOrEmail: z.string().min(1).max(320), organizationId }),
    AnyPayload,
  ),
  updateMemberRole: authPost(
    'updateMemberRole',
    'organization/update-member-role',
    'Change what somebody is in an organization.',
    z.object({ memberId: id, role: roles, organizationId }),
    AnyPayload,
  ),
  leaveOrganization: authPost(
    'leaveOrganization',
    'organization/leave',
    'Leave an organization.',
    z.object({ organizationId: id }),
    AnyPayload,
  ),
  createTeam: authPost(
    'createTeam',
    'organization/create-team',
    'Make a team.',
    z.object({ name: PlainName, organizationId }),
    AnyPayload,
  ),
  updateTeam: authPost(
    'updateTeam',
    'organization/update-team',
    'Change a team.',
    z.object({ teamId: id, data: z.object({ name: PlainName }) }),
    nullable,
  ),
  removeTeam: authPost(
    'removeTeam',
    'organization/remove-team',
    'Delete a team.',
    z.object({ teamId: id, organizationId }),
    AnyPayload,
  ),
  addTeamMember: authPost(
    'addTeamMember',
    'organization/add-team-member',
    'Put somebody into a team.',
    z.object({ teamId: id, userId: id, organizationId }),
    AnyPayload,
  ),
  removeTeamMember: authPost(
    'removeTeamMember',
    'organization/remove-team-member',
    'Take somebody out of a team.',
    z.object({ teamId: id, userId: id, organizationId }),
    AnyPayload,
  ),
  setActiveTeam: authPost(
    'setActiveTeam',
    'organization/set-active-team',
    'Work in a team of the active organization, or in none.',
    z.object({ teamId: id.nullable().optional() }),
    nullable,
  ),
  organizationHasPermission: authPost(
    'organizationHasPermission',
    'organization/has-permission',
    'Whether the caller may do something in the organization.',
    z.object({ permissions: z.record(z.string(), z.array(z.string())), organizationId }),
    AnyPayload,
    { mutates: false, rateLimit: 'read' },
  ),
  listOrganizations: authGet(
    'listOrganizations',
    'organization/list',
    'The organizations of the caller.',
    NoQuery,
    z.array(AnyPayload),
  ),
  getFullOrganization: authGet(
    'getFullOrganization',
    'organization/get-full-organization',
    'An organization with its members, invitations and teams.',
    z.object({ organizationId, organizationSlug, membersLimit: z.string().optional() }),
    nullable,
  ),
  listMembers: authGet(
    'listMembers',
    'organization/list-members',
    'The members of an organization.',
    membersQuery,
    AnyPayload,
  ),
  listInvitations: authGet(
    'listInvitations',
    'organization/list-invitations',
    'The invitations of an organization.',
    z.object({ organizationId }),
    z.array(AnyPayload),
  ),
  listUserInvitations: authGet(
    'listUserInvitations',
    'organization/list-user-invitations',
    'The invitations of the caller.',
    NoQuery,
    z.array(AnyPayload),
  ),
  getInvitation: authGet('getInvitation', 'organization/get-invitation', 'One invitation.', z.object({ id }), nullable),
  getActiveMember: authGet(
    'getActiveMember',
    'organization/get-active-member',
    'The place of the caller in the active organization.',
    NoQuery,
    nullable,
  ),
  getActiveMemberRole: authGet(
    'getActiveMemberRole',
    'organization/get-active-member-role',
    'What the caller, or another member, is in an organization.',
    z.object({ userId: id.optional(), organizationId, organizationSlug }),
    z.looseObject({ role: z.string() }),
  ),
  listTeams: authGet(
    'listTeams',
    'organization/list-teams',
    'The teams of an organization.',
    z.object({ organizationId }),
    z.array(AnyPayload),
  ),
  listUserTeams: authGet(
    'listUserTeams',
    'organization/list-user-teams',
    'The teams the caller is in; those of another member for whoever may change members.',
    z.object({ userId: id.optional(), organizationId }),
    z.array(AnyPayload),
  ),
  listTeamMembers: authGet(
    'listTeamMembers',
    'organization/list-team-members',
    'The members of a team.',
    z.object({ teamId: id.optional() }),
    z.array(AnyPayload),
  ),
})
