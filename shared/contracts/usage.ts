// Contract of what the workspace takes on the disk (D-312). Served by the `data` plugin.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The routes of storage use. */
export const usageRoutes = defineRoutes({
  getUsage: defineRoute({
    operationId: 'getUsage',
    method: 'GET',
    mount: 'versioned',
    path: '/usage',
    response: z
      .object({
        dataFolder: z.string().meta({ description: 'Where all of it is, on the computer of the host.' }),
        database: z.object({
          sizeBytes: z.int(),
          freeBytes: z.int().meta({ description: 'Of these, bytes that new records take first.' }),
        }),
        objects: z.array(
          z.object({
            object: z.string(),
            records: z.int().meta({ description: 'Those in the trash are not among them.' }),
            deleted: z.int().meta({ description: 'Records in the trash.' }),
            sizeBytes: z.int().meta({ description: 'Records and indexes; not their history, search words and files.' }),
          }),
        ),
        others: z
          .array(z.object({ plugin: z.string(), sizeBytes: z.int() }))
          .meta({ description: 'What each capability keeps beside the records, largest first.' }),
      })
      .meta({ id: 'Usage' }),
    permission: { system: 'manage_settings' },
    rateLimit: 'heavy',
    errors: ['timeout'],
    channel: 'settings',
    summary: 'Tell what objects and capabilities take of the database.',
    tag: 'data',
  }),
})
