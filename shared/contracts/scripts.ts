// Contract of scripts: running a function item by hand (beyond the specification; D-98, D-99).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The routes of the `scripts` plugin. */
export const scriptRoutes = defineRoutes({
  runFunction: defineRoute({
    operationId: 'runFunction',
    method: 'POST',
    mount: 'versioned',
    path: '/functions/:name/run',
    params: z.object({ name: z.string() }),
    body: z.object({ input: z.unknown() }).optional(),
    response: z
      .object({
        function: z.string(),
        result: z.unknown(),
        logs: z.array(z.string()),
        durationMs: z.int(),
      })
      .meta({ id: 'FunctionRun' }),
    permission: { system: 'manage_metadata' },
    rateLimit: 'heavy',
    errors: ['execution_failed', 'execution_timeout', 'service_unavailable'],
    channel: 'scripts',
    summary: 'Run a function in the sandbox, with the rights of the caller.',
    tag: 'scripts',
  }),
})
