// The views plugin: stored list and form views of objects, shared and personal.
import { viewRoutes } from '#shared/contracts/views.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { viewHandlers } from './routes.ts'
import { createViewsService } from './service.ts'

/** Creates, lists, changes and deletes views (D-115). */
export const viewsPlugin = definePlugin({
  id: 'views',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'settings'],
  discovery: { service: 'views', routeKey: 'views', route: '/ui/views' },
  contract: viewRoutes,
  register(host) {
    const service = createViewsService({
      metadata: host.service('metadata'),
      settings: host.service('settings'),
      clock: host.clock,
      authorizer: () => host.authorizer,
    })
    host.provide('views', service)
    host.handle(viewRoutes, viewHandlers(service))
  },
})
