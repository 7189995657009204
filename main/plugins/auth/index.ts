// The auth plugin: accounts, sessions, API keys and every way to sign in.
import { authAdminRoutes } from '#shared/contracts/auth-admin.ts'
import { authOauthRoutes, authProviderRoutes } from '#shared/contracts/auth-oauth.ts'
import { authOrganizationRoutes } from '#shared/contracts/auth-organization.ts'
import { authDeviceRoutes, authTwoFactorRoutes } from '#shared/contracts/auth-two-factor.ts'
import { authAccountRoutes, authMagicLinkRoutes, authRoutes } from '#shared/contracts/auth.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { PluginDefinition } from '#main/kernel/plugin.ts'
import { authErrors } from './errors.ts'
import { authMigrations } from './migrations/index.ts'
import { authPermissions } from './permissions.ts'
import {
  accountHandlers,
  adminHandlers,
  authHandlers,
  deviceHandlers,
  magicLinkHandlers,
  oauthHandlers,
  organizationHandlers,
  providerHandlers,
} from './routes.ts'
import { createAuthParts, createAuthService, createIdentities, ensureOwner, openSecret } from './service.ts'
import { readAuthConfig, takeOidcProviders } from './service/auth-config.ts'
import { forwardAll } from './service/forwarding.ts'
import { withdrawSet } from './service/key-store.ts'
import { followSwitch } from './service/organization-switch.ts'
import { createPasswords } from './service/password.ts'
import type { Passwords } from './service/password.ts'
import { keepAccounts } from './service/restored-accounts.ts'
import { sweepExpired, updateUser } from './store.ts'

const hourSeconds = 3_600

/** Makes the plugin. @param passwords of another cost than the standard one only for throw-away data */
export function createAuthPlugin(passwords: Passwords = createPasswords()): PluginDefinition {
  return definePlugin({
    id: 'auth',
    version: '1.0.0',
    requires: ['settings', 'metadata', 'permissions'],
    optional: ['mail', 'notifications'],
    discovery: { service: 'auth', routeKey: 'auth', route: '/auth' },
    // What is off by default is mounted by its switch and not listed here.
    contract: {
      ...authRoutes,
      ...authAccountRoutes,
      ...authProviderRoutes,
      ...authTwoFactorRoutes,
      ...authDeviceRoutes,
      ...authAdminRoutes,
    },
    errors: authErrors,
    permissions: authPermissions,
    migrations: authMigrations,
    emits: [
      'auth.signed_in',
      'auth.sign_in_failed',
      'auth.signed_out',
      'auth.session_ended',
      'auth.sessions_ended',
      'auth.user_created',
      'auth.user_updated',
      'auth.user_deleted',
      'auth.user_banned',
      'auth.user_unbanned',
      'auth.role_changed',
      'auth.password_changed',
      'auth.password_reset',
      'auth.email_change_requested',
      'auth.email_verified',
      'auth.account_linked',
      'auth.account_unlinked',
      'auth.two_factor_prepared',
      'auth.two_factor_enabled',
      'auth.two_factor_disabled',
      'auth.backup_codes_replaced',
      'auth.impersonation_started',
      'auth.impersonation_ended',
      'auth.key_created',
      'auth.key_revoked',
      'auth.device_approved',
      'auth.device_denied',
      'auth.organization_changed',
      'auth.oauth_client_changed',
      'auth.oauth_consent_given',
      'auth.oauth_consent_refused',
      'auth.oauth_consent_ended',
    ],
    preload: () => import('./service/library.ts').then(({ loadModules }) => loadModules()),
    async register(host) {
      const config = readAuthConfig(host.options.config('auth'), takeOidcProviders(), host.database.file)
      const { plugins } = config
      for (const { providerId, discoveryUrl, userInfoUrl } of config.oidcProviders)
        if (discoveryUrl === undefined && userInfoUrl === undefined)
          host.log.warn(
            { providerId },
            'The tokens of a provider are believed unchecked: it has neither discoveryUrl nor userInfoUrl.',
          )
      const secret = openSecret(host, config)
      await keepAccounts(host)
      await ensureOwner(host, secret)
      await followSwitch(host, host.service('permissions'), plugins.organization)
      const parts = createAuthParts(host, config, secret, passwords)
      host.setIdentities(createIdentities(parts, secret))
      host.provide('auth', createAuthService(parts))
      host.handle(authRoutes, authHandlers(parts, host.options.uiBasePath))
      host.handle(authAccountRoutes, accountHandlers(parts))
      host.handle(authProviderRoutes, providerHandlers(parts))
      if (plugins.twoFactor) host.handle(authTwoFactorRoutes, forwardAll(parts, authTwoFactorRoutes))
      if (plugins.deviceAuthorization) host.handle(authDeviceRoutes, deviceHandlers(parts))
      if (plugins.admin) host.handle(authAdminRoutes, adminHandlers(parts))
      if (plugins.magicLink) host.handle(authMagicLinkRoutes, magicLinkHandlers(parts))
      if (plugins.organization) host.handle(authOrganizationRoutes, organizationHandlers(parts))
      if (plugins.oidcProvider) host.handle(authOauthRoutes, oauthHandlers(parts, host.options))
      // What the library calls a role is the profile, whoever gave it.
      host.on('permissions.assigned', ({ payload }, tx) => {
        const { userId, profile } = payload as { userId: string; profile: string }
        updateUser(tx, userId, { role: profile === 'administrator' ? 'admin' : 'user' }, host.clock.iso())
        tx.afterCommit(parts.changed)
      })
      // A key begins nothing with what has the name of its set later; what a package delivers comes back with it.
      for (const end of ['metadata.item.deleted', 'metadata.item.saved'] as const)
        host.on(end, ({ payload, source }, tx) => {
          const { type, name, packageId } = payload as { type: string; name: string; packageId?: string }
          if (type !== 'permission' || packageId !== undefined) return
          const isNew = source !== 'sync' && host.service('metadata').deliveries.item(type, name) === undefined
          if (end === 'metadata.item.saved' && !isNew) return
          withdrawSet(tx, name)
          tx.afterCommit(parts.changed)
        })
      host.job('sweep', { everySeconds: hourSeconds }, async () => {
        await parts.attempts.sweep()
        await host.write('auth.sweep', (tx) => sweepExpired(tx, host.clock.iso()))
      })
      host.dispose(() => parts.mail.settle())
    },
  })
}

/** Knows who people are: accounts, sessions, keys; signs in with others and, switched on, for others. */
export const authPlugin = createAuthPlugin()
