// Owns deciding conflicts: the call, the message with Undo, and the step that Ctrl+Z takes back.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { undoAndTell } from '../../lib/undo-told.ts'
import type { Conflict, Decision, ManyChoice } from './conflict-queries.ts'
import { decideAgain, rememberDecision } from './decision-step.ts'
import type { DecisionStep } from './decision-step.ts'

/** Deciding. */
export interface Decisions {
  /** Ids of conflicts whose decision is under way. */
  readonly busy: ReadonlySet<string>
  /** Resolves with whether it was done; a failure is shown. */
  decide(conflict: Conflict, decision: Decision, label: string): Promise<boolean>
  decideMany(conflicts: readonly Conflict[], choice: ManyChoice): Promise<void>
  reopen(ids: readonly string[]): Promise<void>
}

const none: ReadonlySet<string> = new Set()

/** What is said of a choice that cannot be undone; undefined for the others. */
function refusedToast({ kind, winner, item }: Conflict, { choice }: Decision): string | undefined {
  if (kind !== 'refused' || choice === 'keep') return undefined
  if (choice === 'retry') return t('conflicts.refused.askedToast', { device: winner.device.name })
  return t(winner.value === null && item === undefined ? 'conflicts.refused.removed' : 'conflicts.refused.takenBack')
}

/** Deciding conflicts from one place of the screen. */
export function useDecisions(): Decisions {
  const client = useQueryClient()
  const [busy, setBusy] = useState(none)

  const refresh = useCallback(
    async (conflicts: readonly Pick<Conflict, 'object'>[]): Promise<void> => {
      await client.invalidateQueries({ queryKey: ['sync'] })
      for (const object of new Set(conflicts.map(({ object: name }) => name)))
        await client.invalidateQueries({ queryKey: ['record', object] })
    },
    [client],
  )
  const during = async (ids: readonly string[], work: () => Promise<void>): Promise<boolean> => {
    setBusy((before) => new Set([...before, ...ids]))
    try {
      await work()
      return true
    } catch (error) {
      showProblem(error)
      return false
    } finally {
      setBusy((before) => new Set([...before].filter((id) => !ids.includes(id))))
    }
  }
  /** Tells what was done, and lets it be taken back from the message and by the key. */
  const offerUndo = (message: string, conflicts: readonly Conflict[], again: DecisionStep['again']): void => {
    const { id } = rememberDecision(message, {
      conflicts: conflicts.map(({ id: conflict, object, sides }) => ({ id: conflict, object, sides })),
      again,
    })
    const action = { label: t('app.undo'), run: () => void undoAndTell(id, t('conflicts.reopened')) }
    showToast({ message, tone: 'good', action })
  }

  return {
    busy,
    decide: async (conflict, decision, label) =>
      during([conflict.id], async () => {
        // What was chosen is one of the sides that are shown, and nothing that came meanwhile.
        const seen = { ...decision, sides: conflict.sides }
        try {
          await call('resolveConflict', { params: { id: conflict.id }, body: seen })
          await refresh([conflict])
        } catch (error) {
          // Somebody was faster: the list shows how it ended.
          await refresh([conflict])
          if (!hasCode(error, 'sync_conflict_not_found')) throw error
          showToast({ message: t('conflicts.gone') })
          return
        }
        const told = refusedToast(conflict, decision)
        if (told === undefined) offerUndo(t('conflicts.decided', { choice: label }), [conflict], { decision: seen })
        else showToast({ message: told, tone: 'good' })
      }),
    async decideMany(conflicts, choice) {
      const ids = conflicts.map(({ id }) => id)
      await during(ids, async () => {
        const done = await decideAgain(conflicts, choice)
        await refresh(conflicts)
        const decided = conflicts.filter(({ id }) => done.has(id))
        const left = conflicts.length - decided.length
        const message = tn('conflicts.decidedMany', decided.length)
        const undoable = decided.filter(({ kind }) => kind !== 'refused')
        if (undoable.length > 0) offerUndo(message, undoable, { choice })
        else if (decided.length > 0) showToast({ message, tone: 'good' })
        if (left > 0) showToast({ message: tn('conflicts.leftOver', left), tone: 'bad' })
      })
    },
    async reopen(ids) {
      await during(ids, async () => {
        for (const id of ids) await call('reopenConflict', { params: { id } })
        await refresh([])
        showToast({ message: t('conflicts.reopened') })
      })
    },
  }
}
