// Handlers of the routes of schema backups and of running schema changes: request words to service calls and back.
import { notFound } from '#shared/errors.ts'
import type { schemaBackupRoutes } from '#shared/contracts/schema-backups.ts'
import type { Write } from '#main/kernel/database.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SchemaBackup } from './backup-store.ts'
import type { LongChanges } from './long-change.ts'
import type { SchemaBackups } from './restoring.ts'

/** The event of a deleted object or field that was brought back; the item's own event comes before it. */
export const schemaRestoredEvent = 'schema.backup_restored'

/** Makes the handlers. */
export function schemaChangeHandlers(
  backups: SchemaBackups,
  changes: LongChanges,
  metadata: MetadataService,
  write: Write,
): Handlers<typeof schemaBackupRoutes> {
  /** @throws resource_not_found */
  const uidOf = (object: string): string => {
    const item = metadata.get('object', object)
    if (item === undefined) throw notFound('object', object)
    return item.uid
  }
  return {
    listSchemaBackups: (_ctx, { params }) => backups.list(params.name).map(show),
    async restoreSchemaBackup(ctx, { params }) {
      const { backup, version, skipped } = await backups.restore(ctx, params.name, params.id)
      const { object, field, kind } = backup
      await write('data.schema-restored', (tx) =>
        tx.emit(ctx, { type: schemaRestoredEvent, object, payload: { field, kind, version } }),
      )
      const { createdAt: _created, expiresAt: _expires, records: _records, ...shown } = show(backup)
      return { ...shown, version, ...(skipped.length === 0 ? {} : { skipped }) }
    },
    getSchemaChange(_ctx, { params }) {
      const progress = changes.progress(uidOf(params.name))
      if (progress === undefined) return { running: false }
      const { phase, done, total, startedAt } = progress
      return { running: true, phase, done, total, startedAt }
    },
    cancelSchemaChange: (_ctx, { params }) => ({ object: params.name, cancelled: changes.cancel(uidOf(params.name)) }),
  }
}

function show({ id, object, field, kind, records, createdAt, expiresAt }: SchemaBackup) {
  return { id, object, ...(field === null ? {} : { field }), kind, records, createdAt, expiresAt }
}
