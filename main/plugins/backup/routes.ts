// Translates backup requests into service calls. Nothing else.
import { constants, createReadStream, openSync } from 'node:fs'
import type { backupRoutes } from '#shared/contracts/backup.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { BackupService } from './api.ts'

/** What people do with backups; a restore is told by the start that finds it. */
export const backupEvents = ['backup.created', 'backup.downloaded', 'backup.deleted'] as const

/** Raises an event in a write of its own. */
export type Announce = (
  ctx: RequestContext,
  type: (typeof backupEvents)[number],
  payload: { readonly id: string },
) => Promise<void>

/** The handlers of the backup routes. */
export function backupHandlers(service: BackupService, announce: Announce): Handlers<typeof backupRoutes> {
  return {
    listBackups: () => ({ backups: service.list(), running: service.running() }),
    getBackupChanges: (ctx, { params }) => service.changes(params.id, ctx.signal),
    async createBackup(ctx, { body }) {
      const backup = await service.create('manual', body?.note, ctx.signal)
      await announce(ctx, 'backup.created', { id: backup.id })
      return backup
    },
    async downloadBackup(ctx, { params }) {
      const file = service.databaseFile(params.id)
      await announce(ctx, 'backup.downloaded', { id: params.id })
      const descriptor = openSync(file.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
      const stream = createReadStream('', { fd: descriptor })
      return new Reply(new ByteStream(stream, 'application/vnd.sqlite3'), {
        headers: {
          'content-length': String(file.sizeBytes),
          'content-disposition': `attachment; filename="${file.fileName}"`,
        },
      })
    },
    async verifyBackup(ctx, { params }) {
      const { id, verified, problems } = await service.verify(params.id, ctx.signal)
      return { id, verified, problems: [...problems] }
    },
    async restoreBackup(ctx, { params, body }) {
      await service.restore(params.id, body.confirm, ctx.actor, ctx.signal)
      return { id: params.id, restarting: true as const }
    },
    async deleteBackup(ctx, { params }) {
      await service.remove(params.id, ctx.signal)
      await announce(ctx, 'backup.deleted', { id: params.id })
      return { id: params.id, success: true as const }
    },
  }
}
