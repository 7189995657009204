// Contracts of the data endpoints: records of any object (specification "Data", D-51 to D-71, D-72 to D-91).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { ErrorObjectSchema, FieldMap, ObjectParams, QueryInteger, RecordMap, RecordParams } from './common.ts'

/** A non-blocking finding of a validation rule (D-96). */
export const RecordWarning = z.object({
  rule: z.string(),
  severity: z.enum(['warning', 'info']),
  message: z.string(),
  field: z.string().optional(),
})

/** Single record response. */
export const SingleRecord = z
  .object({ object: z.string(), id: z.string(), record: RecordMap, warnings: z.array(RecordWarning).optional() })
  .meta({ id: 'SingleRecord' })

/** Record list response (FindDataResponse). */
export const RecordList = z
  .object({
    object: z.string(),
    records: z.array(RecordMap),
    total: z.int().optional(),
    nextCursor: z.string().optional(),
    hasMore: z.boolean(),
  })
  .meta({ id: 'RecordList' })

/** Delete response (D-53). */
export const DeleteResult = z
  .object({
    object: z.string(),
    id: z.string(),
    success: z.literal(true),
    deleted: z.boolean(),
    purged: z.boolean().optional(),
    warnings: z.array(RecordWarning).optional(),
  })
  .meta({ id: 'DeleteResult' })

/** The operations of a batch. */
export const BatchOperation = z.enum(['create', 'update', 'upsert', 'delete'])

/** Options of every bulk operation with their defaults (D-63). */
export const BatchOptions = z
  .object({
    atomic: z.boolean().default(true),
    returnRecords: z.boolean().default(false),
    continueOnError: z.boolean().default(false),
    validateOnly: z.boolean().default(false),
  })
  .meta({ id: 'BatchOptions' })

/** One result per record, in request order (D-63). */
export const BatchResultItem = z.object({
  index: z.int(),
  object: z.string().optional().meta({ description: 'In a batch across objects.' }),
  id: z.string().optional(),
  success: z.boolean(),
  operation: z.enum(['create', 'update', 'delete']).optional(),
  record: RecordMap.optional(),
  errors: z.array(ErrorObjectSchema.omit({ requestId: true })).optional(),
  warnings: z.array(RecordWarning).optional(),
  skipped: z.boolean().optional(),
  rolledBack: z.boolean().optional(),
})

/** Batch response (D-63). */
export const BatchResponse = z
  .object({
    success: z.boolean(),
    operation: BatchOperation.optional(),
    total: z.int(),
    succeeded: z.int(),
    failed: z.int(),
    results: z.array(BatchResultItem),
    error: ErrorObjectSchema.optional(),
    meta: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'BatchResponse' })

const ExternalId = z.union([
  z.string(),
  z.object({ field: z.string(), value: z.union([z.string(), z.number(), z.boolean()]) }),
])

/** One record of a batch (D-64). */
export const BatchRecord = z.object({
  id: z.string().optional(),
  data: FieldMap.optional(),
  expectedVersion: z.string().optional(),
  externalId: ExternalId.optional(),
})

const Reference = z.object({ $ref: z.int().min(0) })

/** One operation of a batch across objects (D-66). */
export const BatchStep = z.object({
  object: z.string(),
  action: BatchOperation,
  id: z.union([z.string(), Reference]).optional(),
  data: FieldMap.optional().meta({ description: 'Any value may be {"$ref": index}: the id of an earlier result.' }),
  expectedVersion: z.string().optional(),
  externalId: ExternalId.optional(),
})

/** One action of a trigger that ran for one event (D-98). */
export const TriggerRun = z.object({
  eventId: z.string(),
  trigger: z.string(),
  action: z.int(),
  actionType: z.string(),
  status: z.enum(['done', 'failed', 'skipped']),
  error: z.string().nullable(),
  object: z.string(),
  recordId: z.string(),
  caller: z.string().meta({ description: 'Who caused the event, as type:id.' }),
  at: z.string(),
})

const expectedVersion = z.string().optional().meta({ description: 'updated_at as read by the client (D-55).' })

/** Query parameters of the list operation; every other name is a field condition (D-72, D-73). */
export const ListQuery = z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
  description: 'Other names are field conditions: equal to the value, or to any of repeated ones.',
  words: {
    filter: ['string', 'Which records: JSON of conditions by field, or a list of field, operator and value.'],
    select: ['string', 'Fields to answer, separated by commas.'],
    sort: ['string', 'Fields to sort by, separated by commas; a minus in front of one means descending.'],
    top: ['integer', 'Records to answer at most.'],
    skip: ['integer', 'Records to pass over.'],
    cursor: ['string', 'The nextCursor of the page before.'],
    expand: ['string', 'Links to answer as records, separated by commas.'],
    search: ['string', 'Words that searchable fields hold.'],
    searchFields: ['string', 'Fields to search in, separated by commas.'],
    distinct: ['boolean', 'Whether equal rows are answered once.'],
    count: ['boolean', 'Whether the number of all matches is answered as total.'],
    aggregations: ['string', 'JSON list of {function, field, alias}.'],
    groupBy: ['string', 'Fields to group by, separated by commas, or a JSON list.'],
    having: ['string', 'Which groups: JSON of conditions by alias.'],
    deleted: ['string', 'Records in the trash: exclude, include or only.'],
  },
})

const listErrors = ['invalid_query', 'timeout', 'method_not_allowed'] as const
const createErrors = ['conflict', 'method_not_allowed'] as const
const changeErrors = [...createErrors, 'CONCURRENT_UPDATE', 'record_locked'] as const
/** Failures of single records stand in the results of an answer with status 200 (D-63). */
const bulkErrors = ['method_not_allowed'] as const

/** The routes of the `data` plugin. */
export const dataRoutes = defineRoutes({
  listRecords: defineRoute({
    operationId: 'listRecords',
    method: 'GET',
    mount: 'versioned',
    path: '/data/:object',
    aliases: [{ mount: 'api', path: '/data/:object' }],
    params: ObjectParams,
    apiMethods: [['list'], ['search']],
    query: ListQuery,
    response: RecordList,
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    errors: listErrors,
    channel: 'list',
    summary: 'List records with filter, sort, paging, expansion and full-text search.',
    tag: 'data',
  }),
  queryRecords: defineRoute({
    operationId: 'queryRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/query',
    aliases: [{ mount: 'api', path: '/data/:object/query' }],
    params: ObjectParams,
    apiMethods: [['list'], ['search']],
    body: z.record(z.string(), z.unknown()).optional(),
    response: RecordList,
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    errors: listErrors,
    mutates: false,
    channel: 'list',
    summary: 'List records with the query as a JSON body.',
    tag: 'data',
  }),
  getRecord: defineRoute({
    operationId: 'getRecord',
    method: 'GET',
    mount: 'versioned',
    path: '/data/:object/:id',
    aliases: [{ mount: 'api', path: '/data/:object/:id' }],
    params: RecordParams,
    apiMethods: [['get']],
    query: z.object({ select: z.unknown(), fields: z.unknown(), expand: z.unknown() }).partial(),
    response: SingleRecord,
    permission: { object: 'params.object', action: 'read' },
    rateLimit: 'read',
    errors: ['invalid_query', 'method_not_allowed'],
    channel: 'get',
    sends: ['ETag'],
    summary: 'Get one record; only select and expand are honoured.',
    tag: 'data',
  }),
  createRecord: defineRoute({
    operationId: 'createRecord',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object',
    aliases: [{ mount: 'api', path: '/data/:object' }],
    params: ObjectParams,
    apiMethods: [['create']],
    body: FieldMap,
    response: SingleRecord,
    status: 201,
    permission: { object: 'params.object', action: 'create' },
    rateLimit: 'write',
    errors: createErrors,
    channel: 'create',
    summary: 'Create a record.',
    tag: 'data',
  }),
  updateRecord: defineRoute({
    operationId: 'updateRecord',
    method: 'PATCH',
    mount: 'versioned',
    path: '/data/:object/:id',
    aliases: [{ mount: 'api', path: '/data/:object/:id' }],
    params: RecordParams,
    apiMethods: [['update']],
    body: FieldMap,
    response: SingleRecord,
    permission: { object: 'params.object', action: 'edit' },
    rateLimit: 'write',
    errors: changeErrors,
    channel: 'update',
    reads: ['If-Match'],
    summary: 'Change fields of a record; expectedVersion or If-Match guards against lost updates.',
    tag: 'data',
  }),
  deleteRecord: defineRoute({
    operationId: 'deleteRecord',
    method: 'DELETE',
    mount: 'versioned',
    path: '/data/:object/:id',
    aliases: [{ mount: 'api', path: '/data/:object/:id' }],
    params: RecordParams,
    apiMethods: [['delete'], ['purge']],
    query: z.object({ expectedVersion, purge: z.union([z.string(), z.array(z.string())]).optional() }),
    body: z.object({ expectedVersion }).optional(),
    response: DeleteResult,
    permission: { object: 'params.object', action: 'delete' },
    rateLimit: 'write',
    errors: ['CONCURRENT_UPDATE', 'record_locked', 'delete_restricted', 'invalid_query', 'method_not_allowed'],
    channel: 'delete',
    reads: ['If-Match'],
    summary: 'Delete a record: softly when the object has a trash, for good with purge=true.',
    tag: 'data',
  }),
  restoreRecord: defineRoute({
    operationId: 'restoreRecord',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/:id/restore',
    aliases: [{ mount: 'api', path: '/data/:object/:id/restore' }],
    params: RecordParams,
    apiMethods: [['restore']],
    body: z.object({ expectedVersion }).optional(),
    response: SingleRecord,
    permission: { object: 'params.object', action: 'restore' },
    rateLimit: 'write',
    errors: changeErrors,
    channel: 'update',
    reads: ['If-Match'],
    summary: 'Bring a deleted record back.',
    tag: 'data',
  }),
  batchRecords: defineRoute({
    operationId: 'batchRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/batch',
    aliases: [{ mount: 'api', path: '/data/:object/batch' }],
    params: ObjectParams,
    apiMethods: BatchOperation.options.map((operation) => ['bulk', operation] as const),
    body: z.object({
      operation: BatchOperation,
      records: z.array(BatchRecord),
      options: BatchOptions.optional(),
    }),
    response: BatchResponse,
    permission: 'session',
    rateLimit: 'write',
    errors: bulkErrors,
    timeoutMs: 60_000,
    channel: 'batch',
    summary: 'Create, update, upsert or delete up to 1,000 records of one object.',
    tag: 'data',
  }),
  createManyRecords: defineRoute({
    operationId: 'createManyRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/createMany',
    aliases: [{ mount: 'api', path: '/data/:object/createMany' }],
    params: ObjectParams,
    apiMethods: [['bulk', 'create']],
    body: z.union([z.object({ records: z.array(FieldMap) }), z.array(FieldMap)]),
    response: z.object({
      object: z.string(),
      records: z.array(RecordMap),
      count: z.int(),
      warnings: z.array(RecordWarning.extend({ index: z.int() })).optional(),
    }),
    status: 201,
    permission: { object: 'params.object', action: 'create' },
    rateLimit: 'write',
    errors: createErrors,
    timeoutMs: 60_000,
    channel: 'batch',
    summary: 'Create up to 1,000 records, all or nothing.',
    tag: 'data',
  }),
  updateManyRecords: defineRoute({
    operationId: 'updateManyRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/updateMany',
    aliases: [{ mount: 'api', path: '/data/:object/updateMany' }],
    params: ObjectParams,
    apiMethods: [['bulk', 'update']],
    body: z.object({
      records: z.array(z.object({ id: z.string(), data: FieldMap, expectedVersion })),
      options: BatchOptions.optional(),
    }),
    response: BatchResponse,
    permission: { object: 'params.object', action: 'edit' },
    rateLimit: 'write',
    errors: bulkErrors,
    timeoutMs: 60_000,
    channel: 'batch',
    summary: 'Change up to 1,000 records.',
    tag: 'data',
  }),
  deleteManyRecords: defineRoute({
    operationId: 'deleteManyRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/deleteMany',
    aliases: [{ mount: 'api', path: '/data/:object/deleteMany' }],
    params: ObjectParams,
    apiMethods: [['bulk', 'delete']],
    body: z.object({ ids: z.array(z.string()), options: BatchOptions.optional() }),
    response: BatchResponse,
    permission: { object: 'params.object', action: 'delete' },
    rateLimit: 'write',
    errors: bulkErrors,
    timeoutMs: 60_000,
    channel: 'batch',
    summary: 'Delete up to 1,000 records.',
    tag: 'data',
  }),
  batchAcrossObjects: defineRoute({
    operationId: 'batchAcrossObjects',
    method: 'POST',
    mount: 'versioned',
    path: '/batch',
    body: z.object({ operations: z.array(BatchStep), options: BatchOptions.optional() }),
    response: BatchResponse,
    permission: 'session',
    rateLimit: 'write',
    errors: [],
    timeoutMs: 60_000,
    channel: 'batch',
    summary: 'Write up to 1,000 records of several objects; later operations may name records of earlier ones.',
    tag: 'data',
  }),
  listTriggerRuns: defineRoute({
    operationId: 'listTriggerRuns',
    method: 'GET',
    mount: 'versioned',
    path: '/meta/trigger/:name/runs',
    params: z.object({ name: z.string() }),
    query: z.object({ limit: QueryInteger.optional(), cursor: z.string().optional() }),
    response: z.object({ runs: z.array(TriggerRun), nextCursor: z.string().optional(), hasMore: z.boolean() }),
    permission: { system: 'manage_metadata' },
    rateLimit: 'read',
    errors: ['resource_not_found'],
    channel: 'metadata',
    summary: 'What a trigger did, newest event first; an inline trigger is named object.trigger.',
    tag: 'data',
  }),
  cloneRecord: defineRoute({
    operationId: 'cloneRecord',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/:id/clone',
    aliases: [{ mount: 'api', path: '/data/:object/:id/clone' }],
    params: RecordParams,
    apiMethods: [['clone']],
    body: z.object({ overrides: FieldMap.optional() }).optional(),
    response: SingleRecord.extend({ sourceId: z.string() }),
    status: 201,
    permission: { object: 'params.object', action: 'create' },
    rateLimit: 'write',
    errors: createErrors,
    channel: 'create',
    summary: 'Create a record with the values of another one.',
    tag: 'data',
  }),
  transferRecord: defineRoute({
    operationId: 'transferRecord',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/:id/transfer',
    aliases: [{ mount: 'api', path: '/data/:object/:id/transfer' }],
    params: RecordParams,
    apiMethods: [['update']],
    body: z.object({ owner: z.string(), expectedVersion }),
    response: SingleRecord,
    permission: { object: 'params.object', action: 'transfer' },
    rateLimit: 'write',
    errors: changeErrors,
    channel: 'update',
    reads: ['If-Match'],
    summary: 'Give a record another owner.',
    tag: 'data',
  }),
  revealSecret: defineRoute({
    operationId: 'revealSecret',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/:id/reveal',
    aliases: [{ mount: 'api', path: '/data/:object/:id/reveal' }],
    params: RecordParams,
    apiMethods: [['get']],
    body: z.object({ field: z.string() }),
    response: z.object({ object: z.string(), id: z.string(), field: z.string(), value: z.string().nullable() }),
    permission: { object: 'params.object', action: 'edit' },
    rateLimit: 'write',
    errors: ['method_not_allowed'],
    keepsAnswer: false,
    channel: 'reveal',
    summary: 'Read the text of a secret field; every look is recorded.',
    tag: 'data',
  }),
})
