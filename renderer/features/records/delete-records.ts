// Owns deleting records with a way back: one request for all, a message with Undo, a step in the undo list.
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { undoAndTell } from '../../lib/undo-told.ts'
import { rememberDeleted } from './record-steps.ts'

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

/** Deletes up to 1,000 records of an object and offers to restore them. @returns whether any was deleted */
export async function deleteRecords(object: string, ids: readonly string[]): Promise<boolean> {
  const { done, problem } = await remove(object, ids)
  tellRecordsChanged(object)
  if (done.length === 0) {
    showToast({ message: problem ?? t('problem.internal_error'), tone: 'bad' })
    return false
  }
  const { id } = rememberDeleted(t('records.delete.step', { count: done.length }), { object, ids: done })
  showToast({
    message:
      problem === undefined
        ? tn('records.deleted', done.length)
        : t('records.deletedPartly', { done: done.length, total: ids.length, problem }),
    action: {
      label: t('app.undo'),
      run: () => void undoAndTell(id, tn('records.restored', done.length)),
    },
  })
  return true
}
