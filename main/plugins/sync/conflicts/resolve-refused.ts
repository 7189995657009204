// What can be done about a write that another machine refused: take it back here, have it tried again there, or leave it on
// this machine alone. Knows no request.
import { platformError, validationError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import { parseDocName } from '#main/replication/core/doc-names.ts'
import type { Conflict, Decision, Refused } from './conflict-store.ts'
import { settleConflict } from './conflict-store.ts'
import type { SeenConflict, SeenItem } from './conflict-view.ts'
import { requireItems } from './item-conflicts.ts'
import type { ConflictParts } from './register-conflicts.ts'
import type { CheckSeen } from './resolve-conflict.ts'

type RefusedChoice = 'winner' | 'retry' | 'keep'

/** The ways out of a refusal. Only what the other machine has nothing of can stay here alone. */
export function refusedChoices({ isNew, mayTakeBack }: Refused): RefusedChoice[] {
  return [...(mayTakeBack ? ['winner' as const] : []), 'retry', ...(isNew ? ['keep' as const] : [])]
}

/**
 * Carries a choice out; one that is asked to be tried again stays open.
 * @throws permission_denied, conflict for one that is over, validation_error for a choice that does not fit, and what `check`
 * and the data service throw
 */
export async function decideRefused(
  parts: ConflictParts,
  ctx: RequestContext,
  seen: SeenConflict | SeenItem,
  { choice }: Decision,
  check: CheckSeen,
): Promise<void> {
  const { conflict } = seen
  requireRefusedChoice(conflict, choice)
  const { data, write, clock } = parts
  const { refused } = parts.engine()
  const name = parseDocName(conflict.doc)
  if (name?.kind !== 'refusal') throw platformError('conflict', { reason: 'not_open', state: conflict.state })
  let isRemoved = false
  if ('document' in seen) requireItems(parts, ctx)
  else if (seen.isGone !== true) {
    const place = { object: seen.schema.name, id: conflict.recordId }
    data.requireRecord(ctx, { ...place, action: 'edit', deletedToo: true })
    // What the others have nothing of goes for good: in the trash it could be restored, and would be refused again.
    isRemoved = choice === 'winner' && conflict.winner.refused?.isNew === true
    if (isRemoved) await data.remove(ctx, { ...place, purge: true }, { before: check })
  }
  await write('sync.resolve-refused', (tx) => {
    // A record that is removed for good takes its conflicts along.
    if (!isRemoved) check(tx)
    if (choice === 'retry') refused.ask(tx, name, clock.iso())
    if (choice === 'winner') refused.takeBack(tx, ctx, name)
    if (choice !== 'retry') settleConflict(tx, conflict.id, { choice, by: ctx.actor.id, at: clock.iso() })
  })
  if (choice === 'winner') await refused.settle()
}

/** @throws validation_error for a choice that does not fit */
function requireRefusedChoice({ winner }: Conflict, choice: Decision['choice']): void {
  const choices: readonly string[] = winner.refused === undefined ? [] : refusedChoices(winner.refused)
  if (choices.includes(choice)) return
  const message = `This refusal can be ended by: ${choices.join(', ')}.`
  throw validationError([{ field: 'choice', code: 'invalid_option', message, value: choice }])
}
