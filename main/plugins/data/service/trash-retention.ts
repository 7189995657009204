// Removes records for good that have been in the trash for longer than their object or the workspace keeps them (D-59).
// Knows when, not how: each goes through the purge anybody may ask for.
import { PlatformError } from '#shared/errors.ts'
import type { ObjectSchema } from '#shared/object-schema.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { SyncService } from '#main/plugins/sync/api.ts'
import type { DataService } from '../api.ts'
import type { TrashedRow } from '../store.ts'
import { trashedBefore } from '../store.ts'

/** What the retention works with. */
export interface TrashRetentionParts {
  readonly metadata: Pick<MetadataService, 'objectSchema' | 'objectSchemas'>
  readonly settings: Pick<SettingsService, 'get'>
  readonly data: Pick<DataService, 'remove'>
  readonly sync: () => Pick<SyncService, 'sharedUntil'> | undefined
  readonly read: Reads
  /** See {@link PluginHost.isBusy}. */
  readonly isBusy: () => boolean
  readonly clock: Clock
  readonly log: Logger
}

/** Days after which deleted records of an object are purged; 0 keeps them. */
export function retentionOf(schema: ObjectSchema, settings: Pick<SettingsService, 'get'>): number {
  return schema.definition.trashRetentionDays ?? settings.get('trashRetentionDays')
}

const dayMs = 86_400_000
/** Records that share a transaction; others get in between two slices, and sooner while somebody is waiting. */
const slice = { idle: 100, busy: 10 } as const

/**
 * Makes the run of the retention: purges everything whose time is over, slice by slice. A record that cannot be purged
 * now stays for the next run, and so does one that came back or changed meanwhile.
 */
export function createTrashRetention(parts: TrashRetentionParts): (signal: AbortSignal) => Promise<void> {
  const { metadata, settings, data, read, clock, log } = parts

  /** False for one that stays. */
  const purge = async (object: string, { id, updatedAt }: TrashedRow): Promise<boolean> => {
    try {
      // The version guards what somebody restored since it was listed.
      await data.remove(internalContext('trash-retention'), { object, id, expectedVersion: updatedAt, purge: true })
      return true
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      // It went with another record of the slice, or came back.
      if (error.code !== 'resource_not_found' && error.code !== 'CONCURRENT_UPDATE')
        log.warn({ err: error, object, id }, 'A record stays in the trash beyond its time; it is tried again.')
      return false
    }
  }

  return async (signal) => {
    for (const schema of metadata.objectSchemas()) {
      const days = retentionOf(schema, settings)
      if (schema.abstract || days === 0) continue
      const before = new Date(clock.now() - days * dayMs).toISOString()
      // What another machine deleted counts from when this one heard of it, and stays while one may not know of it (D-413).
      const shared = schema.enable.sync ? ((await parts.sync()?.sharedUntil()) ?? null) : null
      const storedBefore = shared === null || before < shared ? before : shared
      let rows: TrashedRow[] = []
      let gone = 0
      do {
        if (signal.aborted) return
        // An object that is another one by now waits for the next run.
        if (metadata.objectSchema(schema.name) !== schema) break
        const limit = parts.isBusy() ? slice.busy : slice.idle
        const range = { before, ...(shared !== null && { storedBefore }), after: rows.at(-1), limit }
        rows = trashedBefore(read, schema, range)
        const purged = await Promise.all(rows.map((row) => purge(schema.name, row)))
        gone += purged.filter(Boolean).length
      } while (rows.length > 0)
      if (gone > 0) log.info({ object: schema.name, records: gone }, 'Records left the trash for good.')
    }
  }
}
