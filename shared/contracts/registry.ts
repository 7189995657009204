// Contracts of the API registry: every mounted route for discovery, and documentation of foreign APIs
// (specification "API registry", D-197, D-198).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** Protocol types of the specification. */
export const apiTypes = [
  'rest',
  'graphql',
  'odata',
  'websocket',
  'file',
  'auth',
  'metadata',
  'plugin',
  'webhook',
  'rpc',
] as const

/** A word of {@link apiTypes}. */
export type ApiType = (typeof apiTypes)[number]

/** Lifecycle states of an API. */
export const apiStatuses = ['active', 'deprecated', 'experimental', 'beta'] as const

/** A word of {@link apiStatuses}. */
export type ApiStatus = (typeof apiStatuses)[number]

const text = z.string().max(10_000)
const url = z.url().max(2_000)
const map = z.record(z.string(), z.unknown())

const ApiParameter = z.object({
  name: z.string().min(1).max(200),
  in: z.enum(['path', 'query', 'header', 'body', 'cookie']),
  required: z.boolean().default(false),
  schema: map.default({}),
  description: text.optional(),
  example: z.unknown().optional(),
})

const ApiResponse = z.object({
  statusCode: z.union([z.int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])]),
  description: text.default(''),
  contentType: z.string().max(200).default('application/json'),
  schema: map.optional(),
  headers: map.optional(),
  example: z.unknown().optional(),
})

/** One endpoint of a registered API, with the defaults of D-197. */
export const ApiEndpoint = z
  .object({
    id: z.string().min(1).max(200),
    method: z.enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']).optional(),
    path: z.string().min(1).max(2_000).startsWith('/'),
    summary: text.optional(),
    description: text.optional(),
    operationId: z.string().max(200).optional(),
    tags: z.array(z.string().max(100)).max(50).default([]),
    parameters: z.array(ApiParameter).max(100).default([]),
    requestBody: z
      .object({
        description: text.optional(),
        required: z.boolean().default(false),
        contentType: z.string().max(200).default('application/json'),
        schema: map.optional(),
        example: z.unknown().optional(),
      })
      .optional(),
    responses: z.array(ApiResponse).max(100).default([]),
    rateLimit: z
      .object({
        enabled: z.boolean().default(false),
        windowMs: z.int().min(1).default(60_000),
        maxRequests: z.int().min(1).default(100),
      })
      .optional(),
    security: z.array(z.record(z.string(), z.array(z.string()))).optional(),
    requiredPermissions: z.array(z.string().max(200)).max(50).default([]),
    priority: z.int().min(0).max(1_000).default(100),
    protocolConfig: map.optional(),
    deprecated: z.boolean().default(false),
    externalDocs: z.object({ description: text.optional(), url }).optional(),
  })
  .meta({ id: 'ApiEndpoint' })

/** An endpoint with every default filled in. */
export type ApiEndpoint = z.output<typeof ApiEndpoint>

/** A registered API: its identity, who answers for it and its endpoints. */
export const ApiEntry = z
  .object({
    id: z
      .string()
      .max(100)
      .regex(/^[a-z][a-z0-9_]*$/),
    name: z.string().min(1).max(500),
    type: z.enum(apiTypes),
    version: z.string().min(1).max(100),
    basePath: z.string().max(2_000).startsWith('/'),
    endpoints: z.array(ApiEndpoint).max(1_000),
    description: text.optional(),
    config: map.optional(),
    metadata: z
      .looseObject({
        owner: z.string().max(500).optional(),
        status: z.enum(apiStatuses).default('active'),
        tags: z.array(z.string().max(100)).max(50).default([]),
        pluginSource: z.string().max(200).optional(),
        custom: map.optional(),
      })
      .default({ status: 'active', tags: [] }),
    termsOfService: url.optional(),
    contact: z.object({ name: text.optional(), url: url.optional(), email: z.email().optional() }).optional(),
    license: z.object({ name: z.string().max(500), url: url.optional() }).optional(),
  })
  .meta({ id: 'ApiEntry' })

/** An API with every default filled in. */
export type ApiEntry = z.output<typeof ApiEntry>

const Registry = z
  .object({
    version: z.literal('1'),
    conflictResolution: z.enum(['error', 'priority', 'first-wins', 'last-wins']),
    apis: z.array(ApiEntry),
    totalApis: z.int(),
    totalEndpoints: z.int(),
    byType: z.record(z.string(), z.array(ApiEntry)),
    byStatus: z.record(z.string(), z.array(ApiEntry)),
    updatedAt: z.string(),
  })
  .meta({ id: 'ApiRegistry' })

const texts = z.union([z.string(), z.array(z.string())]).optional()
const word = z.string().max(500).optional()

/** The discovery query: every condition must hold; `tags` holds when any of them is present. */
const DiscoveryQuery = z.object({
  type: z.enum(apiTypes).optional(),
  tags: texts,
  status: z.enum(apiStatuses).optional(),
  pluginSource: word,
  search: word,
  version: word,
})

const IdParams = z.object({ id: z.string() })

const shared = { mount: 'versioned', channel: 'registry', tag: 'registry' } as const
const reading = { ...shared, method: 'GET', permission: 'session', rateLimit: 'read' } as const
const writing = { ...shared, permission: { system: 'manage_settings' }, rateLimit: 'write' } as const

/** The routes of the `registry` plugin. */
export const registryRoutes = defineRoutes({
  getRegistry: defineRoute({
    ...reading,
    operationId: 'getRegistry',
    path: '/registry',
    response: Registry,
    errors: [],
    summary: 'The whole registry: every API with its endpoints.',
  }),
  findApis: defineRoute({
    ...reading,
    operationId: 'findApis',
    path: '/registry/apis',
    query: DiscoveryQuery,
    response: z.object({ apis: z.array(ApiEntry), total: z.int(), filters: map.optional() }),
    errors: [],
    summary: 'APIs that match a type, tags, a status, a plugin, a version or a text.',
  }),
  getApi: defineRoute({
    ...reading,
    operationId: 'getApi',
    path: '/registry/apis/:id',
    params: IdParams,
    response: ApiEntry,
    errors: [],
    summary: 'One API.',
  }),
  findEndpoints: defineRoute({
    ...reading,
    operationId: 'findEndpoints',
    path: '/registry/endpoints',
    query: z.object({ method: word, path: word, api: word, tag: word }),
    response: z.object({
      endpoints: z.array(ApiEndpoint.extend({ api: z.string() })),
      total: z.int(),
    }),
    errors: [],
    summary: 'Endpoints of all APIs by method, path, API or tag.',
  }),
  registerApi: defineRoute({
    ...writing,
    operationId: 'registerApi',
    method: 'POST',
    path: '/registry/apis',
    body: ApiEntry,
    response: ApiEntry,
    status: 201,
    errors: ['conflict'],
    summary: 'Document a foreign API; its endpoints are listed, not proxied.',
  }),
  updateApi: defineRoute({
    ...writing,
    operationId: 'updateApi',
    method: 'PUT',
    path: '/registry/apis/:id',
    params: IdParams,
    body: ApiEntry.partial({ id: true }),
    response: ApiEntry,
    errors: ['conflict', 'invalid_state_transition', 'item_locked'],
    summary: 'Replace the documentation of a foreign API.',
  }),
  unregisterApi: defineRoute({
    ...writing,
    operationId: 'unregisterApi',
    method: 'DELETE',
    path: '/registry/apis/:id',
    params: IdParams,
    response: z.object({ id: z.string(), success: z.literal(true) }),
    errors: ['item_locked'],
    summary: 'Remove the documentation of a foreign API.',
  }),
})
