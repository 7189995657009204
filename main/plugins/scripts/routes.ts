// Handlers of scripts.
import type { scriptRoutes } from '#shared/contracts/scripts.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { ScriptsService } from './api.ts'

/** Binds the routes to the service. */
export function scriptHandlers(service: ScriptsService): Handlers<typeof scriptRoutes> {
  return {
    async runFunction(ctx, { params, body }) {
      const { value, logs, durationMs } = await service.runFunction(ctx, params.name, body?.input ?? null)
      return { function: params.name, result: value, logs: [...logs], durationMs }
    },
  }
}
