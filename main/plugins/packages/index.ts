// The packages plugin: applications made of metadata and records, installed, upgraded and taken away as a whole.
import { packageRoutes } from '#shared/contracts/packages.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { packageErrors } from './errors.ts'
import { packageMigrations } from './migrations/index.ts'
import { packagePermissions } from './permissions.ts'
import { packageHandlers } from './routes.ts'
import { createPackageAdministration } from './service.ts'
import { createArtifacts } from './service/artifacts.ts'
import { createTrustedKeys } from './service/trusted-keys.ts'
import { dropExpiredSnapshots } from './store.ts'

/** Packages (D-124 to D-135). */
export const packagesPlugin = definePlugin({
  id: 'packages',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  discovery: { service: 'packages', routeKey: 'packages', route: '/packages', feature: 'packages' },
  contract: packageRoutes,
  errors: packageErrors,
  permissions: packagePermissions,
  migrations: packageMigrations,
  emits: [
    'packages.installed',
    'packages.upgraded',
    'packages.rolled_back',
    'packages.enabled',
    'packages.disabled',
    'packages.uninstalled',
    'packages.settings_changed',
    'packages.uploaded',
    'packages.key_trusted',
    'packages.key_revoked',
  ],
  register(host) {
    const { read, write, clock, ids, options } = host
    const settings = host.service('settings')
    const metadata = host.service('metadata')
    const keys = createTrustedKeys({ read, write, clock })
    const artifacts = createArtifacts({
      dataDir: options.dataDir,
      read,
      write,
      clock,
      ids,
      keys,
      typeOf: metadata.deliveries.typeOf,
      publisherToken: () => settings.openSecret('packages.publisherToken'),
    })
    const packages = createPackageAdministration({
      read,
      write,
      clock,
      ids,
      authorizer: () => host.authorizer,
      metadata,
      data: host.service('data'),
      artifacts,
      keys,
      seal: (text) => host.secrets.seal(text),
      platformVersion: options.version,
      requireSigned: () => settings.get('packages.requireSigned'),
      passing: new Map(),
    })
    host.provide('packages', { get: packages.get })
    host.handle(packageRoutes, packageHandlers(packages, keys))
    host.job('retention', { cron: '17 4 * * *' }, async () => {
      await write('packages.retention', (tx) => dropExpiredSnapshots(tx, clock.iso()))
      await artifacts.tidy()
    })
  },
})
