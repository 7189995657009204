// The odata plugin: records of any object for clients of OData 4.01.
import { odataRoutes } from '#shared/contracts/odata.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { ODataService } from './api.ts'
import { odataHandlers } from './routes.ts'

/** Entities over the records of the data service (D-183). */
export const odataPlugin = definePlugin({
  id: 'odata',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  discovery: { service: 'odata', routeKey: 'odata', route: '/odata', feature: 'odata' },
  contract: odataRoutes,
  register(host) {
    const parts = {
      data: host.service('data'),
      metadata: host.service('metadata'),
      permissions: host.service('permissions'),
      authorizer: () => host.authorizer,
      base: () => `${host.options.baseUrl()}${host.options.prefix}/odata`,
    }
    // No start needs it: the parsers are loaded with the first request.
    let loading: Promise<ODataService> | undefined
    const load = (): Promise<ODataService> =>
      (loading ??= import('./service.ts').then(({ createODataService }) => createODataService(parts)))
    const service: ODataService = {
      answer: async (...words) => (await load()).answer(...words),
      metadata: async (...words) => (await load()).metadata(...words),
      batch: async (...words) => (await load()).batch(...words),
    }
    host.provide('odata', service)
    host.handle(odataRoutes, odataHandlers(service))
  },
})
