// Contracts of OData: records of any object as entities (D-183, D-275 to D-279).
import { z } from 'zod'
import { odataVersionOf } from '../odata-version.ts'
import { defineRoute, defineRoutes } from '../route.ts'

/** Query options; names may have any case and no `$`. */
const Options = z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
  description: '$select, $filter, $orderby, $top, $skip, $expand, $count, $search, $skiptoken, $apply, $format.',
})

/** A JSON document of the protocol. */
const Document = z.record(z.string(), z.unknown())

const Path = z.object({
  path: z.string().meta({ description: 'For example task, task(<id>), task/<id>, task/$count.' }),
})

const common = {
  mount: 'api',
  permission: 'session',
  channel: 'odata',
  tag: 'odata',
  refusalsSend: { 'OData-Version': odataVersionOf },
} as const
const readErrors = ['invalid_query', 'timeout', 'not_implemented', 'permission_denied', 'method_not_allowed'] as const
const reads = {
  ...common,
  method: 'GET',
  query: Options,
  response: Document,
  rateLimit: 'read',
  errors: readErrors,
  reads: ['OData-MaxVersion', 'OData-Version', 'Prefer'],
  sends: ['OData-Version', 'Preference-Applied'],
} as const
const writes = {
  ...common,
  path: '/odata/:path*',
  params: Path,
  query: Options,
  rateLimit: 'write',
  bodiless: [204],
  reads: ['OData-MaxVersion', 'OData-Version', 'Prefer'],
  sends: ['ETag', 'OData-EntityId', 'OData-Version', 'Preference-Applied'],
  errors: ['invalid_query', 'not_implemented', 'CONCURRENT_UPDATE', 'record_locked', 'method_not_allowed'],
} as const

/** The routes of the `odata` plugin. */
export const odataRoutes = defineRoutes({
  getODataService: defineRoute({
    ...reads,
    operationId: 'getODataService',
    path: '/odata',
    summary: 'The service document: every entity set.',
  }),
  getODataMetadata: defineRoute({
    ...reads,
    operationId: 'getODataMetadata',
    path: '/odata/$metadata',
    produces: ['application/xml'],
    summary: 'The model of the entities as XML, with $format=json as JSON.',
  }),
  runODataBatch: defineRoute({
    ...common,
    operationId: 'runODataBatch',
    method: 'POST',
    path: '/odata/$batch',
    consumes: ['multipart/mixed'],
    produces: ['multipart/mixed'],
    body: z.unknown(),
    response: Document,
    rateLimit: 'write',
    errors: [],
    timeoutMs: 60_000,
    reads: ['OData-MaxVersion', 'OData-Version', 'Prefer'],
    sends: ['OData-Version', 'Preference-Applied'],
    summary: 'Up to 100 requests in one, those of an atomicityGroup together or not at all.',
  }),
  readODataEntities: defineRoute({
    ...reads,
    operationId: 'readODataEntities',
    path: '/odata/:path*',
    params: Path,
    produces: ['text/plain'],
    bodiless: [204],
    sends: [...reads.sends, 'ETag'],
    summary: 'Entities, their number, one of them, or a part of it.',
  }),
  createODataEntity: defineRoute({
    ...writes,
    operationId: 'createODataEntity',
    method: 'POST',
    body: z.unknown(),
    response: Document,
    status: 201,
    sends: [...writes.sends, 'Location'],
    summary: 'Make an entity.',
  }),
  updateODataEntity: defineRoute({
    ...writes,
    operationId: 'updateODataEntity',
    method: 'PATCH',
    body: z.unknown(),
    response: Document,
    reads: [...writes.reads, 'If-Match'],
    summary: 'Change properties of an entity; If-Match guards against lost updates.',
  }),
  replaceODataEntity: defineRoute({
    ...writes,
    operationId: 'replaceODataEntity',
    method: 'PUT',
    body: z.unknown(),
    response: Document,
    reads: [...writes.reads, 'If-Match'],
    summary: 'Replace an entity: what is left out has its default, or no value.',
  }),
  deleteODataEntity: defineRoute({
    ...writes,
    operationId: 'deleteODataEntity',
    method: 'DELETE',
    response: Document,
    errors: [...writes.errors, 'delete_restricted'],
    reads: [...writes.reads, 'If-Match'],
    summary: 'Delete an entity; If-Match guards against lost updates.',
  }),
})
