// Owns deleting records with a way back: one request for all, a message with Undo, a step in the undo list.
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { dropUndo, pushUndo } from '../../lib/undo.ts'
import type { UndoStep } from '../../lib/undo.ts'

const parallel = 4

async function remove(
  object: string,
  ids: readonly string[],
): Promise<{ done: string[]; problem: string | undefined }> {
  const answer = await call('deleteManyRecords', {
    params: { object },
    body: { ids: [...ids], options: { atomic: false, continueOnError: true } },
  })
  const failed = new Set(answer.results.filter((result) => !result.success).map((result) => ids[result.index]))
  const first = answer.results.find((result) => result.errors?.[0])?.errors?.[0]
  return { done: ids.filter((id) => !failed.has(id)), problem: first ? problemText(new ApiError(first)) : undefined }
}

async function restore(object: string, ids: readonly string[]): Promise<void> {
  const waiting = [...ids]
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await call('restoreRecord', { params: { object, id }, body: {} })
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

/** Deletes up to 1,000 records of an object and offers to restore them. @returns whether any was deleted */
export async function deleteRecords(object: string, ids: readonly string[]): Promise<boolean> {
  const { done, problem } = await remove(object, ids)
  tellRecordsChanged(object)
  if (done.length === 0) {
    showToast({ message: problem ?? t('problem.internal_error'), tone: 'bad' })
    return false
  }
  const step: UndoStep = {
    label: t('records.delete.step', { count: done.length }),
    undo: async () => {
      await restore(object, done).finally(() => tellRecordsChanged(object))
    },
    redo: async () => {
      await remove(object, done)
      tellRecordsChanged(object)
    },
  }
  pushUndo(step)
  showToast({
    message:
      problem === undefined
        ? tn('records.deleted', done.length)
        : t('records.deletedPartly', { done: done.length, total: ids.length, problem }),
    action: {
      label: t('app.undo'),
      run: () => {
        dropUndo(step)
        step.undo().then(() => showToast({ message: tn('records.restored', done.length), tone: 'good' }), showProblem)
      },
    },
  })
  return true
}
