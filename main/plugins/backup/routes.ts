// Translates backup requests into service calls. Nothing else.
import { constants, createReadStream, openSync } from 'node:fs'
import type { backupRoutes } from '#shared/contracts/backup.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import { ByteStream, Reply } from '#main/kernel/reply.ts'
import type { BackupService } from './api.ts'

/** The handlers of the backup routes. */
export function backupHandlers(service: BackupService): Handlers<typeof backupRoutes> {
  return {
    listBackups: () => ({ backups: service.list() }),
    createBackup: (_ctx, { body }) => service.create('manual', body?.note),
    downloadBackup(_ctx, { params }) {
      const file = service.databaseFile(params.id)
      const descriptor = openSync(file.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
      const stream = createReadStream('', { fd: descriptor })
      return new Reply(new ByteStream(stream, 'application/vnd.sqlite3'), {
        headers: {
          'content-length': String(file.sizeBytes),
          'content-disposition': `attachment; filename="${file.fileName}"`,
        },
      })
    },
    async verifyBackup(_ctx, { params }) {
      const { id, verified, problems } = await service.verify(params.id)
      return { id, verified, problems: [...problems] }
    },
    async restoreBackup(_ctx, { params, body }) {
      await service.restore(params.id, body.confirm)
      return { id: params.id, restarting: true as const }
    },
    async deleteBackup(_ctx, { params }) {
      await service.remove(params.id)
      return { id: params.id, success: true as const }
    },
  }
}
