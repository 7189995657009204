// Contracts of the metadata service operations (specification "Metadata", D-108): registering, asking, moving and
// checking items. Saving single items and the lifecycle have contracts of their own.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { SchemaChange, metadataStates, metadataTypes, reservedTypeSegments } from './metadata.ts'

/** Most items of one bulk request (D-108). */
export const maxBulkItems = 500

/** Most items of one page of a query (D-14). */
export const maxQueryPageSize = 500

const text = z.union([z.string(), z.array(z.string())]).optional()
const Item = z.record(z.string(), z.unknown())
const TypeParams = z.object({ type: z.string() })
const ItemParams = z.object({ type: z.string(), name: z.string() })
const State = z.enum(metadataStates)

/** A new item; the type may stand in the path instead. */
const RegisterBody = z.object({
  type: z.string().optional(),
  name: z.string(),
  data: Item,
  namespace: z.string().optional(),
})

const RegisteredItem = z
  .object({ type: z.string(), name: z.string(), item: Item, version: z.int(), etag: z.string(), state: State })
  .meta({ id: 'RegisteredMetadataItem' })

/** How one item differs from others in a query's answer. */
export const MetadataSummary = z
  .object({
    type: z.enum(metadataTypes),
    name: z.string(),
    label: z.string().optional(),
    namespace: z.string().optional(),
    scope: z.enum(['system', 'platform', 'user']),
    state: State,
    packageId: z.string().optional(),
    tags: z.array(z.string()).optional(),
    version: z.int(),
    updatedAt: z.string(),
    createdAt: z.string(),
  })
  .meta({ id: 'MetadataSummary' })

/** What became of many items at once; failed counts those that were not tried too. */
const BulkResult = z
  .object({
    total: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    errors: z
      .array(
        z.object({
          index: z.int(),
          type: z.string(),
          name: z.string(),
          error: z.string(),
          code: z.string(),
          details: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
  })
  .meta({ id: 'MetadataBulkResult' })

/** What an export holds and an import reads. */
const ExportContent = z
  .object({
    formatVersion: z.literal('1'),
    exportedAt: z.string(),
    items: z.array(
      z.object({
        type: z.enum(metadataTypes),
        name: z.string(),
        namespace: z.string().optional(),
        state: State,
        item: Item,
      }),
    ),
    overlays: z.array(Item),
  })
  .meta({ id: 'MetadataExport' })

const ImportResult = z
  .object({
    total: z.int(),
    imported: z.int(),
    skipped: z.int(),
    failed: z.int(),
    errors: z
      .array(
        z.object({
          type: z.string(),
          name: z.string(),
          error: z.string(),
          code: z.string(),
          details: z.record(z.string(), z.unknown()).optional(),
        }),
      )
      .optional(),
    plan: z
      .array(
        z.object({
          type: z.string(),
          name: z.string(),
          action: z.enum(['create', 'update', 'unchanged', 'skip']),
          changes: z.array(SchemaChange).optional(),
          planHash: z.string().optional(),
        }),
      )
      .optional(),
    dryRun: z.boolean(),
  })
  .meta({ id: 'MetadataImportResult' })

const ValidationResult = z
  .object({
    valid: z.boolean(),
    errors: z.array(z.object({ path: z.string(), message: z.string(), code: z.string() })).optional(),
    warnings: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    plan: z.array(SchemaChange).optional(),
  })
  .meta({ id: 'MetadataValidationResult' })

/** One item that needs another (D-108). */
export const Dependency = z
  .object({
    sourceType: z.string(),
    sourceName: z.string(),
    targetType: z.string(),
    targetName: z.string(),
    kind: z.enum(['reference', 'extends', 'includes', 'triggers']),
  })
  .meta({ id: 'MetadataDependency' })

const CachedItem = z
  .object({
    data: Item.optional(),
    etag: z.object({ value: z.string(), weak: z.literal(false) }),
    lastModified: z.string(),
    cacheControl: z.object({ directives: z.array(z.string()) }),
    notModified: z.boolean(),
    version: z.int(),
  })
  .meta({ id: 'CachedMetadataItem' })

const writeErrors = [
  'conflict',
  'CONCURRENT_UPDATE',
  'destructive_change',
  'not_implemented',
  'item_locked',
  'delete_restricted',
] as const

/** Changes of large tables take as long as a single save of them may. */
const longTimeoutMs = 10 * 60_000

const manage = { system: 'manage_metadata' } as const
const shared = { mount: 'versioned', channel: 'metadata', tag: 'metadata' } as const

/** The service operations of the `metadata` plugin. */
export const metadataOperationRoutes = defineRoutes({
  registerMetadata: defineRoute({
    ...shared,
    operationId: 'registerMetadata',
    method: 'POST',
    path: '/meta',
    body: RegisterBody,
    response: RegisteredItem,
    envelope: true,
    status: 201,
    permission: manage,
    rateLimit: 'write',
    errors: [...writeErrors],
    sends: ['ETag'],
    summary: 'Register a new metadata item.',
  }),
  registerMetadataOfType: defineRoute({
    ...shared,
    operationId: 'registerMetadataOfType',
    method: 'POST',
    path: '/meta/:type',
    params: TypeParams,
    reserved: { type: reservedTypeSegments },
    body: RegisterBody,
    response: RegisteredItem,
    envelope: true,
    status: 201,
    permission: manage,
    rateLimit: 'write',
    errors: [...writeErrors],
    sends: ['ETag'],
    summary: 'Register a new metadata item of a type.',
  }),
  queryMetadata: defineRoute({
    ...shared,
    operationId: 'queryMetadata',
    method: 'POST',
    path: '/meta/query',
    body: z
      .object({
        types: z.array(z.string()).optional(),
        namespaces: z.array(z.string()).optional(),
        packageId: z.string().optional(),
        search: z.string().max(500).optional(),
        scope: z.enum(['system', 'platform', 'user']).optional(),
        state: State.optional(),
        tags: z.array(z.string()).optional(),
        sortBy: z.enum(['name', 'type', 'updatedAt', 'createdAt']).default('name'),
        sortOrder: z.enum(['asc', 'desc']).default('asc'),
        page: z.int().min(1).default(1),
        pageSize: z.int().min(1).max(maxQueryPageSize).default(50),
      })
      .optional(),
    response: z.object({
      items: z.array(MetadataSummary),
      total: z.int(),
      page: z.int(),
      pageSize: z.int(),
    }),
    envelope: true,
    permission: 'session',
    mutates: false,
    rateLimit: 'read',
    errors: [],
    summary: 'Find metadata items of all types, fields included, or of those that `types` names.',
  }),
  bulkRegisterMetadata: defineRoute({
    ...shared,
    operationId: 'bulkRegisterMetadata',
    method: 'POST',
    path: '/meta/bulk/register',
    query: z.object({ confirm: text }),
    body: z.object({
      items: z
        .array(z.object({ type: z.string(), name: z.string(), data: Item, namespace: z.string().optional() }))
        .min(1)
        .max(maxBulkItems),
      continueOnError: z.boolean().default(false),
      validate: z.boolean().default(true),
    }),
    response: BulkResult,
    envelope: true,
    permission: manage,
    rateLimit: 'write',
    errors: [...writeErrors],
    timeoutMs: longTimeoutMs,
    summary: 'Register many metadata items in one write.',
  }),
  bulkUnregisterMetadata: defineRoute({
    ...shared,
    operationId: 'bulkUnregisterMetadata',
    method: 'POST',
    path: '/meta/bulk/unregister',
    query: z.object({ confirm: text, force: text }),
    body: z.object({
      items: z
        .array(z.object({ type: z.string(), name: z.string() }))
        .min(1)
        .max(maxBulkItems),
      continueOnError: z.boolean().default(false),
    }),
    response: BulkResult,
    envelope: true,
    permission: manage,
    rateLimit: 'write',
    errors: [...writeErrors],
    timeoutMs: longTimeoutMs,
    summary: 'Remove many metadata items in one write.',
  }),
  exportMetadata: defineRoute({
    ...shared,
    operationId: 'exportMetadata',
    method: 'POST',
    path: '/meta/export',
    body: z
      .object({
        types: z.array(z.string()).optional(),
        namespaces: z.array(z.string()).optional(),
        packageId: z.string().optional(),
        format: z.enum(['json', 'yaml']).default('json'),
        includeOverlays: z.boolean().default(true),
      })
      .optional(),
    response: z.object({
      format: z.enum(['json', 'yaml']),
      content: z.union([ExportContent, z.string()]),
      count: z.int(),
    }),
    envelope: true,
    permission: manage,
    mutates: false,
    rateLimit: 'heavy',
    errors: [],
    sends: ['Content-Disposition'],
    summary: 'Export metadata items; `Accept: application/yaml` answers the file.',
  }),
  importMetadata: defineRoute({
    ...shared,
    operationId: 'importMetadata',
    method: 'POST',
    path: '/meta/import',
    query: z.object({ confirm: text }),
    body: z.object({
      data: z.unknown(),
      conflictResolution: z.enum(['skip', 'overwrite', 'merge']).default('skip'),
      validate: z.boolean().default(true),
      dryRun: z.boolean().default(false),
    }),
    response: ImportResult,
    envelope: true,
    permission: manage,
    rateLimit: 'heavy',
    errors: [...writeErrors],
    timeoutMs: longTimeoutMs,
    summary: 'Import exported metadata in one write; nothing is stored when an item fails.',
  }),
  validateMetadata: defineRoute({
    ...shared,
    operationId: 'validateMetadata',
    method: 'POST',
    path: '/meta/validate',
    body: z.object({ type: z.string(), data: Item }),
    response: ValidationResult,
    envelope: true,
    permission: manage,
    mutates: false,
    rateLimit: 'read',
    errors: ['not_implemented', 'item_locked'],
    summary: 'Check an item without storing it; for objects with the plan of the schema change.',
  }),
  listMetadataConcepts: defineRoute({
    ...shared,
    operationId: 'listMetadataConcepts',
    method: 'GET',
    path: '/meta/concepts',
    response: z.array(
      z.object({
        name: z.string(),
        label: z.string(),
        icon: z.string(),
        description: z.string(),
        types: z.array(z.enum(metadataTypes)),
      }),
    ),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'The domains of metadata with their types.',
  }),
  listMetadataNames: defineRoute({
    ...shared,
    operationId: 'listMetadataNames',
    method: 'GET',
    path: '/meta/:type/names',
    params: TypeParams,
    response: z.array(z.string()),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'Names of the items of a type.',
  }),
  metadataItemExists: defineRoute({
    ...shared,
    operationId: 'metadataItemExists',
    method: 'GET',
    path: '/meta/:type/:name/exists',
    params: ItemParams,
    response: z.object({ exists: z.boolean() }),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'Whether an item exists.',
  }),
  getCachedMetadataItem: defineRoute({
    ...shared,
    operationId: 'getCachedMetadataItem',
    method: 'GET',
    path: '/meta/:type/:name/cached',
    params: ItemParams,
    query: z.object({ ifNoneMatch: text, ifModifiedSince: text, locale: text }),
    response: CachedItem,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    reads: ['If-Modified-Since', 'If-None-Match'],
    summary: 'An item with its cache data, always 200; `data` is left out when nothing changed.',
  }),
  postCachedMetadataItem: defineRoute({
    ...shared,
    operationId: 'postCachedMetadataItem',
    method: 'POST',
    path: '/meta/:type/:name/cached',
    params: ItemParams,
    body: z
      .object({
        cacheRequest: z
          .object({ ifNoneMatch: z.string().optional(), ifModifiedSince: z.string().optional() })
          .optional(),
        locale: z.string().optional(),
      })
      .optional(),
    response: CachedItem,
    permission: 'session',
    mutates: false,
    rateLimit: 'read',
    errors: [],
    summary: 'The same with the conditions in the body.',
  }),
  listMetadataDependencies: defineRoute({
    ...shared,
    operationId: 'listMetadataDependencies',
    method: 'GET',
    path: '/meta/:type/:name/dependencies',
    params: ItemParams,
    response: z.array(Dependency),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'What an item needs.',
  }),
  listMetadataDependents: defineRoute({
    ...shared,
    operationId: 'listMetadataDependents',
    method: 'GET',
    path: '/meta/:type/:name/dependents',
    params: ItemParams,
    response: z.array(Dependency),
    envelope: true,
    permission: 'session',
    rateLimit: 'read',
    errors: [],
    summary: 'What needs an item.',
  }),
})
