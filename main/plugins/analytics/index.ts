// The analytics plugin: every object as a cube, and read-only SQL for those who may run it.
import { analyticsRoutes } from '#shared/contracts/analytics.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { readTableNames } from '#main/database/query/object-rows.ts'
import { createSqlProcess } from '#main/database/sql-process.ts'
import { analyticsHandlers } from './routes.ts'
import { createAnalyticsService } from './service.ts'

/** Raw SQL is stopped after this long (D-122). */
const sqlTimeoutMs = 10_000

/** Semantic queries, cubes, restricted SQL (D-116 to D-123). */
export const analyticsPlugin = definePlugin({
  id: 'analytics',
  version: '1.0.0',
  requires: ['data', 'metadata', 'permissions', 'settings'],
  discovery: { service: 'analytics', routeKey: 'analytics', route: '/analytics', feature: 'analytics' },
  contract: analyticsRoutes,
  emits: ['analytics.sql.run'],
  register(host) {
    const run = createSqlProcess({ file: host.database.file, spawn: host.spawn })
    const service = createAnalyticsService({
      data: host.service('data'),
      metadata: host.service('metadata'),
      settings: host.service('settings'),
      clock: host.clock,
      write: host.write,
      authorizer: () => host.authorizer,
      sql: {
        tableNames: () => [...readTableNames(host.read)],
        run: (query, ctx) => run(query, { timeoutMs: sqlTimeoutMs, signal: ctx.signal }),
        elapsed: () => performance.now(),
      },
    })
    host.provide('analytics', service)
    host.handle(analyticsRoutes, analyticsHandlers(service))
  },
})
