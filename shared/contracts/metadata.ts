// Contracts of the metadata endpoints (specification "Metadata", D-102 to D-114): the part every client needs.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The 26 metadata types of the specification, in its order (D-102). */
export const metadataTypes = [
  'object',
  'field',
  'trigger',
  'validation',
  'hook',
  'view',
  'page',
  'dashboard',
  'app',
  'action',
  'report',
  'flow',
  'job',
  'datasource',
  'external_catalog',
  'translation',
  'router',
  'function',
  'service',
  'email_template',
  'permission',
  'profile',
  'role',
  'agent',
  'tool',
  'skill',
] as const

/** A word of {@link metadataTypes}. */
export type MetadataType = (typeof metadataTypes)[number]

/** Segments in the place of a type that stand for something else (D-108). */
export const reservedTypeSegments = ['query', 'bulk', 'export', 'import', 'validate', 'types', 'concepts'] as const

/** The lifecycle states of the specification. */
export const metadataStates = ['draft', 'active', 'archived', 'deprecated'] as const

/** A word of {@link metadataStates}. */
export type MetadataState = (typeof metadataStates)[number]

/** What the platform knows of one metadata type (D-102). */
export const MetadataTypeEntry = z
  .object({
    type: z.enum(metadataTypes),
    label: z.string(),
    description: z.string(),
    domain: z.enum(['data', 'ui', 'automation', 'system', 'security', 'ai']),
    supportsOverlay: z.boolean(),
    allowUserOverlay: z.boolean(),
    allowRuntimeCreate: z.boolean(),
    supportsVersioning: z.boolean(),
    executionPinned: z.boolean(),
    loadOrder: z.int(),
    schema: z.boolean(),
    filePatterns: z.array(z.string()),
  })
  .meta({ id: 'MetadataTypeEntry' })

/** One step of a schema change plan (D-100). */
export const SchemaChange = z
  .object({
    change: z.string(),
    field: z.string().optional(),
    from: z.unknown().optional(),
    to: z.unknown().optional(),
    records: z.int(),
    destructive: z.boolean(),
    lossy: z.int(),
    converted: z.int().optional(),
    nulled: z.int().optional(),
    failures: z.array(z.object({ id: z.string(), value: z.unknown() })).optional(),
  })
  .meta({ id: 'SchemaChange' })

const TypeParams = z.object({ type: z.string() })
const ItemParams = z.object({ type: z.string(), name: z.string() })
const text = z.union([z.string(), z.array(z.string())]).optional()
const Item = z.record(z.string(), z.unknown())

/** Answer of a save (D-105); a dry run carries plan and version only. */
export const SaveResult = z
  .object({
    success: z.literal(true),
    message: z.string().optional(),
    version: z.int(),
    etag: z.string().optional(),
    state: z.enum(metadataStates).optional(),
    dryRun: z.literal(true).optional(),
    warnings: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    plan: z.array(SchemaChange).optional(),
    planHash: z.string().optional(),
  })
  .meta({ id: 'MetadataSaveResult' })

/** One entry of an item's history (D-108). */
export const HistoryEvent = z
  .object({
    seq: z.int(),
    op: z.enum(['create', 'update', 'delete', 'state', 'overlay']),
    ref: z.object({ type: z.string(), name: z.string() }),
    version: z.int(),
    hash: z.string(),
    parentHash: z.string().nullable(),
    actor: z.record(z.string(), z.unknown()),
    message: z.string().optional(),
    ts: z.string(),
    source: z.string(),
  })
  .meta({ id: 'MetadataHistoryEvent' })

/** The routes of the `metadata` plugin. */
export const metadataRoutes = defineRoutes({
  listMetadataTypes: defineRoute({
    operationId: 'listMetadataTypes',
    method: 'GET',
    mount: 'versioned',
    path: '/meta',
    response: z.object({ types: z.array(z.string()), entries: z.array(MetadataTypeEntry) }),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'List the metadata types.',
    tag: 'metadata',
  }),
  listMetadataTypeNames: defineRoute({
    operationId: 'listMetadataTypeNames',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/types',
    response: z.array(z.string()),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'Names of the metadata types.',
    tag: 'metadata',
  }),
  getMetadataType: defineRoute({
    operationId: 'getMetadataType',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/types/:type',
    params: TypeParams,
    response: MetadataTypeEntry,
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'One metadata type.',
    tag: 'metadata',
  }),
  getMetadataTypeSchema: defineRoute({
    operationId: 'getMetadataTypeSchema',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/types/:type/schema',
    params: TypeParams,
    response: z.record(z.string(), z.unknown()),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'JSON Schema of a metadata type.',
    tag: 'metadata',
  }),
  listMetadataItems: defineRoute({
    operationId: 'listMetadataItems',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/:type',
    params: TypeParams,
    reserved: { type: reservedTypeSegments },
    query: z.object({ packageId: text, package: text, namespace: text, state: text, locale: text }),
    response: z.object({ type: z.string(), items: z.array(Item) }),
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'List the items of a metadata type, ordered by name.',
    tag: 'metadata',
  }),
  getMetadataItem: defineRoute({
    operationId: 'getMetadataItem',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/:type/:name',
    params: ItemParams,
    reserved: { type: reservedTypeSegments },
    query: z.object({ packageId: text, package: text, namespace: text, state: text, locale: text }),
    response: z.object({ type: z.string(), name: z.string(), item: Item }),
    permission: 'session',
    rateLimit: 'read',
    bodiless: [304],
    errors: [],
    channel: 'metadata',
    reads: ['If-Modified-Since', 'If-None-Match'],
    sends: ['ETag', 'Last-Modified'],
    summary: 'Get a metadata item; If-None-Match answers 304 when nothing changed.',
    tag: 'metadata',
  }),
  saveMetadataItem: defineRoute({
    operationId: 'saveMetadataItem',
    method: 'PUT',
    mount: 'versioned',
    path: '/meta/:type/:name',
    params: ItemParams,
    reserved: { type: reservedTypeSegments },
    query: z.object({ dryRun: text, confirm: text, mode: text, packageId: text, package: text, locale: text }),
    body: z.record(z.string(), z.unknown()),
    response: SaveResult,
    // The right depends on the type (D-113); the service asks for it.
    permission: 'session',
    rateLimit: 'write',
    errors: [
      'conflict',
      'CONCURRENT_UPDATE',
      'destructive_change',
      'not_implemented',
      'item_locked',
      'invalid_state_transition',
    ],
    // Changes of large tables take as long as they take; they are shown and can be stopped.
    timeoutMs: 10 * 60_000,
    channel: 'metadata',
    reads: ['If-Match', 'If-None-Match'],
    sends: ['ETag'],
    summary: 'Create or replace a metadata item; saving an object changes its table.',
    tag: 'metadata',
  }),
  deleteMetadataItem: defineRoute({
    operationId: 'deleteMetadataItem',
    method: 'DELETE',
    mount: 'versioned',
    path: '/meta/:type/:name',
    params: ItemParams,
    reserved: { type: reservedTypeSegments },
    query: z.object({ confirm: text, force: text, state: text }),
    response: z.object({
      success: z.literal(true),
      type: z.string(),
      name: z.string(),
      deleted: z.boolean(),
      reset: z.boolean().optional(),
      message: z.string().optional(),
    }),
    // The right depends on the type (D-113); the service asks for it.
    permission: 'session',
    rateLimit: 'write',
    errors: ['destructive_change', 'delete_restricted', 'CONCURRENT_UPDATE', 'item_locked'],
    // Changes of large tables take as long as they take; they are shown and can be stopped.
    timeoutMs: 10 * 60_000,
    channel: 'metadata',
    reads: ['If-Match'],
    summary: 'Delete a metadata item; deleting an object deletes its records.',
    tag: 'metadata',
  }),
  listMetadataHistory: defineRoute({
    operationId: 'listMetadataHistory',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/:type/:name/history',
    params: ItemParams,
    query: z.object({ sinceSeq: text, limit: text }),
    response: z.object({ events: z.array(HistoryEvent), hasMore: z.boolean() }),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'History of a metadata item.',
    tag: 'metadata',
  }),
  getMetadataHistoryItem: defineRoute({
    operationId: 'getMetadataHistoryItem',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/:type/:name/history/:seq',
    params: z.object({ type: z.string(), name: z.string(), seq: z.string() }),
    response: z.object({ event: HistoryEvent, item: Item.nullable() }),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    channel: 'metadata',
    summary: 'A metadata item as it was at one point of its history.',
    tag: 'metadata',
  }),
  getGeneratedView: defineRoute({
    operationId: 'getGeneratedView',
    method: 'GET',
    mount: 'versioned',
    path: '/ui/view/:object/:type',
    params: z.object({ object: z.string(), type: z.string() }),
    response: z.record(z.string(), z.unknown()),
    permission: 'session',
    rateLimit: 'read',
    errors: ['permission_denied'],
    channel: 'views',
    summary: 'A list or form view derived from the object.',
    tag: 'metadata',
  }),
  getGeneratedViewByQuery: defineRoute({
    operationId: 'getGeneratedViewByQuery',
    method: 'GET',
    mount: 'versioned',
    path: '/ui/view/:object',
    params: z.object({ object: z.string() }),
    query: z.object({ type: text }),
    response: z.record(z.string(), z.unknown()),
    permission: 'session',
    rateLimit: 'read',
    errors: ['permission_denied'],
    channel: 'views',
    summary: 'The same with the kind as a query parameter, list by default.',
    tag: 'metadata',
  }),
})
