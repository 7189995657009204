// Handlers of conflicts and problems: request words to service calls.
import type { syncConflictRoutes } from '#shared/contracts/sync-conflicts.ts'
import type { Handlers } from '#main/kernel/plugin.ts'
import type { ConflictService } from './conflict-service.ts'
import type { ProblemService } from './problem-service.ts'

/** Makes the handlers. */
export function conflictHandlers(
  conflicts: ConflictService,
  problems: ProblemService,
): Handlers<typeof syncConflictRoutes> {
  return {
    listConflicts: (ctx, { query }) => conflicts.list(ctx, query),
    getConflict: (ctx, { params }) => conflicts.get(ctx, params.id),
    resolveConflict: (ctx, { params, body }) => conflicts.resolve(ctx, params.id, body),
    resolveConflicts: (ctx, { body }) => conflicts.resolveMany(ctx, body.ids, body.choice),
    reopenConflict: async (ctx, { params }) => ({ conflict: await conflicts.reopen(ctx, params.id) }),
    listSyncProblems: (ctx, { query }) => problems.list(ctx, query),
    async retrySyncProblem(_ctx, { params }) {
      await problems.retry(params.inc, params.seq)
      return { success: true as const }
    },
    async discardSyncProblem(_ctx, { params }) {
      return { success: true as const, file: await problems.discard(params.inc, params.seq) }
    },
  }
}
