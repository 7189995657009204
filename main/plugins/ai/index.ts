// The ai plugin: questions in words, conversations, suggestions and insights over records.
import { aiRoutes } from '#shared/contracts/ai.ts'
import { createOutbound } from '#main/kernel/outbound.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { aiErrors } from './errors.ts'
import { aiMigrations } from './migrations/index.ts'
import { aiPermissions } from './permissions.ts'
import { aiHandlers } from './routes.ts'
import type { AiService } from './api.ts'
import { createProviderConfig, keepProvider } from './service/config.ts'
import { promptNode } from './service/prompt-node.ts'

/** Bytes of a model's answer that are read. */
const maxAnswerBytes = 1_048_576

/** Answers without a model, or with one (D-178, D-179). */
export const aiPlugin = definePlugin({
  id: 'ai',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['automation'],
  discovery: { service: 'ai', routeKey: 'ai', route: '/ai', feature: 'ai' },
  contract: aiRoutes,
  errors: aiErrors,
  permissions: aiPermissions,
  migrations: aiMigrations,
  emits: ['ai.configured'],
  async register(host) {
    await keepProvider(host)
    const settings = host.service('settings')
    const listed = readAllowedHosts(host.options.config('outbound')['allowedHosts'])
    const outbound = createOutbound({
      allowedHosts: () => [...listed, ...settings.get('webhooks.allowedHosts')],
      onDisk: host.database.onDisk,
      maxAnswerBytes,
    })
    const { read, write, secrets, clock, ids } = host
    const config = createProviderConfig({ read, write, secrets, outbound })
    const parts = {
      data: host.service('data'),
      metadata: host.service('metadata'),
      permissions: host.service('permissions'),
      authorizer: () => host.authorizer,
      timeZone: () => settings.get('timezone'),
      read,
      write,
      clock,
      ids,
      outbound,
      config,
    }
    // No start needs it: the words are loaded with the first question.
    let loading: Promise<AiService> | undefined
    const load = (): Promise<AiService> =>
      (loading ??= import('./service.ts').then(({ createAiService }) => createAiService(parts)))
    const service: AiService = {
      config: config.shown,
      setConfig: config.set,
      ask: async (...words) => (await load()).ask(...words),
      chat: async (...words) => (await load()).chat(...words),
      prompt: async (...words) => (await load()).prompt(...words),
      suggest: async (...words) => (await load()).suggest(...words),
      insights: async (...words) => (await load()).insights(...words),
      conversations: async (...words) => (await load()).conversations(...words),
      conversation: async (...words) => (await load()).conversation(...words),
      forget: async (...words) => (await load()).forget(...words),
    }
    host.provide('ai', service)
    host.optionalService('automation')()?.registerNodeType(promptNode(service))
    host.handle(aiRoutes, aiHandlers(service))
    host.showStatus(() =>
      config.shown().provider === 'embedded'
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
