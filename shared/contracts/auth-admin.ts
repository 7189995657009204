// Contracts of the administration of accounts (D-32, safety C10).
import { z } from 'zod'
import { defineRoutes } from '../route.ts'
import { AuthSessionShape, AuthUserShape, Email, NoBody, Password, Text, authGet, authPost } from './auth-parts.ts'
import { PlainName } from './common.ts'

const byAdmin = { permission: { system: 'manage_users' } } as const
const userId = z.string().min(1).max(100)
const role = z.union([
  z.enum(['admin', 'user']),
  z
    .array(z.enum(['admin', 'user']))
    .min(1)
    .max(2),
])
const OneUser = z.object({ user: AuthUserShape })
/** The account itself, as the library answers it, and beside it as the other steps do. */
const ChangedUser = AuthUserShape.extend({ user: AuthUserShape })
const Success = z.object({ success: z.boolean() })

/** The routes of the administration of accounts. */
export const authAdminRoutes = defineRoutes({
  adminCreateUser: authPost(
    'adminCreateUser',
    'admin/create-user',
    'Make an account for somebody.',
    z.object({
      email: Email,
      password: Password.optional(),
      name: PlainName,
      role: role.optional(),
      data: z.object({ username: z.string().max(60).optional(), image: Text.optional() }).optional(),
    }),
    OneUser,
    byAdmin,
  ),
  adminSetRole: authPost(
    'adminSetRole',
    'admin/set-role',
    'Make somebody an administrator, or take that away; their sessions end.',
    z.object({ userId, role }),
    OneUser,
    byAdmin,
  ),
  adminSetPassword: authPost(
    'adminSetPassword',
    'admin/set-user-password',
    'Give an account a password that must be changed at the next sign-in; its sessions and keys end.',
    z.object({ userId, newPassword: Password }),
    z.object({ status: z.boolean() }),
    byAdmin,
  ),
  adminBanUser: authPost(
    'adminBanUser',
    'admin/ban-user',
    'Shut an account out; its sessions end.',
    z.object({ userId, banReason: Text.optional(), banExpiresIn: z.int().min(1).max(3_153_600_000).optional() }),
    OneUser,
    byAdmin,
  ),
  adminUnbanUser: authPost(
    'adminUnbanUser',
    'admin/unban-user',
    'Let an account in again.',
    z.object({ userId }),
    OneUser,
    byAdmin,
  ),
  adminImpersonate: authPost(
    'adminImpersonate',
    'admin/impersonate-user',
    'Act as somebody for an hour at most; never as an administrator.',
    z.object({ userId }),
    z.object({ session: AuthSessionShape, user: AuthUserShape }),
    byAdmin,
  ),
  adminStopImpersonating: authPost(
    'adminStopImpersonating',
    'admin/stop-impersonating',
    'End acting as somebody else; with cookies the own session comes back.',
    NoBody,
    z.object({ status: z.boolean(), session: AuthSessionShape.nullable(), user: AuthUserShape.nullable() }),
  ),
  adminRemoveUser: authPost(
    'adminRemoveUser',
    'admin/remove-user',
    'Delete an account.',
    z.object({ userId }),
    Success,
    byAdmin,
  ),
  adminUpdateUser: authPost(
    'adminUpdateUser',
    'admin/update-user',
    'Change name, address, picture or username of an account.',
    z.object({
      userId,
      data: z.object({
        name: PlainName.optional(),
        email: Email.optional(),
        emailVerified: z.boolean().optional(),
        image: Text.nullable().optional(),
        username: z.string().max(60).nullable().optional(),
      }),
    }),
    ChangedUser,
    byAdmin,
  ),
  adminListSessions: authPost(
    'adminListSessions',
    'admin/list-user-sessions',
    'The sessions of an account.',
    z.object({ userId }),
    z.object({ sessions: z.array(AuthSessionShape) }),
    { ...byAdmin, mutates: false, rateLimit: 'read' },
  ),
  adminRevokeSession: authPost(
    'adminRevokeSession',
    'admin/revoke-user-session',
    'End one session of an account.',
    z.object({ sessionToken: z.string().min(1).max(500) }),
    Success,
    byAdmin,
  ),
  adminRevokeSessions: authPost(
    'adminRevokeSessions',
    'admin/revoke-user-sessions',
    'End every session of an account.',
    z.object({ userId }),
    Success,
    byAdmin,
  ),
  adminHasPermission: authPost(
    'adminHasPermission',
    'admin/has-permission',
    'Whether the caller may do something with accounts.',
    z.object({
      permissions: z.record(z.string(), z.array(z.string())).optional(),
      permission: z.record(z.string(), z.array(z.string())).optional(),
    }),
    z.object({ error: z.null(), success: z.boolean() }),
    { mutates: false, rateLimit: 'read' },
  ),
  adminListUsers: authGet(
    'adminListUsers',
    'admin/list-users',
    'The accounts.',
    z.object({
      searchValue: Text.optional(),
      searchField: z.enum(['email', 'name', 'username']).optional(),
      searchOperator: z.enum(['contains', 'starts_with', 'ends_with']).optional(),
      /** One condition beside the search, as the library has it; ignored without a value. */
      filterField: z
        .enum([
          'id',
          'name',
          'email',
          'username',
          'displayUsername',
          'image',
          'role',
          'banReason',
          'emailVerified',
          'banned',
          'twoFactorEnabled',
          'banExpires',
          'createdAt',
          'updatedAt',
        ])
        .optional(),
      /** Several for `in` and `not_in` (D-13). */
      filterValue: z.union([Text, z.array(Text).max(500)]).optional(),
      filterOperator: z
        .enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'starts_with', 'ends_with'])
        .optional(),
      limit: z
        .string()
        .regex(/^\d{1,4}$/)
        .optional(),
      offset: z
        .string()
        .regex(/^\d{1,9}$/)
        .optional(),
      sortBy: z.enum(['name', 'email', 'username', 'createdAt']).optional(),
      sortDirection: z.enum(['asc', 'desc']).optional(),
    }),
    z.object({ users: z.array(AuthUserShape), total: z.int(), limit: z.int(), offset: z.int() }),
    byAdmin,
  ),
  adminGetUser: authGet(
    'adminGetUser',
    'admin/get-user',
    'One account.',
    z.object({ id: userId }),
    AuthUserShape,
    byAdmin,
  ),
})
