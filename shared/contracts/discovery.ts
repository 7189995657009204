// Contracts of discovery, health and the API documents (specification "Discovery manifest", D-17 to D-19).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** States of a service (D-18). */
export const ServiceStatus = z.enum(['available', 'degraded', 'unavailable', 'stub'])

/** What discovery says of one service. */
export const ServiceInfo = z
  .object({
    enabled: z.boolean(),
    status: ServiceStatus,
    route: z.string().optional(),
    provider: z.string().optional(),
    version: z.string().optional(),
    message: z.string().optional(),
  })
  .meta({ id: 'ServiceInfo' })

/** Keys of `routes`; a path, or null when the capability is absent. */
export const routeKeys = [
  'data',
  'metadata',
  'discovery',
  'ui',
  'analytics',
  'auth',
  'automation',
  'packages',
  'workflow',
  'approvals',
  'realtime',
  'notifications',
  'ai',
  'i18n',
  'graphql',
  'storage',
  'permissions',
  'views',
  'webhooks',
  'registry',
  'odata',
  'mcp',
  'sync',
  'feed',
] as const

/** Keys of `features`: those of the specification, then our own. */
export const featureKeys = [
  'graphql',
  'search',
  'websockets',
  'files',
  'analytics',
  'ai',
  'workflow',
  'notifications',
  'i18n',
  'feed',
  'packages',
  'webhooks',
  'odata',
  'mcp',
  'sync',
  'import',
  'hub',
] as const

/** Keys of `services`. */
export const serviceKeys = [
  'metadata',
  'data',
  'search',
  'cache',
  'queue',
  'job',
  'permissions',
  'auth',
  'automation',
  'analytics',
  'workflow',
  'ui',
  'realtime',
  'notification',
  'ai',
  'i18n',
  'graphql',
  'odata',
  'mcp',
  'file-storage',
  'feed',
  'packages',
  'webhooks',
  'registry',
  'sync',
  'import',
  'backup',
] as const

/** Keys of `capabilities`. */
export const capabilityKeys = [
  'feed',
  'comments',
  'automation',
  'cron',
  'search',
  'export',
  'import',
  'chunkedUpload',
  'softDelete',
  'optimisticConcurrency',
  'batch',
  'transactionalBatch',
  'sync',
  'websockets',
  'files',
  'analytics',
  'ai',
  'notifications',
  'i18n',
] as const

/** A capability descriptor. */
export const CapabilityInfo = z.object({
  enabled: z.boolean(),
  features: z.record(z.string(), z.boolean()).optional(),
  description: z.string().optional(),
})

/** The discovery manifest. */
export const DiscoveryManifest = z
  .object({
    name: z.string(),
    apiName: z.string().meta({ deprecated: true, description: 'Repeats name.' }),
    version: z.string(),
    environment: z.enum(['production', 'sandbox', 'development']),
    routes: z.record(z.enum(routeKeys), z.string().nullable()),
    features: z.record(z.enum(featureKeys), z.boolean()),
    services: z.record(z.string(), ServiceInfo),
    locale: z.object({ default: z.string(), supported: z.array(z.string()), timezone: z.string() }),
    capabilities: z.record(z.string(), CapabilityInfo),
    schemaDiscovery: z.object({ openapi: z.string(), graphql: z.string().optional(), jsonSchema: z.string() }),
    metadata: z.object({ limits: z.record(z.string(), z.int()), apiVersions: z.array(z.string()) }),
  })
  .meta({ id: 'DiscoveryManifest' })

/** The discovery manifest. */
export type DiscoveryManifest = z.output<typeof DiscoveryManifest>

/** The routes of the `discovery` plugin. */
export const discoveryRoutes = defineRoutes({
  getDiscovery: defineRoute({
    operationId: 'getDiscovery',
    method: 'GET',
    mount: 'versioned',
    path: '',
    aliases: [
      { mount: 'versioned', path: '/discovery' },
      { mount: 'root', path: '/.well-known/cairn' },
    ],
    response: DiscoveryManifest,
    bodiless: [304],
    permission: 'public',
    rateLimit: 'read',
    errors: [],
    channel: 'none',
    reads: ['If-None-Match'],
    sends: ['ETag'],
    summary: 'Tell which capabilities this host has, where they are and what their limits are.',
    tag: 'discovery',
  }),
  getHealth: defineRoute({
    operationId: 'getHealth',
    method: 'GET',
    mount: 'root',
    path: '/healthz',
    aliases: [{ mount: 'versioned', path: '/health' }],
    response: z.object({ status: z.literal('ok') }),
    permission: 'public',
    rateLimit: 'none',
    errors: [],
    channel: 'none',
    gateMs: 0,
    summary: 'Answer while the process serves.',
    tag: 'discovery',
  }),
  getReadiness: defineRoute({
    operationId: 'getReadiness',
    method: 'GET',
    mount: 'root',
    path: '/readyz',
    aliases: [{ mount: 'versioned', path: '/ready' }],
    response: z.object({ status: z.literal('ready') }),
    permission: 'public',
    rateLimit: 'none',
    errors: [],
    channel: 'none',
    // Whoever spreads requests asks again and again, and takes a slow answer for none.
    gateMs: 1_000,
    summary: 'Answer 200 while the database takes writes, else service_unavailable.',
    tag: 'discovery',
  }),
})

/** The routes of the API documents; the server itself serves them. */
export const documentRoutes = defineRoutes({
  getOpenApi: defineRoute({
    operationId: 'getOpenApi',
    method: 'GET',
    mount: 'versioned',
    path: '/openapi.json',
    response: z.record(z.string(), z.unknown()),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'none',
    summary: 'The OpenAPI 3.1 document of every route this host serves.',
    tag: 'discovery',
  }),
  getApiDocs: defineRoute({
    operationId: 'getApiDocs',
    method: 'GET',
    mount: 'versioned',
    path: '/docs',
    response: z.string(),
    responseKind: 'html',
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'none',
    summary: 'The same as a page for people.',
    tag: 'discovery',
  }),
})
