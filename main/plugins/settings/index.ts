// The settings plugin: options of the workspace that may change while the host runs.
import { settingsRoutes } from '#shared/contracts/settings.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { settingsMigrations } from './migrations/index.ts'
import { settingsPermissions } from './permissions.ts'
import { settingsHandlers } from './routes.ts'
import { createSettingsService } from './service.ts'
import { keepShut } from './service/restored-options.ts'

/** Options of the workspace (D-204). */
export const settingsPlugin = definePlugin({
  id: 'settings',
  version: '1.0.0',
  contract: settingsRoutes,
  permissions: settingsPermissions,
  migrations: settingsMigrations,
  emits: ['settings.changed'],
  async register(host: PluginHost) {
    await keepShut(host)
    const { read, write, secrets, clock, log } = host
    const service = createSettingsService({ read, write, secrets, clock, log })
    host.provide('settings', service)
    host.handle(settingsRoutes, settingsHandlers(service))
  },
})
