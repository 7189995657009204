// Conflicts and problems as a part of the plugin: routes, and what follows records. The engine joins when sync is on.
import { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import type { ConflictEngine } from './conflict-parts.ts'
import { conflictHandlers } from './conflict-routes.ts'
import { createConflictService, followRecords } from './conflict-service.ts'
import { createProblemService } from './problem-service.ts'

/** Conflicts of a host. */
export interface Conflicts {
  /** How many open conflicts of a record a caller sees; `object` is its uid. */
  countOpen(ctx: RequestContext, place: { readonly object: string; readonly recordId: string }): number
  /** Begins with an engine when sync is turned on; ends with null when it is turned off. */
  join(engine: ConflictEngine | null): void
}

/**
 * Mounts the routes of conflicts and problems; they answer `sync_disabled` until an engine joins.
 * @param host of a plugin that requires metadata and data, with auth and feed as optional ones
 */
export function registerConflicts(host: PluginHost): Conflicts {
  const { read, write, clock, log } = host
  const auth = host.optionalService('auth')
  const metadata = host.service('metadata')
  let joined: ConflictEngine | null = null
  const parts = {
    read,
    write,
    clock,
    log,
    metadata,
    data: host.service('data'),
    feed: host.optionalService('feed'),
    authorizer: () => host.authorizer,
    userName: (id: string) => auth()?.user(id)?.name,
    engine: () => joined,
    dataDir: host.options.dataDir,
  }
  const service = createConflictService(parts)
  host.handle(syncConflictRoutes, conflictHandlers(service, createProblemService(parts)))
  followRecords(host, metadata, () => joined !== null)
  return {
    countOpen: service.countOpen,
    join(engine) {
      joined = engine
    },
  }
}
