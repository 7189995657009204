// The packages plugin: applications made of metadata and records, installed, upgraded and taken away as a whole.
import { packageRoutes } from '#shared/contracts/packages.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { packageErrors } from './errors.ts'
import { packageMigrations } from './migrations/index.ts'
import { packagePermissions } from './permissions.ts'
import { packageHandlers } from './routes.ts'
import type { PackageAdministration } from './service.ts'

const shareAfterMs = 5_000

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
    'packages.samples_removed',
    'packages.uploaded',
    'packages.key_trusted',
    'packages.key_revoked',
  ],
  async register(host) {
    if (host.options.restored !== undefined)
      await import('./service/trusted-keys.ts').then(({ keepRevoked }) => keepRevoked(host))
    const { read, write, clock, ids, options } = host
    const [settings, metadata, data] = [host.service('settings'), host.service('metadata'), host.service('data')]
    let loading: Promise<PackageAdministration> | undefined
    // A start needs none of it, and most hosts for days neither.
    const load = (): Promise<PackageAdministration> =>
      (loading ??= import('./service.ts').then(({ createPackageAdministration }) =>
        createPackageAdministration({
          read,
          write,
          clock,
          ids,
          settings,
          metadata,
          data,
          authorizer: () => host.authorizer,
          seal: (text) => host.secrets.seal(text),
          platformVersion: options.version,
          dataDir: options.dataDir,
          shared: options.hub?.files ?? null,
          bundledDir: options.packagesDir,
        }),
      ))
    host.handle(packageRoutes, packageHandlers(load))
    const share = (): Promise<void> =>
      load()
        .then((packages) => packages.share())
        .catch((error: unknown) => host.log.warn({ err: error }, 'Archives of packages lie on this node alone as yet.'))
    host.job('retention', { cron: '17 4 * * *' }, async () => {
      await (await load()).tidy()
      if (options.hub !== null) await share()
    })
    if (options.hub === null) return
    // A node that takes over has more to do at first.
    const timer = setTimeout(() => void share(), shareAfterMs).unref()
    host.dispose(() => clearTimeout(timer))
  },
})
