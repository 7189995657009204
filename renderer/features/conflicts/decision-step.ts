// Owns the step of the undo list that decided conflicts: opening them again, and deciding them the same way.
import { call } from '../../lib/api-client.ts'
import { refreshAnswers } from '../../lib/query-client.ts'
import { refreshRecords } from '../../lib/record-changes.ts'
import { defineUndo } from '../../lib/undo.ts'
import type { Conflict, Decision, ManyChoice } from './conflict-queries.ts'

/** Conflicts one request decides. */
const partConflicts = 200

/** Decided conflicts, and how: one by a decision, several by a choice for all. */
export interface DecisionStep {
  conflicts: readonly Pick<Conflict, 'id' | 'object' | 'sides'>[]
  again: { decision: Decision } | { choice: ManyChoice }
}

/** Adds a step of decided conflicts. */
export const rememberDecision = defineUndo<DecisionStep>('conflicts.decision', {
  async undo({ conflicts }) {
    for (const { id } of conflicts) await call('reopenConflict', { params: { id } })
    await refresh(conflicts)
  },
  async redo({ conflicts, again }) {
    if ('choice' in again) await decideAgain(conflicts, again.choice)
    else for (const { id } of conflicts) await call('resolveConflict', { params: { id }, body: again.decision })
    await refresh(conflicts)
  },
})

/**
 * Decides conflicts by a choice for all, part by part, on the sides they are given with; answers those that were decided.
 * @throws ApiError
 */
export async function decideAgain(
  conflicts: readonly Pick<Conflict, 'id' | 'sides'>[],
  choice: ManyChoice,
): Promise<Set<string>> {
  const done = new Set<string>()
  for (let at = 0; at < conflicts.length; at += partConflicts) {
    const part = conflicts.slice(at, at + partConflicts)
    const sides = Object.fromEntries(part.map((one) => [one.id, one.sides]))
    const answer = await call('resolveConflicts', { body: { ids: part.map(({ id }) => id), choice, sides } })
    for (const id of answer.resolved) done.add(id)
  }
  return done
}

async function refresh(conflicts: DecisionStep['conflicts']): Promise<void> {
  await refreshAnswers(['sync'])
  for (const object of new Set(conflicts.map(({ object: name }) => name))) refreshRecords(object)
}
