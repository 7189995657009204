// Contracts of imports and exports: rows of files into an object (D-68), records of an object as a file (D-69).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { ObjectParams, QueryInteger } from './common.ts'
import { ListQuery } from './data.ts'

/** How rows become records. */
export const ImportWriteMode = z.enum(['insert', 'update', 'upsert'])

/** The forms a source of rows may have. */
export const ImportFormat = z.enum(['csv', 'tsv', 'json', 'ndjson', 'xlsx'])

/** Media types of a source that is sent as the body itself, its options in the query, and the form each one means. */
export const importMediaTypes = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'application/x-ndjson': 'ndjson',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
} as const

/** The import request with its defaults (D-68). Exactly one of `csv`, `rows` and `xlsxBase64` is given. */
export const ImportRequest = z
  .object({
    format: ImportFormat.optional(),
    csv: z.string().optional().meta({ description: 'Text of a CSV or TSV file with a header line.' }),
    rows: z
      .array(z.unknown())
      .optional()
      .meta({ description: 'Objects: column name to cell. Checked one by one by the service.' }),
    xlsxBase64: z.string().optional().meta({ description: 'An XLSX file; the first row of the sheet is the header.' }),
    sheet: z
      .union([z.string(), z.int().min(1)])
      .optional()
      .meta({ description: 'Name or number (from 1) of the sheet; the first one when absent.' }),
    delimiter: z
      .enum([',', ';', '\t', '|'])
      .optional()
      .meta({ description: 'What separates the cells of CSV; found out when absent.' }),
    mapping: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Column to field; unnamed columns map to the field of the same name. "" leaves one out.' }),
    dryRun: z.boolean().default(false),
    writeMode: ImportWriteMode.default('insert'),
    matchFields: z.array(z.string()).optional(),
    runAutomations: z.boolean().default(true),
    trimWhitespace: z.boolean().default(true),
    nullValues: z.array(z.string()).optional(),
    createMissingOptions: z.boolean().default(false),
    skipBlankMatchKey: z.boolean().default(true),
  })
  .meta({ id: 'ImportRequest' })

/** An import request with its defaults applied. */
export type ImportRequest = z.output<typeof ImportRequest>

/** What an import did; rows count from 1, the header not counted. */
export const ImportReport = z
  .object({
    object: z.string(),
    total: z.int(),
    created: z.int(),
    updated: z.int(),
    skipped: z.int(),
    failed: z.int(),
    errors: z.array(z.object({ row: z.int(), field: z.string().optional(), code: z.string(), message: z.string() })),
    dryRun: z.boolean(),
  })
  .meta({ id: 'ImportReport' })

/** The states of a job. A paused job is `pending` with `paused`; a job that is being undone is `running` with `undo`. */
export const ImportJobStatus = z.enum(['pending', 'running', 'completed', 'failed', 'cancelled', 'undone'])

/** How far the undoing of a job is. */
export const ImportUndo = z.object({
  /** Records the job had created or updated. */
  total: z.int(),
  processed: z.int(),
  /** Created records that are gone now. */
  purged: z.int(),
  /** Updated records that have their earlier values again. */
  restored: z.int(),
  /** Records left as they are, wholly or in part: somebody changed them since. Their results say why. */
  kept: z.int(),
})

/** An import job (D-68). */
export const ImportJob = z
  .object({
    jobId: z.string(),
    object: z.string(),
    status: ImportJobStatus,
    /** True while the job waits for `resume`. */
    paused: z.boolean(),
    total: z.int(),
    processed: z.int(),
    created: z.int(),
    updated: z.int(),
    skipped: z.int(),
    failed: z.int(),
    dryRun: z.boolean(),
    writeMode: ImportWriteMode,
    format: ImportFormat,
    fileName: z.string().optional(),
    createdAt: z.string(),
    createdBy: z.string(),
    startedAt: z.string().optional(),
    completedAt: z.string().optional(),
    /** Why the job as a whole failed. */
    error: z.object({ code: z.string(), message: z.string() }).optional(),
    undo: ImportUndo.optional(),
  })
  .meta({ id: 'ImportJob' })

/** An import job with every count. */
export type ImportJob = z.output<typeof ImportJob>

const RowError = z.object({ field: z.string().optional(), code: z.string(), message: z.string() })

/** What became of one row. */
export const ImportRowResult = z
  .object({
    row: z.int(),
    id: z.string().optional(),
    success: z.boolean(),
    operation: z.enum(['create', 'update', 'skip']).optional(),
    errors: z.array(RowError).optional(),
    /** Present once the job is undone: whether the row's effect is gone, and what stayed. */
    undo: z.object({ success: z.boolean(), errors: z.array(RowError).optional() }).optional(),
  })
  .meta({ id: 'ImportRowResult' })

/** What became of one row of a job. */
export type ImportRowResult = z.output<typeof ImportRowResult>

const JobParams = z.object({ jobId: z.string() })
const object = z.string().optional()
const stateErrors = ['conflict'] as const
const consumes = Object.keys(importMediaTypes)

/** Query of a job's action: nothing. */
const jobAction = {
  method: 'POST',
  mount: 'versioned',
  params: JobParams,
  response: ImportJob,
  permission: { system: 'import_data' },
  rateLimit: 'write',
  errors: stateErrors,
  channel: 'import',
  tag: 'import',
} as const

/** The routes of the `import` plugin. */
export const importRoutes = defineRoutes({
  importRecords: defineRoute({
    operationId: 'importRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/import',
    aliases: [{ mount: 'api', path: '/data/:object/import' }],
    params: ObjectParams,
    apiMethods: [['import']],
    query: z.record(z.string(), z.unknown()).meta({
      description:
        'For a body that is the file itself: the options of ImportRequest, lists separated by commas, and `charset` (utf-8).',
    }),
    body: ImportRequest,
    response: ImportReport,
    permission: { system: 'import_data' },
    rateLimit: 'heavy',
    errors: ['method_not_allowed'],
    consumes,
    streams: true,
    timeoutMs: 60_000,
    channel: 'import',
    summary: 'Import up to 10,000 rows of CSV, TSV, JSON, NDJSON or XLSX into an object.',
    tag: 'import',
  }),
  createImportJob: defineRoute({
    operationId: 'createImportJob',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/import/jobs',
    aliases: [{ mount: 'api', path: '/data/:object/import/jobs' }],
    params: ObjectParams,
    apiMethods: [['import']],
    query: z.record(z.string(), z.unknown()).meta({
      description:
        'For a body that is the file itself: the options of ImportRequest, `fileName`, and `charset` (utf-8).',
    }),
    body: ImportRequest.extend({ fileName: z.string().max(255).optional() }),
    response: ImportJob,
    status: 202,
    permission: { system: 'import_data' },
    rateLimit: 'heavy',
    errors: ['method_not_allowed'],
    consumes,
    streams: true,
    timeoutMs: 600_000,
    channel: 'import',
    summary: 'Start an import of up to 1,000,000 rows in the background.',
    tag: 'import',
  }),
  listImportJobs: defineRoute({
    operationId: 'listImportJobs',
    method: 'GET',
    mount: 'versioned',
    path: '/data/import/jobs',
    aliases: [{ mount: 'api', path: '/data/import/jobs' }],
    query: z.object({
      object,
      status: ImportJobStatus.optional(),
      limit: QueryInteger.optional(),
      offset: QueryInteger.optional(),
    }),
    response: z.object({ jobs: z.array(ImportJob), total: z.int() }),
    permission: { system: 'import_data' },
    rateLimit: 'read',
    errors: [],
    channel: 'import',
    summary: 'List import jobs, newest first.',
    tag: 'import',
  }),
  getImportJob: defineRoute({
    operationId: 'getImportJob',
    method: 'GET',
    mount: 'versioned',
    path: '/data/import/jobs/:jobId',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId' }],
    params: JobParams,
    response: ImportJob,
    permission: { system: 'import_data' },
    rateLimit: 'read',
    errors: [],
    channel: 'import',
    summary: 'Get one import job with its progress.',
    tag: 'import',
  }),
  getImportResults: defineRoute({
    operationId: 'getImportResults',
    method: 'GET',
    mount: 'versioned',
    path: '/data/import/jobs/:jobId/results',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId/results' }],
    params: JobParams,
    query: z.object({
      limit: QueryInteger.optional(),
      cursor: z.string().optional(),
      only: z
        .enum(['failed', 'created', 'updated', 'skipped', 'kept'])
        .optional()
        .meta({ description: 'Rows of one outcome; `kept` are those that undo left as they are.' }),
    }),
    response: z.object({
      jobId: z.string(),
      results: z.array(ImportRowResult),
      nextCursor: z.string().optional(),
      hasMore: z.boolean(),
    }),
    permission: { system: 'import_data' },
    rateLimit: 'read',
    errors: [],
    channel: 'import',
    summary: 'Read what became of the rows of a job, in their order.',
    tag: 'import',
  }),
  cancelImportJob: defineRoute({
    ...jobAction,
    operationId: 'cancelImportJob',
    path: '/data/import/jobs/:jobId/cancel',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId/cancel' }],
    summary: 'Stop a job; the rows it has written stay.',
  }),
  pauseImportJob: defineRoute({
    ...jobAction,
    operationId: 'pauseImportJob',
    path: '/data/import/jobs/:jobId/pause',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId/pause' }],
    summary: 'Let a job wait until it is resumed.',
  }),
  resumeImportJob: defineRoute({
    ...jobAction,
    operationId: 'resumeImportJob',
    path: '/data/import/jobs/:jobId/resume',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId/resume' }],
    summary: 'Let a paused job go on where it stopped.',
  }),
  undoImportJob: defineRoute({
    ...jobAction,
    operationId: 'undoImportJob',
    path: '/data/import/jobs/:jobId/undo',
    aliases: [{ mount: 'api', path: '/data/import/jobs/:jobId/undo' }],
    summary: 'Purge the records a job created and give updated ones their earlier values where nobody changed them.',
  }),
  exportRecords: defineRoute({
    operationId: 'exportRecords',
    method: 'GET',
    mount: 'versioned',
    path: '/data/:object/export',
    aliases: [{ mount: 'api', path: '/data/:object/export' }],
    params: ObjectParams,
    apiMethods: [['export']],
    query: ListQuery.meta({
      description:
        'format (csv, json, ndjson, xlsx), cells (values, labels), delimiter, bom, header; other names are field conditions.',
    }),
    response: z.unknown(),
    responseKind: 'bytes',
    produces: [
      'text/csv',
      'application/json',
      'application/x-ndjson',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    ],
    permission: { system: 'export_data' },
    rateLimit: 'heavy',
    errors: ['invalid_query', 'method_not_allowed'],
    timeoutMs: 600_000,
    keepsCredential: true,
    channel: 'export',
    sends: ['Content-Disposition'],
    summary: 'Download the records of an object as CSV, JSON, NDJSON or XLSX.',
    tag: 'import',
  }),
})

/** Re-exported for clients that read the errors of rows. */
export type ImportRowError = z.output<typeof RowError>
