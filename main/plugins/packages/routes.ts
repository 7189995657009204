// Handlers of packages: requests to service calls and back.
import type { packageRoutes } from '#shared/contracts/packages.ts'
import { validationError } from '#shared/errors.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { PackageAdministration } from './service.ts'

/** Makes the handlers over a service that is loaded with its first use. */
export function packageHandlers(load: () => Promise<PackageAdministration>): Handlers<typeof packageRoutes> {
  return {
    listPackages: async (ctx, { query }) => (await load()).list(ctx, query),
    createPackage: async (ctx, { body }) => (await load()).install(ctx, body),
    installPackage: async (ctx, { body }) => (await load()).install(ctx, body),
    upgradePackage: async (ctx, { body }) => (await load()).upgrade(ctx, body),
    resolvePackageDependencies: async (_ctx, { body }) => (await load()).resolve(body),
    async uploadPackage(ctx, { body, stream, headers }) {
      const packages = await load()
      if (stream !== undefined) return packages.uploadParts(ctx, stream, headers['content-type'] ?? '')
      if (body !== undefined) return packages.upload(ctx, body)
      throw validationError([{ field: 'artifact', code: 'required', message: 'An archive is needed.' }])
    },
    listAvailablePackages: async ({ locale }) => (await load()).available(locale),
    previewPackage: async (ctx, { body }) => (await load()).preview(ctx, body),
    removePackageSamples: async (ctx, { params }) => (await load()).removeSamples(ctx, params.id),
    async listTrustedKeys() {
      const keys = (await load()).keys.list()
      return { keys, total: keys.length }
    },
    addTrustedKey: async (ctx, { body }) => (await load()).keys.add(ctx, body),
    async revokeTrustedKey(ctx, { params: { keyId } }) {
      return { keyId, success: true, revokedAt: await (await load()).keys.revoke(ctx, keyId) }
    },
    getPackage: async (ctx, { params }) => (await load()).read(ctx, params.id),
    updatePackage: async (ctx, { params, body }) => (await load()).setSettings(ctx, params.id, body.settings),
    async uninstallPackage(ctx, { params, query }) {
      const { keepData = true, force = false, confirm } = query
      return (await load()).uninstall(ctx, params.id, { keepData, force, confirm })
    },
    enablePackage: async (ctx, { params }) => (await load()).enable(ctx, params.id),
    disablePackage: async (ctx, { params }) => (await load()).disable(ctx, params.id),
    rollbackPackage: async (ctx, { params, body }) => (await load()).rollBack(ctx, params.id, body),
    listPackageSnapshots: async (_ctx, { params }) => ({ snapshots: (await load()).snapshots(params.id) }),
    async exportPackage(ctx, { params, query }) {
      const { bytes, fileName } = await (await load()).export(ctx, params.id, query)
      const disposition = `attachment; filename="${fileName}"`
      return new Reply(new ByteStream(bytes, 'application/zip'), { headers: { 'content-disposition': disposition } })
    },
  }
}
