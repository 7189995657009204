// The registry plugin: one list of every API and endpoint, the host's own and documented foreign ones.
import { consoleRoutes } from '#shared/contracts/console.ts'
import { documentRoutes } from '#shared/contracts/discovery.ts'
import { registryRoutes } from '#shared/contracts/registry.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { registryMigrations } from './migrations/index.ts'
import { registryHandlers } from './routes.ts'
import { createRegistryService } from './service.ts'
import { builtInApis } from './service/built-in-apis.ts'

/** What the host itself mounts beside the plugins. */
const hostRoutes = [
  ...Object.values(documentRoutes).map((contract) => ({ plugin: 'discovery', contract })),
  ...Object.values(consoleRoutes).map((contract) => ({ plugin: 'console', contract })),
]

/** Lists APIs and endpoints for discovery and governance (D-197, D-198). */
export const registryPlugin = definePlugin({
  id: 'registry',
  version: '1.0.0',
  requires: ['settings'],
  discovery: { service: 'registry', routeKey: 'registry', route: '/registry' },
  contract: registryRoutes,
  migrations: registryMigrations,
  emits: ['registry.changed'],
  register(host) {
    const settings = host.service('settings')
    const { read, write, clock, catalogue, options } = host
    const strategy = () => settings.get('registry.conflictResolution')
    const service = createRegistryService({
      read,
      write,
      clock,
      strategy,
      builtIn: () => builtInApis([...catalogue.routes(), ...hostRoutes], options),
    })
    host.provide('registry', service)
    host.handle(registryRoutes, registryHandlers(service, strategy))
  },
})
