// Contracts of analytics: semantic queries over cubes made from objects, and read-only SQL (specification "Analytics",
// D-116 to D-123), and running reports (D-112).
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

const Row = z.record(z.string(), z.unknown())
const Annotation = z.record(z.string(), z.object({ title: z.string(), type: z.string() }))

/** Answer of an analytic query; the keys of a row are the members as the request spelt them. */
export const AnalyticsAnswer = z
  .object({
    data: z.array(Row),
    annotation: z.object({ measures: Annotation, dimensions: Annotation, timeDimensions: Annotation }),
    query: Row,
    total: z.int().optional(),
    lastRefreshTime: z.string(),
  })
  .meta({ id: 'AnalyticsAnswer' })

/** A measure of a cube. */
export const CubeMeasure = z.object({
  name: z.string(),
  title: z.string(),
  shortTitle: z.string(),
  type: z.string(),
  aggregation: z.string(),
  format: z.string().optional(),
})

/** A dimension of a cube. */
export const CubeDimension = z.object({
  name: z.string(),
  title: z.string(),
  shortTitle: z.string(),
  type: z.enum(['string', 'number', 'boolean', 'geo']),
})

/** A dimension of time. */
export const CubeTimeDimension = z.object({
  name: z.string(),
  title: z.string(),
  shortTitle: z.string(),
  type: z.literal('time'),
  granularities: z.array(z.string()),
})

/** An object as analytics sees it. */
export const Cube = z
  .object({
    name: z.string(),
    title: z.string(),
    description: z.string().optional(),
    public: z.boolean(),
    measures: z.array(CubeMeasure),
    dimensions: z.array(CubeDimension),
    timeDimensions: z.array(CubeTimeDimension),
    joins: z.array(z.object({ name: z.string(), target: z.string(), relationship: z.string() })),
    segments: z.array(z.unknown()),
  })
  .meta({ id: 'Cube' })

/** An object as analytics sees it. */
export type Cube = z.output<typeof Cube>

const SqlAnswer = z.object({
  data: z.array(Row),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rowCount: z.int(),
  truncated: z.boolean(),
  durationMs: z.int(),
})

const SqlExplained = z.object({
  success: z.literal(true),
  data: z.object({ sql: z.string(), params: z.array(z.unknown()) }),
})

const Body = z.record(z.string(), z.unknown())
const shared = { mount: 'versioned', channel: 'analytics', tag: 'analytics' } as const
const asking = { ...shared, method: 'POST', rateLimit: 'heavy', mutates: false, timeoutMs: 30_000 } as const

/** Most records or groups of one run of a report, and as many as there are without `top` (D-199). */
export const maxReportRows = 1_000

/** What a report shows; a column is named by its field or, in a report of groups, by its member. */
export const ReportAnswer = z
  .object({
    report: z.string(),
    columns: z.array(z.object({ name: z.string(), label: z.string(), type: z.string() })),
    records: z.array(Row),
    totals: Row.meta({ description: 'The aggregations over all matching records; their count when there are none.' }),
  })
  .meta({ id: 'ReportAnswer' })

/** What a report shows. */
export type ReportAnswer = z.output<typeof ReportAnswer>

/** The routes of the `analytics` plugin. */
export const analyticsRoutes = defineRoutes({
  queryAnalytics: defineRoute({
    ...asking,
    operationId: 'queryAnalytics',
    path: '/analytics/query',
    body: Body,
    response: AnalyticsAnswer,
    permission: 'session',
    errors: ['invalid_query', 'resource_not_found', 'permission_denied', 'timeout'],
    summary: 'Measures of a cube by its dimensions; CSV with Accept: text/csv.',
  }),
  explainAnalytics: defineRoute({
    ...asking,
    operationId: 'explainAnalytics',
    path: '/analytics/explain',
    body: Body,
    response: z.object({
      sql: z.string(),
      params: z.array(z.unknown()),
      plan: z.array(z.string()),
      cube: z.string(),
    }),
    permission: 'session',
    errors: ['invalid_query', 'resource_not_found', 'permission_denied'],
    summary: 'The statement a query would run; it is not run.',
  }),
  runAnalyticsSql: defineRoute({
    ...asking,
    operationId: 'runAnalyticsSql',
    path: '/analytics/sql',
    body: Body,
    response: z.union([SqlAnswer, SqlExplained]),
    permission: { system: 'run_sql' },
    errors: ['invalid_query', 'resource_not_found', 'timeout'],
    summary: 'One SELECT over a view per object, on a read-only connection in a process of its own.',
  }),
  runReport: defineRoute({
    ...asking,
    operationId: 'runReport',
    path: '/reports/:name/run',
    params: z.object({ name: z.string() }),
    body: z
      .object({ filter: z.unknown().optional(), top: z.int().min(1).max(maxReportRows).default(maxReportRows) })
      .optional(),
    response: ReportAnswer,
    permission: 'session',
    errors: ['invalid_query', 'permission_denied', 'timeout'],
    summary: 'The records or groups of a report with its totals; `filter` narrows it.',
  }),
  listCubes: defineRoute({
    ...shared,
    operationId: 'listCubes',
    method: 'GET',
    path: '/analytics/meta',
    query: z.object({ cube: z.union([z.string(), z.array(z.string())]).optional() }),
    response: z.union([z.array(Cube), Cube]),
    permission: 'session',
    rateLimit: 'heavy',
    errors: ['resource_not_found'],
    summary: 'One cube per readable object.',
  }),
  getCube: defineRoute({
    ...shared,
    operationId: 'getCube',
    method: 'GET',
    path: '/analytics/meta/:cube',
    params: z.object({ cube: z.string() }),
    response: Cube,
    permission: 'session',
    rateLimit: 'heavy',
    errors: [],
    summary: 'One cube.',
  }),
})
