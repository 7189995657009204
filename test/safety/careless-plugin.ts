// A plugin with every mistake the checks look for: a GET that writes, a handler that trusts its body, SQL from text,
// a merge of whatever comes. Twins load it to prove that a check would notice.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '#shared/route.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { statement } from '#main/kernel/database.ts'

const shared = {
  mount: 'versioned',
  response: z.unknown(),
  permission: 'session',
  rateLimit: 'none',
  errors: [],
  channel: 'none',
  summary: 'A mistake.',
  tag: 'careless',
} as const

const routes = defineRoutes({
  touch: defineRoute({ ...shared, operationId: 'touch', method: 'GET', path: '/careless/touch' }),
  trust: defineRoute({ ...shared, operationId: 'trust', method: 'POST', path: '/careless/trust', body: z.unknown() }),
  merge: defineRoute({ ...shared, operationId: 'merge', method: 'POST', path: '/careless/merge', body: z.unknown() }),
  find: defineRoute({
    ...shared,
    operationId: 'find',
    method: 'GET',
    path: '/careless/find',
    query: z.object({ name: z.string() }),
  }),
})

/** The plugin. */
export const carelessPlugin = definePlugin({
  id: 'careless',
  version: '1.0.0',
  contract: routes,
  migrations: [{ number: 1, name: 'table', sql: 'CREATE TABLE careless_row (name TEXT NOT NULL) STRICT' }],
  register(host) {
    host.handle(routes, {
      async touch() {
        await host.write('careless.touch', (tx) =>
          tx.run(statement('INSERT INTO careless_row (name) VALUES (?)', ['x'])),
        )
        return {}
      },
      trust: (_ctx, { body }) => ({ length: (body as { text: { length: number } }).text.length }),
      merge: (_ctx, { body }) => merge({}, body),
      find: (_ctx, { query }) => host.read.all(statement(`SELECT name FROM careless_row WHERE name = '${query.name}'`)),
    })
  },
})

/** Copies members deep without a look at their names. */
function merge(target: Record<string, unknown>, source: unknown): Record<string, unknown> {
  for (const [key, value] of Object.entries((source ?? {}) as Record<string, unknown>)) {
    const isMap = typeof value === 'object' && value !== null
    target[key] = isMap ? merge((target[key] ?? {}) as Record<string, unknown>, value) : value
  }
  return target
}
