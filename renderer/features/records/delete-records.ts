// Owns deleting records with a way back: a message with Undo, one step in the undo list for all.
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showToast } from '../../lib/toast.ts'
import { undoAndTell } from '../../lib/undo-told.ts'
import { partRows } from './record-batches.ts'
import { rememberDeleted } from './record-steps.ts'

/** Deletes part by part; what fails ends it, with what was done before. @throws ApiError when nothing was */
async function remove(
  object: string,
  ids: readonly string[],
): Promise<{ done: string[]; problem: string | undefined }> {
  const done: string[] = []
  let problem: string | undefined
  for (let at = 0; at < ids.length; at += partRows) {
    const part = ids.slice(at, at + partRows)
    try {
      const { results } = await call('deleteManyRecords', {
        params: { object },
        body: { ids: part, options: { atomic: false, continueOnError: true } },
      })
      const failed = new Set(results.filter((result) => !result.success).map((result) => part[result.index]))
      const first = results.find((result) => result.errors?.[0])?.errors?.[0]
      problem ??= first && problemText(new ApiError(first))
      done.push(...part.filter((id) => !failed.has(id)))
    } catch (error) {
      if (done.length === 0) throw error
      return { done, problem: problemText(error) }
    }
  }
  return { done, problem }
}

/** Deletes records of an object and offers to restore them. @returns whether any was deleted */
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
