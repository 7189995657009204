// Handlers of the options of the workspace.
import type { settingsRoutes } from '#shared/contracts/settings.ts'
import type { OptionsPatch, WorkspaceOptions } from '#shared/contracts/settings.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { SettingsService } from './api.ts'

/** Binds the routes to the service. */
export function settingsHandlers(service: SettingsService): Handlers<typeof settingsRoutes> {
  return {
    getSettings: () => ({ settings: service.all() }),
    updateSettings: async (ctx, { body }) => {
      const keep = (tx: Tx, settings: WorkspaceOptions): void => ctx.effectKey?.keep?.(tx, { settings })
      return { settings: await service.update(ctx, patchOf(body), keep) }
    },
  }
}

/** The options may come bare or, as they are read, under `settings`. */
function patchOf(body: OptionsPatch | { settings: OptionsPatch }): OptionsPatch {
  return 'settings' in body ? body.settings : body
}
