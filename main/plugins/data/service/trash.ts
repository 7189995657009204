// Tells what is in the trash, object by object, as far as the caller may bring it back (D-311).
import type { z } from 'zod'
import type { trashRoutes } from '#shared/contracts/trash.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'
import type { SettingsService } from '#main/plugins/settings/api.ts'
import type { DataService } from '../api.ts'
import { retentionOf } from './trash-retention.ts'

/** What the overview works with. */
export interface TrashParts {
  readonly data: Pick<DataService, 'find'>
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
  readonly settings: Pick<SettingsService, 'get'>
  readonly authorizer: () => Authorizer
}

/** Makes the overview. */
export function createTrash(parts: TrashParts) {
  const { data, metadata, settings, authorizer } = parts
  return async (ctx: RequestContext): Promise<z.output<typeof trashRoutes.getTrash.response>> => {
    requireOpenRecords(authorizer(), ctx)
    const objects = []
    for (const schema of metadata.objectSchemas()) {
      const { apiEnabled, apiMethods } = schema.enable
      const isOffered = apiEnabled && (apiMethods?.includes('list') ?? true)
      const mayRestore = authorizer().canObject(ctx, schema.name, 'restore')
      if (schema.abstract || !isOffered || !mayRestore) continue
      const asked = { deleted: 'only', select: 'id,deleted_at', sort: 'deleted_at', top: 1, count: true }
      const page = await data.find(ctx, schema.name, asked)
      const oldest = page.records[0]
      if (oldest === undefined) continue
      objects.push({
        object: schema.name,
        total: page.total!,
        oldestAt: oldest['deleted_at'] as string,
        retentionDays: retentionOf(schema, settings),
      })
    }
    return { retentionDays: settings.get('trashRetentionDays'), objects }
  }
}
