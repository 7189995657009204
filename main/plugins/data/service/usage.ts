// Adds up what objects take of the database, and what each capability keeps beside them (D-312).
import type { z } from 'zod'
import type { usageRoutes } from '#shared/contracts/usage.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { HeavyReads, Reads } from '#main/kernel/database.ts'
import { hasTable } from '#main/database/query/object-rows.ts'
import { readFileSize, selectRowCounts, selectTableSizes } from '#main/database/query/table-sizes.ts'
import type { MetadataService } from '#main/plugins/metadata/api.ts'

/** What the account works with. */
export interface UsageParts {
  readonly read: Reads
  readonly heavy: HeavyReads
  readonly dataFolder: string
  readonly metadata: Pick<MetadataService, 'objectSchemas'>
}

const timeoutMs = 25_000

/** Makes the account. @throws timeout for a file that is too large to be read in time */
export function createUsage({ read, heavy, metadata, dataFolder }: UsageParts) {
  return async ({ signal }: RequestContext): Promise<z.output<typeof usageRoutes.getUsage.response>> => {
    const limits = { timeoutMs, signal }
    const sizes = new Map(
      (await heavy.query(selectTableSizes(), limits)).map(({ table, bytes }) => [table, bytes] as const),
    )
    const objects = []
    for (const schema of metadata.objectSchemas()) {
      if (schema.abstract || !hasTable(read, schema)) continue
      const [counts] = await heavy.query(selectRowCounts(schema.table), limits)
      const sizeBytes = sizes.get(schema.table) ?? 0
      sizes.delete(schema.table)
      objects.push({ object: schema.name, records: counts!.live, deleted: counts!.deleted, sizeBytes })
    }
    const others = new Map<string, number>()
    // Tables of a plugin begin with its id, those of the kernel with an underscore.
    for (const [table, bytes] of sizes) {
      const plugin = table.split('_', 1)[0]! || 'kernel'
      others.set(plugin, (others.get(plugin) ?? 0) + bytes)
    }
    return {
      dataFolder,
      database: readFileSize(read),
      objects,
      others: [...others]
        .map(([plugin, sizeBytes]) => ({ plugin, sizeBytes }))
        .toSorted((a, b) => b.sizeBytes - a.sizeBytes),
    }
  }
}
