// Contracts of the permission operations (specification "Permissions", D-49): check, effective rights, rights on one
// object, assignments of users, shares of records, and why somebody may do something (beyond).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { RecordParams } from './common.ts'

/** The permission actions of the specification. */
export const permissionActions = ['create', 'read', 'edit', 'delete', 'transfer', 'restore', 'purge'] as const

const word = z.string().min(1).max(200)
const flags = {
  create: z.boolean(),
  read: z.boolean(),
  edit: z.boolean(),
  delete: z.boolean(),
  transfer: z.boolean(),
  restore: z.boolean(),
  purge: z.boolean(),
  viewAllRecords: z.boolean(),
  modifyAllRecords: z.boolean(),
}

/** What may be done with records of one object. */
export const ObjectPermissions = z.object(flags).meta({ id: 'ObjectPermissions' })

/** A question: may the caller do this? `userId` asks for somebody else and needs manage_permissions. */
const CheckRequest = z.object({
  object: word,
  action: z.enum(permissionActions),
  recordId: word.optional(),
  field: word.optional(),
  userId: word.optional(),
})

const CheckResponse = z.object({
  allowed: z.boolean(),
  reason: z
    .enum([
      'no_object_permission',
      'no_record_access',
      'no_field_permission',
      'record_locked',
      'record_not_found',
      'object_not_found',
    ])
    .optional(),
})

const Effective = z.object({
  objects: z.record(z.string(), ObjectPermissions),
  systemPermissions: z.array(z.string()),
  profile: z.string(),
  roles: z.array(z.string()),
  permissionSets: z.array(z.string()),
})

const names = z.array(word).max(200)

/** What a user was given. */
export const UserAssignments = z
  .object({ userId: z.string(), profile: z.string(), roles: z.array(z.string()), permissionSets: z.array(z.string()) })
  .meta({ id: 'UserAssignments' })

const principalTypes = z.enum(['user', 'role', 'team'])
const accessLevels = z.enum(['read', 'edit', 'full'])

/** A share of one record. */
export const RecordShare = z
  .object({
    id: z.string(),
    object: z.string(),
    recordId: z.string(),
    principalType: principalTypes,
    principalId: z.string(),
    /** What the principal is called; absent when it is gone (beyond). */
    principalName: z.string().optional(),
    access: accessLevels,
    reason: z.string().optional(),
    createdAt: z.string(),
    createdBy: z.string(),
  })
  .meta({ id: 'RecordShare' })

/** A share with every member. */
export type RecordShare = z.output<typeof RecordShare>

const reason = z.string().max(1_000).optional()
/** A new share, also in the words of client libraries of this protocol (D-49). */
const NewShare = z.union([
  z.object({ principalType: principalTypes, principalId: word, access: accessLevels, reason }),
  z.object({ recipientType: principalTypes, recipientId: word, accessLevel: accessLevels, reason }),
])

/** Somebody, a role or a team a record can be shared with. */
const SharePrincipal = z
  .object({
    principalType: principalTypes,
    principalId: z.string(),
    name: z.string(),
    detail: z.string().optional(),
  })
  .meta({ id: 'SharePrincipal' })

/** One reason for which something is allowed. */
const Because = z.object({
  source: z.enum(['profile', 'permission', 'role', 'organization', 'share', 'owner', 'sharing_model', 'row_rule']),
  name: z.string(),
  grants: z.string(),
})

const shared = { mount: 'versioned', channel: 'permissions', tag: 'permissions' } as const
const reading = { ...shared, method: 'GET', permission: 'session', rateLimit: 'read' } as const
const shares = { ...shared, channel: 'shares' } as const
const managed = { permission: { system: 'manage_permissions' } } as const
/** Where client libraries of this protocol ask, with discovery and without (D-49). */
const clientPaths = (path: string) =>
  ['/permissions', '/auth'].map((base) => ({ mount: 'versioned', path: `${base}/permissions/${path}` }) as const)
const UserParams = z.object({ userId: z.string() })

/** The routes of the `permissions` plugin. */
export const permissionRoutes = defineRoutes({
  checkPermission: defineRoute({
    ...reading,
    operationId: 'checkPermission',
    path: '/permissions/check',
    query: CheckRequest,
    response: CheckResponse,
    errors: ['permission_denied', 'resource_not_found'],
    summary: 'Whether an action is allowed, and why not.',
  }),
  checkPermissionByBody: defineRoute({
    ...shared,
    operationId: 'checkPermissionByBody',
    method: 'POST',
    mutates: false,
    path: '/permissions/check',
    aliases: [{ mount: 'versioned', path: '/auth/check' }],
    permission: 'session',
    rateLimit: 'read',
    body: CheckRequest,
    response: CheckResponse,
    errors: ['permission_denied', 'resource_not_found'],
    summary: 'Whether an action is allowed, and why not; the question in the body.',
  }),
  getEffectivePermissions: defineRoute({
    ...reading,
    operationId: 'getEffectivePermissions',
    path: '/permissions/effective',
    aliases: clientPaths('effective'),
    query: z.object({ userId: word.optional(), role: word.optional() }),
    response: Effective,
    errors: ['permission_denied', 'resource_not_found'],
    summary: 'Everything the caller may do; with manage_permissions somebody else, or what a role gives by itself.',
  }),
  getObjectPermissions: defineRoute({
    ...reading,
    operationId: 'getObjectPermissions',
    path: '/permissions/objects/:object',
    aliases: clientPaths(':object'),
    params: z.object({ object: z.string() }),
    query: z.object({ userId: word.optional() }),
    response: z.object({
      object: z.string(),
      permissions: ObjectPermissions,
      fieldPermissions: z.record(z.string(), z.object({ readable: z.boolean(), editable: z.boolean() })),
    }),
    errors: ['permission_denied', 'resource_not_found'],
    summary: 'What the caller may do with records and fields of one object.',
  }),
  explainPermission: defineRoute({
    ...reading,
    ...managed,
    operationId: 'explainPermission',
    path: '/permissions/explain',
    query: CheckRequest,
    response: z.object({
      allowed: z.boolean(),
      reason: CheckResponse.shape.reason,
      because: z.array(Because),
    }),
    errors: ['resource_not_found'],
    summary: 'From where somebody has a right (beyond).',
  }),
  getAssignments: defineRoute({
    ...reading,
    ...managed,
    operationId: 'getAssignments',
    path: '/permissions/assignments/:userId',
    params: UserParams,
    response: UserAssignments,
    errors: [],
    summary: 'Profile, roles and permission sets of a user.',
  }),
  setAssignments: defineRoute({
    ...shared,
    ...managed,
    operationId: 'setAssignments',
    method: 'PUT',
    path: '/permissions/assignments/:userId',
    rateLimit: 'write',
    params: UserParams,
    body: z.object({ profile: word.optional(), roles: names.optional(), permissionSets: names.optional() }),
    response: UserAssignments,
    errors: ['conflict'],
    summary: 'Give a user a profile, roles and permission sets; what is left out stays.',
  }),
  listShares: defineRoute({
    ...shares,
    operationId: 'listShares',
    method: 'GET',
    path: '/data/:object/:id/shares',
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    params: RecordParams,
    response: z.object({
      shares: z.array(RecordShare),
      data: z.array(RecordShare).meta({ description: 'The same, where client libraries of this protocol look.' }),
    }),
    errors: ['method_not_allowed'],
    summary: 'With whom a record is shared.',
  }),
  findSharePrincipals: defineRoute({
    ...shares,
    operationId: 'findSharePrincipals',
    method: 'GET',
    path: '/data/:object/:id/shares/principals',
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    params: RecordParams,
    query: z.object({ query: z.string().max(200).optional() }),
    response: z.object({ principals: z.array(SharePrincipal), hasMore: z.boolean() }),
    errors: ['method_not_allowed'],
    summary: 'People, roles and teams a record can be shared with; for those who may share it (beyond).',
  }),
  createShare: defineRoute({
    ...shares,
    operationId: 'createShare',
    method: 'POST',
    path: '/data/:object/:id/shares',
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'write',
    params: RecordParams,
    body: NewShare,
    response: RecordShare,
    status: 201,
    errors: ['method_not_allowed'],
    summary: 'Share a record with a user, a role or a team; a second share replaces the first.',
  }),
  deleteShare: defineRoute({
    ...shares,
    operationId: 'deleteShare',
    method: 'DELETE',
    path: '/data/:object/:id/shares/:shareId',
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'write',
    params: RecordParams.extend({ shareId: z.string() }),
    response: z.object({ shareId: z.string(), success: z.literal(true), deleted: z.literal(true) }),
    errors: ['method_not_allowed'],
    summary: 'End a share.',
  }),
})
