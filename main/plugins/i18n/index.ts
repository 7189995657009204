// The i18n plugin: languages of the workspace and the texts in each of them.
import { i18nRoutes } from '#shared/contracts/i18n.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { i18nHandlers } from './routes.ts'
import { createI18nService } from './service.ts'

/** Locales, translations and labels (D-180). */
export const i18nPlugin = definePlugin({
  id: 'i18n',
  version: '1.0.0',
  requires: ['metadata', 'permissions', 'settings'],
  discovery: { service: 'i18n', routeKey: 'i18n', route: '/i18n', feature: 'i18n' },
  contract: i18nRoutes,
  register(host) {
    const metadata = host.service('metadata')
    const service = createI18nService({
      metadata,
      settings: host.service('settings'),
      authorizer: () => host.authorizer,
    })
    host.provide('i18n', service)
    host.handle(i18nRoutes, i18nHandlers(service, metadata))
  },
})
