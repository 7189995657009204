// Contract of the import endpoint: rows of a CSV or JSON file into an object (D-68).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'
import { ObjectParams } from './common.ts'

/** How rows become records. */
export const ImportWriteMode = z.enum(['insert', 'update', 'upsert'])

/** The import request with its defaults (D-68). Exactly one of `csv` and `rows` is given. */
export const ImportRequest = z
  .object({
    format: z.enum(['csv', 'json']).optional(),
    csv: z.string().optional(),
    rows: z
      .array(z.unknown())
      .optional()
      .meta({ description: 'Objects: column name to cell. Checked one by one by the service.' }),
    mapping: z
      .record(z.string(), z.string())
      .optional()
      .meta({ description: 'Column to field; unnamed columns map to the field of the same name.' }),
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

/** The routes of the `import` plugin. */
export const importRoutes = defineRoutes({
  importRecords: defineRoute({
    operationId: 'importRecords',
    method: 'POST',
    mount: 'versioned',
    path: '/data/:object/import',
    aliases: [{ mount: 'api', path: '/data/:object/import' }],
    params: ObjectParams,
    query: z.record(z.string(), z.unknown()),
    body: z.union([ImportRequest, z.string()]),
    response: ImportReport,
    permission: { system: 'import_data' },
    rateLimit: 'heavy',
    errors: ['method_not_allowed'],
    consumes: ['text/csv'],
    timeoutMs: 60_000,
    channel: 'import',
    summary: 'Import up to 10,000 rows of CSV or JSON into an object.',
    tag: 'import',
  }),
})
