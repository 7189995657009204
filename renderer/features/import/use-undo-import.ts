// Owns taking an import into an existing object back: deletes exactly the records it added, after asking.
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { call } from '../../lib/api-client.ts'
import { ApiError } from '../../lib/api-error.ts'
import { confirmAction } from '../../lib/confirm.ts'
import { navigate } from '../../lib/hash-location.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t, tn } from '../../lib/strings.ts'
import { showProblem, showToast } from '../../lib/toast.ts'
import { objectPluralLabel, refreshRecordCount } from '../objects/index.ts'
import type { ObjectItem } from '../objects/index.ts'
import type { ImportOutcome } from './run-import.ts'

/** Most records of one deletion. @source D-63 */
const batchSize = 1_000

async function deleteRows(object: string, ids: readonly string[]): Promise<void> {
  for (;;) {
    try {
      await call('deleteManyRecords', {
        params: { object },
        // Rows that failed have no record; the others are deleted all the same.
        body: { ids: [...ids], options: { atomic: false, continueOnError: true } },
      })
      return
    } catch (error) {
      if (!(error instanceof ApiError) || error.httpStatus !== 429) throw error
      await new Promise((resolve) => setTimeout(resolve, (error.retryAfterSeconds ?? 1) * 1000))
    }
  }
}

/** Undo of one import; `rowId` is the one the import used. */
export function useUndoImport(
  object: ObjectItem,
  rowId: (row: number) => string,
): { undo: (outcome: ImportOutcome) => Promise<void>; undoing: boolean } {
  const client = useQueryClient()
  const [undoing, setUndoing] = useState(false)
  const undo = useCallback(
    async (outcome: ImportOutcome): Promise<void> => {
      const label = objectPluralLabel(object)
      const yes = await confirmAction({
        title: t('import.undo.records.title'),
        body: tn('import.undo.records.body', outcome.created, { object: label }),
        confirmLabel: t('import.undo.records.confirm'),
      })
      if (!yes) return
      setUndoing(true)
      try {
        const end = Math.max(outcome.done, outcome.unsureUntil)
        for (let from = 0; from < end; from += batchSize) {
          const rows = Array.from({ length: Math.min(batchSize, end - from) }, (_, index) => rowId(from + index))
          await deleteRows(object.name, rows)
        }
        navigate(`/o/${object.name}`)
        showToast({ message: t('import.report.undone') })
      } catch (error) {
        showProblem(error)
      } finally {
        setUndoing(false)
        await refreshRecordCount(client, object.name)
        tellRecordsChanged(object.name)
      }
    },
    [client, object, rowId],
  )
  return { undo, undoing }
}
