// Contract of the trash over all objects (D-311). Served by the `data` plugin; its records are lists with `deleted=only`.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The routes of the trash. */
export const trashRoutes = defineRoutes({
  getTrash: defineRoute({
    operationId: 'getTrash',
    method: 'GET',
    mount: 'versioned',
    path: '/trash',
    response: z
      .object({
        retentionDays: z.int().meta({ description: 'What holds where an object says nothing; 0 keeps for ever.' }),
        objects: z
          .array(
            z.object({
              object: z.string(),
              total: z.int(),
              oldestAt: z.string().meta({ description: 'When the record was deleted that is there longest.' }),
              retentionDays: z.int().meta({ description: 'Days until a record is purged; 0 keeps it for ever.' }),
            }),
          )
          .meta({ description: 'Objects with records in the trash that the caller may restore, by name.' }),
      })
      .meta({ id: 'Trash' }),
    permission: 'session',
    rateLimit: 'read',
    errors: ['permission_denied'],
    channel: 'list',
    summary: 'Tell what is in the trash of each object and how long it stays.',
    tag: 'data',
  }),
})
