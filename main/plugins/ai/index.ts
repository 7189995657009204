// The ai plugin: questions in words, conversations, suggestions and insights over records.
import { aiRoutes } from '#shared/contracts/ai.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { aiErrors } from './errors.ts'
import { aiMigrations } from './migrations/index.ts'
import { aiPermissions } from './permissions.ts'
import { aiHandlers } from './routes.ts'
import { createAiService } from './service.ts'

/** Bytes of a model's answer that are read. */
const maxAnswerBytes = 1_048_576

/** Answers without a model, or with one (D-178, D-179). */
export const aiPlugin = definePlugin({
  id: 'ai',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  discovery: { service: 'ai', routeKey: 'ai', route: '/ai', feature: 'ai' },
  contract: aiRoutes,
  errors: aiErrors,
  permissions: aiPermissions,
  migrations: aiMigrations,
  register(host) {
    const settings = host.service('settings')
    const listed = readAllowedHosts(host.options.config('outbound')['allowedHosts'])
    const outbound = createOutbound({
      allowedHosts: () => [...listed, ...settings.get('webhooks.allowedHosts')],
      maxAnswerBytes,
    })
    const service = createAiService({
      data: host.service('data'),
      metadata: host.service('metadata'),
      authorizer: () => host.authorizer,
      timeZone: () => settings.get('timezone'),
      read: host.read,
      write: host.write,
      clock: host.clock,
      ids: host.ids,
      secrets: host.secrets,
      outbound,
    })
    host.provide('ai', service)
    host.handle(aiRoutes, aiHandlers(service))
    host.showStatus(() =>
      service.config().provider === 'embedded'
        ? { status: 'degraded', message: 'No model is configured: the deterministic embedded provider answers.' }
        : { status: 'available' },
    )
  },
})

/** @throws Error when the setting is no list of hosts */
function readAllowedHosts(value: unknown): readonly string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every((host) => typeof host === 'string' && host !== '')
  if (!isList) throw new Error('config.json: outbound.allowedHosts must be a list of names or addresses of hosts.')
  return value as string[]
}
