// What other plugins may ask of analytics. Types only.
import type { Cube, ReportAnswer } from '#shared/contracts/analytics.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { QueryExplanation } from '#main/plugins/data/api.ts'

/** Title and type of one member of an answer. */
export type Annotation = Record<string, { title: string; type: string }>

/** Rows of an analytic query; their keys are the members as the query spells them. */
export interface AnalyticsResult {
  data: Record<string, unknown>[]
  annotation: { measures: Annotation; dimensions: Annotation; timeDimensions: Annotation }
  query: Record<string, unknown>
  /** Number of groups; only when the query asks for it. */
  total?: number
  /** When the data was read, ISO 8601. */
  lastRefreshTime: string
}

/** Rows of a SQL query. */
export interface SqlResult {
  data: Record<string, unknown>[]
  columns: { name: string; type: string }[]
  rowCount: number
  /** True when there were more rows than the limit. */
  truncated: boolean
  durationMs: number
}

/** Semantic queries and restricted SQL, as far as the caller may read. */
export interface AnalyticsService {
  /** @throws invalid_query, resource_not_found, permission_denied, timeout */
  query(ctx: RequestContext, body: Readonly<Record<string, unknown>>): Promise<AnalyticsResult>
  /** @throws invalid_query, resource_not_found, permission_denied */
  explain(ctx: RequestContext, body: Readonly<Record<string, unknown>>): QueryExplanation & { cube: string }
  /** The caller must hold `run_sql`. @throws invalid_query, timeout, permission_denied */
  sql(ctx: RequestContext, input: { sql: string; params?: unknown; limit?: unknown }): Promise<SqlResult>
  /** Runs a report as the caller may see it. @throws resource_not_found, permission_denied, invalid_query, timeout */
  report(ctx: RequestContext, name: string, input: { filter?: unknown; top: number }): Promise<ReportAnswer>
  cubes(ctx: RequestContext): Cube[]
  /** @throws resource_not_found */
  cube(ctx: RequestContext, name: string): Cube
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    analytics: AnalyticsService
  }
}
