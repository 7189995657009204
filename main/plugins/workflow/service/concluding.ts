// Approvals that several machines decided without knowing of each other, so that none of them ended it: the machine of the
// last decision does, once it has heard of all (D-342). What was left undone by a kill is found at the next look.
import type { ApprovalDecision } from '#shared/contracts/workflow.ts'
import { PlatformError } from '#shared/errors.ts'
import type { ApprovalDefinition } from '#shared/rules/approval-definition.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { approversOf, decidedHere } from '../store.ts'
import type { Conclude } from './settling.ts'
import { votesIn } from './settling.ts'
import { verdictOf } from '#shared/rules/approval-verdict.ts'

const most = 1_000

/** Makes the deed: everything that is to be ended here. */
export function createConcluding(parts: {
  readonly read: Reads
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Logger
  readonly conclude: Conclude
}): () => Promise<void> {
  const { read, log, conclude } = parts
  return async () => {
    for (const row of decidedHere(read, most)) {
      const acts = JSON.parse(row.decisions) as ApprovalDecision[]
      const last = acts.findLast(({ decision }) => decision === 'approve' || decision === 'reject')
      // Whoever decided last has the last word of all, and says it alone.
      if (last === undefined || last.timestamp !== row.last_own_at) continue
      const { behavior } = JSON.parse(row.definition) as ApprovalDefinition
      const verdict = verdictOf(behavior, approversOf(read, row.id), votesIn(row))
      if (verdict === null) continue
      try {
        await conclude(internalContext(parts.ids.uuid()), row, verdict)
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        log.warn(
          { err: error, approval: row.id },
          'An approval that was decided on several machines could not be ended.',
        )
      }
    }
  }
}
