// Handlers of analytics: bodies in, rows or CSV out.
import Papa from 'papaparse'
import type { analyticsRoutes } from '#shared/contracts/analytics.ts'
import { maxReportRows } from '#shared/contracts/analytics.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream } from '#main/kernel/reply.ts'
import type { AnalyticsService } from './api.ts'

/** Binds the routes to the service. */
export function analyticsHandlers(service: AnalyticsService): Handlers<typeof analyticsRoutes> {
  return {
    async queryAnalytics(ctx, { body, headers }) {
      const result = await service.query(ctx, body)
      if (!wantsCsv(headers['accept'])) return result
      const { measures, dimensions, timeDimensions } = result.annotation
      return csvOf(result.data, [timeDimensions, dimensions, measures].flatMap(Object.keys))
    },
    explainAnalytics(ctx, { body }) {
      const { sql, params, plan, cube } = service.explain(ctx, body)
      return { sql, params: [...params], plan, cube }
    },
    async runAnalyticsSql(ctx, { body, headers }) {
      const { sql, params, limit } = body
      if (typeof sql !== 'string') {
        // A query of members is explained here too, as older clients ask for it.
        const explained = service.explain(ctx, body)
        return { success: true as const, data: { sql: explained.sql, params: [...explained.params] } }
      }
      const result = await service.sql(ctx, { sql, params, limit })
      return wantsCsv(headers['accept'])
        ? csvOf(
            result.data,
            result.columns.map(({ name }) => name),
          )
        : result
    },
    runReport: (ctx, { params, body }) => service.report(ctx, params.name, body ?? { top: maxReportRows }),
    listCubes(ctx, { query }) {
      const name = Array.isArray(query.cube) ? query.cube.at(-1) : query.cube
      return name === undefined || name === '' ? service.cubes(ctx) : service.cube(ctx, name)
    },
    getCube: (ctx, { params }) => service.cube(ctx, params.cube),
  }
}

function wantsCsv(accept: string | undefined): boolean {
  return accept?.split(',').some((part) => part.trim().startsWith('text/csv')) ?? false
}

/** Cells that a spreadsheet would run as formulas are made plain text (safety row C11). */
function csvOf(rows: readonly Record<string, unknown>[], columns: readonly string[]): ByteStream {
  const cells = rows.map((row) => columns.map((name) => row[name] ?? ''))
  const text = Papa.unparse([[...columns], ...cells], { newline: '\r\n', escapeFormulae: /^[=+\-@\t\r\0]/ as never })
  return new ByteStream(`${text}\r\n`, 'text/csv; charset=utf-8')
}
