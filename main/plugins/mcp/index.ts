// The mcp plugin: assistants reach the workspace by the Model Context Protocol, with the rights of whoever sent them.
import { mcpRoutes } from '#shared/contracts/mcp.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { mcpHandlers } from './routes.ts'
import { createMcpEndpoint } from './service.ts'
import { createConfirmations } from './service/confirmations.ts'
import { createObjectDescriptions } from './service/object-descriptions.ts'
import { prompts } from './service/prompts.ts'
import { createRecentActs } from './service/recent-acts.ts'
import { createResources } from './service/resources.ts'
import { createToolBox } from './service/tool-box.ts'

/** Tools, resources and prompts for assistants (D-295 to D-298). */
export const mcpPlugin = definePlugin({
  id: 'mcp',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'data'],
  optional: ['feed', 'automation', 'import'],
  discovery: { service: 'mcp', routeKey: 'mcp', route: '/mcp', feature: 'mcp' },
  contract: mcpRoutes,
  emits: ['mcp.acted'],
  register(host) {
    const data = host.service('data')
    const metadata = host.service('metadata')
    const authorizer = () => host.authorizer
    const objects = createObjectDescriptions({ metadata, permissions: host.service('permissions'), authorizer })
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
      async note(ctx, { tool, object, recordId }) {
        const place = { ...(object === undefined ? {} : { object }), ...(recordId === undefined ? {} : { recordId }) }
        await host
          .write('mcp.note', (tx) => tx.emit(ctx, { type: 'mcp.acted', ...place, payload: { tool } }), {
            whenFull: true,
          })
          // What was done is done: the caller is told so.
          .catch((error: unknown) => host.log.error({ err: error, tool }, 'A call of a tool could not be noted.'))
      },
    })
    const acts = createRecentActs(() => host.clock.now())
    const resources = createResources({ objects, data, metadata })
    host.handle(
      mcpRoutes,
      mcpHandlers(
        createMcpEndpoint({
          tools,
          resources,
          prompts,
          acts,
          authorizer,
          log: host.log,
          version: host.options.version,
        }),
        acts,
      ),
    )
  },
})
