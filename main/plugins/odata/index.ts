// The odata plugin: records of any object for clients of OData 4.01.
import { odataRoutes } from '#shared/contracts/odata.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { odataHandlers } from './routes.ts'
import { createODataService } from './service.ts'

/** Entities over the records of the data service (D-183). */
export const odataPlugin = definePlugin({
  id: 'odata',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  discovery: { service: 'odata', routeKey: 'odata', route: '/odata', feature: 'odata' },
  contract: odataRoutes,
  register(host) {
    const service = createODataService({
      data: host.service('data'),
      metadata: host.service('metadata'),
      authorizer: () => host.authorizer,
      base: () => `${host.options.baseUrl()}${host.options.prefix}/odata`,
    })
    host.provide('odata', service)
    host.handle(odataRoutes, odataHandlers(service))
  },
})
