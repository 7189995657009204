// The hub plugin: how the machines are that keep this workspace, for people and for programs that watch them.
import { hubRoutes } from '#shared/contracts/hub.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { hubHandlers } from './routes.ts'

/** Shows what the host knows of the hub it leads; on a workspace of one machine there is nothing to show (D-370). */
export const hubPlugin = definePlugin({
  id: 'hub',
  version: '1.0.0',
  discovery: { service: 'hub', feature: 'hub' },
  contract: hubRoutes,
  register(host) {
    const { hub, version } = host.options
    host.showFeature(() => hub !== null)
    if (hub === null)
      host.showStatus(() => ({ status: 'unavailable', message: 'This workspace is kept by one machine.' }))
    host.handle(hubRoutes, hubHandlers(hub, version, host.clock))
  },
})
