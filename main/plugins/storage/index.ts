// The storage plugin: files of people and of records, their bytes on disk, and the addresses under which they travel.
import { storageRoutes } from '#shared/contracts/storage.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { diskFullError } from '#main/kernel/disk-full.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import type { StorageService } from './api.ts'
import { storageErrors } from './errors.ts'
import { storageMigrations } from './migrations/index.ts'
import { storageHandlers } from './routes.ts'
import { createFileAdministration } from './service.ts'
import { createByteStore } from './service/byte-store.ts'
import { createChunkedUploads } from './service/chunked-uploads.ts'
import { createArrivals } from './service/arrivals.ts'
import { createDownloads } from './service/downloads.ts'
import { createElsewhere } from './service/elsewhere.ts'
import { createFileAccess } from './service/file-access.ts'
import { createFiles } from './service/files.ts'
import { createForgetFile } from './service/forget-file.ts'
import { keepsBytes } from './service/kept-bytes-store.ts'
import { createPartialFiles } from './service/partial-files.ts'
import { createFileReferences } from './service/references.ts'
import type { Lender } from './service/lenders.ts'
import { contextOfLender, lenderOf } from './service/lenders.ts'
import { createSignedTokens, openSigningKey } from './service/signed-tokens.ts'
import { createTravellingFiles } from './service/travelling.ts'
import { createTypeRules } from './service/type-rules.ts'
import { createUpkeep } from './service/upkeep.ts'
import { createUploads } from './service/uploads.ts'
import { namesBytes, readFile } from './store.ts'

/** Keeps files (D-184 to D-189). */
export const storagePlugin = definePlugin({
  id: 'storage',
  version: '1.0.0',
  requires: ['settings', 'metadata', 'permissions', 'data'],
  optional: ['auth', 'feed'],
  discovery: {
    service: 'file-storage',
    routeKey: 'storage',
    route: '/storage',
    feature: 'files',
    capabilities: ['chunkedUpload'],
  },
  contract: storageRoutes,
  errors: storageErrors,
  migrations: storageMigrations,
  emits: ['file.uploaded', 'file.deleted', 'storage.rules_changed'],
  async register(host) {
    const { read, write, clock, ids, log, options } = host
    const settings = host.service('settings')
    const data = host.service('data')
    const permissions = host.service('permissions')
    const auth = host.optionalService('auth')
    const publicDownloads = (): boolean => settings.get('storage.publicDownloads')
    const requireRoom = (): void => {
      if (host.database.health() === 'disk_full') throw diskFullError()
    }
    const bytes = createByteStore({
      dataDir: options.dataDir,
      uniqueName: () => ids.uuid(),
      isNamed: (sha256) => namesBytes(read, sha256) || keepsBytes(read, sha256),
      requireRoom,
      onError: (error) => log.error({ err: error }, 'Bytes of a deleted file could not be removed.'),
    })
    const partials = createPartialFiles(options.dataDir, requireRoom)
    const references = createFileReferences({
      write,
      metadata: host.service('metadata'),
      data,
      feed: host.optionalService('feed'),
      log,
    })
    const access = createFileAccess({
      authorizer: () => host.authorizer,
      isAdministrator: (ctx) => permissions.isAdministrator(ctx),
      hasOrganizations: () => auth()?.hasOrganizations === true,
      publicDownloads,
      references,
    })
    const rules = createTypeRules({ read, write })
    const elsewhere = createElsewhere()
    const files = createFiles({
      access,
      rules,
      clock,
      ids,
      quotaBytes: () => settings.get('storage.quotaBytes'),
      urlOf: (path) => `${options.baseUrl()}${options.prefix}/storage${path}`,
      elsewhere,
    })
    const tokens = createSignedTokens(await openSigningKey({ read, write, secrets: host.secrets }), clock)
    const forgetFile = createForgetFile({ clock, bytes, elsewhere })
    const parts = {
      read,
      write,
      clock,
      ids,
      bytes,
      partials,
      files,
      access,
      references,
      tokens,
      lenderOf: (ctx: RequestContext) => lenderOf(ctx, auth()),
      lenderNow: (by: Lender) => contextOfLender(by, { auth, permissionEpoch: () => host.permissionEpoch() }),
      publicDownloads,
      elsewhere,
      forgetFile,
    }
    const attachable: StorageService['attachable'] = (from, ctx, fileId) => {
      const file = readFile(from, fileId)
      if ((file?.status !== 'ready' && file?.status !== 'away') || !access.mayRead(from, ctx, file)) return undefined
      return { fileId: file.id, name: file.name, mimeType: file.mime_type, size: file.size }
    }
    const arrivals = createArrivals({ read, write, bytes, files, dataDir: options.dataDir })
    const service: StorageService = {
      attachable,
      whileKept: bytes.whileKept,
      ...createTravellingFiles({ read, bytes, files, access, references, forgetFile }),
      onMissing: references.onMissing,
      arrival: arrivals.begin,
      setPeers: elsewhere.setPeers,
    }
    data.setFiles({ attachable })
    host.provide('storage', service)
    host.handle(
      storageRoutes,
      storageHandlers({
        read: host.read,
        files,
        rules,
        tokens,
        administration: createFileAdministration(parts),
        uploads: createUploads(parts),
        chunked: createChunkedUploads(parts),
        downloads: createDownloads(parts),
      }),
    )
    for (const type of ['record.created', 'record.updated', 'record.restored'] as const)
      host.on(type, references.recordWritten)
    host.on('record.purged', references.recordPurged)
    for (const type of ['feed.item.created', 'feed.item.updated'] as const) host.on(type, references.itemWritten)
    host.on('feed.item.deleted', references.itemDeleted)
    host.on('schema.backup_expired', references.objectExpired)
    const upkeep = createUpkeep({ read, write, clock, log, bytes, partials })
    host.dispose(upkeep.stop)
    host.job('sweep', { everySeconds: 3600 }, async (signal) => {
      await upkeep.sweep(signal)
      await arrivals.sweep()
    })
    await upkeep.start()
  },
})
