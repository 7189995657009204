// The scripts plugin: functions and hooks of people, run in an isolated process with the rights of the actor.
import { scriptRoutes } from '#shared/contracts/scripts.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { scriptErrors } from './errors.ts'
import { scriptHandlers } from './routes.ts'
import { createScriptsService } from './service.ts'
import { createHookList } from './service/hook-list.ts'
import { createRecordHooks } from './service/record-hooks.ts'
import { createScriptPool } from './service/script-pool.ts'

/** Functions and hooks (D-98, D-99). */
export const scriptsPlugin = definePlugin({
  id: 'scripts',
  version: '1.0.0',
  requires: ['data', 'metadata', 'permissions', 'settings'],
  discovery: { service: 'scripts' },
  contract: scriptRoutes,
  errors: scriptErrors,
  register(host) {
    const data = host.service('data')
    const metadata = host.service('metadata')
    const settings = host.service('settings')
    const pool = createScriptPool(host.spawn)
    const service = createScriptsService({ pool, data, metadata })
    data.setHooks(
      createRecordHooks({
        hooks: createHookList(metadata),
        functionSource(name) {
          const source = metadata.get('function', name)?.item['source']
          return typeof source === 'string' ? source : undefined
        },
        run: service.run,
        log: host.log,
        now: () => host.clock.now(),
        timeZone: () => settings.get('timezone'),
      }),
    )
    host.provide('scripts', service)
    host.handle(scriptRoutes, scriptHandlers(service))
    host.dispose(() => pool.close())
  },
})
