// Contracts of the hub: how the machines are that keep one workspace (D-370, D-371).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

const HubMachine = z.object({
  node: z.string().meta({ description: 'Name of its process: another one after each start.' }),
  address: z.string(),
  state: z.enum(['leads', 'follows', 'gone']),
  rowsBehind: z.int().meta({ description: 'Rows of the log that its file lacks.' }),
  seenAt: z.iso.datetime(),
})

/** A hub as its leader knows it. */
export const HubStatus = z
  .object({
    node: z.string().meta({ description: 'The process that answers: it leads.' }),
    epoch: z.int(),
    row: z.int().meta({ description: 'The last row of the log that is stored.' }),
    nodes: z.array(HubMachine),
    snapshot: z
      .object({ row: z.int(), madeAt: z.iso.datetime(), isVerified: z.boolean() })
      .nullable()
      .meta({ description: 'The newest copy of the whole file; null before the first.' }),
    restorableFrom: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'The workspace can be had again as it was at any moment since.' }),
    logBytes: z.int(),
    unsafeSettings: z
      .array(z.string())
      .meta({ description: 'Settings by which PostgreSQL can lose what it has acknowledged.' }),
  })
  .meta({ id: 'HubStatus' })

/** A hub as its leader knows it. */
export type HubStatus = z.output<typeof HubStatus>

const shared = {
  method: 'GET',
  permission: { system: 'manage_settings' },
  rateLimit: 'read',
  errors: ['resource_not_found'],
  channel: 'hub',
  tag: 'hub',
} as const

/** The routes of the `hub` plugin. */
export const hubRoutes = defineRoutes({
  getHub: defineRoute({
    ...shared,
    operationId: 'getHub',
    mount: 'versioned',
    path: '/hub',
    response: HubStatus,
    summary: 'Who leads, who follows and how far behind, which copies are kept; 404 on a workspace of one machine.',
  }),
  getMetrics: defineRoute({
    ...shared,
    operationId: 'getMetrics',
    mount: 'root',
    path: '/metrics',
    response: z.string(),
    responseKind: 'bytes',
    produces: ['text/plain'],
    summary: 'The same as figures in the text form of Prometheus.',
  }),
})
