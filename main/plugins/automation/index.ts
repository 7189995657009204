// The automation plugin: flows, their runs and schedules.
import { automationRoutes } from '#shared/contracts/automation.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { automationErrors } from './errors.ts'
import { automationMigrations } from './migrations/index.ts'
import { automationHandlers } from './routes.ts'
import { createAutomation } from './service.ts'
import { readSchedules, takeOverRuns } from './service/schedule-store.ts'
import { subscribe } from './subscribers.ts'

/** Runs flows (D-146 to D-162). */
export const automationPlugin = definePlugin({
  id: 'automation',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['auth', 'mail', 'notifications', 'scripts', 'analytics', 'sync'],
  discovery: {
    service: 'automation',
    routeKey: 'automation',
    route: '/automation',
    capabilities: ['automation', 'cron'],
  },
  contract: automationRoutes,
  errors: automationErrors,
  migrations: automationMigrations,
  emits: [
    'flow.run.started',
    'flow.run.paused',
    'flow.run.completed',
    'flow.run.failed',
    'flow.run.cancelled',
    'flow.run.timed_out',
    'flow.switched',
  ],
  async register(host) {
    const settings = host.service('settings')
    // What came due since a backup has had its run when that is put back (D-410).
    const replaced = host.options.restored?.read(readSchedules)
    if (replaced != null) await host.write('automation.take-over', (tx) => takeOverRuns(tx, replaced))
    const core = await createAutomation({
      read: host.read,
      write: host.write,
      clock: host.clock,
      ids: host.ids,
      log: host.log,
      secrets: host.secrets,
      metadata: host.service('metadata'),
      data: host.service('data'),
      permissions: host.service('permissions'),
      auth: host.optionalService('auth'),
      mail: host.optionalService('mail'),
      notifications: host.optionalService('notifications'),
      scripts: host.optionalService('scripts'),
      analytics: host.optionalService('analytics'),
      sync: host.optionalService('sync'),
      authorizer: () => host.authorizer,
      timeZone: () => settings.get('timezone'),
      allowedHosts: readAllowedHosts(host.options.config('outbound')['allowedHosts']),
      onDisk: host.database.onDisk,
    })
    host.provide('automation', core.service)
    host.handle(automationRoutes, automationHandlers(core))
    subscribe(host, core)
    host.consume('flows', core.consumer)
    host.job('runs', { everySeconds: 3600 }, core.tidy)
    // Plugins that bring node types, and the one that knows of other machines, register after this one: what was under way
    // goes on when all of them are there.
    host.onLoaded(() => {
      core.start().catch((error: unknown) => host.log.error({ err: error }, 'Runs of flows were not taken up again.'))
    })
    host.dispose(async () => {
      await core.stop()
    })
  },
})

/** @throws Error when the setting is no list of hosts */
function readAllowedHosts(value: unknown): readonly string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every((host) => typeof host === 'string' && host !== '')
  if (!isList) throw new Error('config.json: outbound.allowedHosts must be a list of names or addresses of hosts.')
  return value as string[]
}
