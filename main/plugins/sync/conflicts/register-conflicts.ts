// Conflicts and problems as a part of the plugin: routes, and what follows records. The engine joins when sync is on.
import { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { syncError } from '../errors.ts'
import type { ConflictEngine } from './conflict-engine.ts'
import { createConflictService, followRecords } from './conflict-service.ts'
import type { ConflictPlace } from './conflict-store.ts'
import { refusedBy } from './conflict-store.ts'
import { createProblemService } from './problem-service.ts'

/** What conflicts and problems work with. */
export type ConflictParts = ReturnType<typeof partsOf>

function partsOf(host: PluginHost, joined: () => ConflictEngine | null) {
  const auth = host.optionalService('auth')
  return {
    read: host.read,
    write: host.write,
    clock: host.clock,
    data: host.service('data'),
    metadata: host.service('metadata'),
    /** The history of records; absent where the host keeps none. */
    feed: host.optionalService('feed'),
    authorizer: () => host.authorizer,
    /** The name of a user of this machine. */
    userName: (id: string) => auth()?.user(id)?.name,
    /** @throws sync_disabled */
    engine(): ConflictEngine {
      const engine = joined()
      if (engine === null) throw syncError('sync_disabled')
      return engine
    },
    dataDir: host.options.dataDir,
  }
}

/** Conflicts of a host. */
export type Conflicts = ReturnType<typeof registerConflicts>

/**
 * Mounts the routes of conflicts and problems; they answer `sync_disabled` until an engine joins.
 * @param host of a plugin that requires metadata and data, with auth and feed as optional ones
 */
export function registerConflicts(host: PluginHost) {
  let joined: ConflictEngine | null = null
  const parts = partsOf(host, () => joined)
  const conflicts = createConflictService(parts)
  const problems = createProblemService(parts)
  host.handle(syncConflictRoutes, {
    listConflicts: (ctx, { query }) => conflicts.list(ctx, query),
    getConflict: (ctx, { params }) => conflicts.get(ctx, params.id),
    resolveConflict: (ctx, { params, body }) => conflicts.resolve(ctx, params.id, body),
    resolveConflicts: (ctx, { body }) => conflicts.resolveMany(ctx, body),
    reopenConflict: async (ctx, { params }) => ({ conflict: await conflicts.reopen(ctx, params.id) }),
    listSyncProblems: (ctx, { query }) => problems.list(ctx, query),
    async retrySyncProblem(_ctx, { params }) {
      await problems.retry(params.inc, params.seq)
      return { success: true as const }
    },
    async discardSyncProblem(_ctx, { params }) {
      return { success: true as const, file: await problems.discard(params.inc, params.seq) }
    },
  })
  followRecords(host, parts.metadata, () => joined !== null)
  return {
    countOpen: conflicts.countOpen,
    /** Ids of the machines that did not accept a change of a record; `object` is its uid. */
    refusedBy: (place: ConflictPlace): string[] => refusedBy(parts.read, place),
    /** Begins with an engine when sync is turned on; ends with null when it is turned off. */
    join(engine: ConflictEngine | null) {
      joined = engine
    },
  }
}
