// The graphql plugin: one endpoint over the objects the caller may read, and its schema as text (D-181, D-182).
import { graphqlRoutes } from '#shared/contracts/graphql.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { graphqlHandlers } from './routes.ts'
import { createGraphqlService } from './service.ts'
import { createSubscriptionSockets } from './service/subscription-socket.ts'
import { createSchemaCache } from './service/schema-cache.ts'

/** Queries and writes records in the language of GraphQL. */
export const graphqlPlugin = definePlugin({
  id: 'graphql',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  optional: ['analytics', 'realtime'],
  discovery: { service: 'graphql', routeKey: 'graphql', route: '/graphql', feature: 'graphql' },
  contract: graphqlRoutes,
  register(host) {
    const data = host.service('data')
    const analytics = host.optionalService('analytics')
    const realtime = host.optionalService('realtime')
    const authorizer = () => host.authorizer
    const schemas = createSchemaCache({
      metadata: host.service('metadata'),
      permissions: host.service('permissions'),
      services: () => ({ data, analytics: analytics(), hasRealtime: realtime() !== undefined }),
    })
    const service = createGraphqlService({ data, schemas, authorizer, log: host.log })
    host.provide('graphql', { sdl: service.sdl })
    host.handle(graphqlRoutes, graphqlHandlers(service))
    host.socket(createSubscriptionSockets({ runner: service, realtime, clock: host.clock, log: host.log }))
  },
})
