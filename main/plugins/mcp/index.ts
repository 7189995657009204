// The mcp plugin: assistants reach the workspace by the Model Context Protocol, with the rights of whoever sent them.
import { mcpRoutes } from '#shared/contracts/mcp.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { mcpHandlers } from './routes.ts'
import { createMcpEndpoint } from './service.ts'
import { createConfirmations } from './service/confirmations.ts'
import { prompts } from './service/prompts.ts'
import { createResources } from './service/resources.ts'
import { createToolBox } from './service/tool-box.ts'
import { createVisibleObjects } from './service/visible-objects.ts'

/** Tools, resources and prompts for assistants (D-295 to D-298). */
export const mcpPlugin = definePlugin({
  id: 'mcp',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  optional: ['feed', 'automation', 'import'],
  discovery: { service: 'mcp', routeKey: 'mcp', route: '/mcp', feature: 'mcp' },
  contract: mcpRoutes,
  register(host) {
    const data = host.service('data')
    const metadata = host.service('metadata')
    const authorizer = () => host.authorizer
    const objects = createVisibleObjects(metadata, authorizer)
    const confirmations = createConfirmations({ now: () => host.clock.now(), token: () => host.ids.token(32) })
    const tools = createToolBox({
      data,
      metadata,
      objects,
      confirmations,
      authorizer,
      feed: host.optionalService('feed'),
      automation: host.optionalService('automation'),
      transfers: host.optionalService('import'),
    })
    const resources = createResources({ objects, data, metadata })
    host.handle(mcpRoutes, mcpHandlers(createMcpEndpoint({ tools, resources, prompts, authorizer, log: host.log })))
  },
})
