// Handlers of packages: requests to service calls and back.
import type { packageRoutes } from '#shared/contracts/packages.ts'
import { validationError } from '#shared/errors.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { PackageAdministration } from './service.ts'
import type { TrustedKeys } from './service/trusted-keys.ts'

/** Makes the handlers. */
export function packageHandlers(packages: PackageAdministration, keys: TrustedKeys): Handlers<typeof packageRoutes> {
  return {
    listPackages: (_ctx, { query }) => packages.list(query),
    createPackage: (ctx, { body }) => packages.install(ctx, body),
    installPackage: (ctx, { body }) => packages.install(ctx, body),
    upgradePackage: (ctx, { body }) => packages.upgrade(ctx, body),
    resolvePackageDependencies: (_ctx, { body }) => packages.resolve(body),
    uploadPackage(ctx, { body, stream, headers }) {
      if (stream !== undefined) return packages.uploadParts(ctx, stream, headers['content-type'] ?? '')
      if (body !== undefined) return packages.upload(ctx, body)
      throw validationError([{ field: 'artifact', code: 'required', message: 'An archive is needed.' }])
    },
    listTrustedKeys: () => {
      const list = keys.list()
      return { keys: list, total: list.length }
    },
    addTrustedKey: (ctx, { body }) => keys.add(ctx, body),
    revokeTrustedKey: async (ctx, { params }) => ({
      keyId: params.keyId,
      success: true,
      revokedAt: await keys.revoke(ctx, params.keyId),
    }),
    getPackage: (_ctx, { params }) => packages.read(params.id),
    updatePackage: (ctx, { params, body }) => packages.setSettings(ctx, params.id, body.settings),
    uninstallPackage: (ctx, { params, query }) => {
      const { keepData = true, force = false, confirm } = query
      return packages.uninstall(ctx, params.id, { keepData, force, confirm })
    },
    enablePackage: (ctx, { params }) => packages.enable(ctx, params.id),
    disablePackage: (ctx, { params }) => packages.disable(ctx, params.id),
    rollbackPackage: (ctx, { params, body }) => packages.rollBack(ctx, params.id, body),
    listPackageSnapshots: (_ctx, { params }) => ({ snapshots: packages.snapshots(params.id) }),
    async exportPackage(ctx, { params, query }) {
      const { bytes, fileName } = await packages.export(ctx, params.id, query)
      const disposition = `attachment; filename="${fileName}"`
      return new Reply(new ByteStream(bytes, 'application/zip'), { headers: { 'content-disposition': disposition } })
    },
  }
}
