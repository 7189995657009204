// Owns adding one record with a way back: the request, the step in the undo list, and telling open views.
import { call } from '../../lib/api-client.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { pushUndo } from '../../lib/undo.ts'

/** Adds a record and answers its id. @throws ApiError */
export async function addRecord(object: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const { id } = await call('createRecord', { params: { object }, body: values })
  pushUndo({
    label: t('records.new.step'),
    undo: async () => {
      await call('deleteManyRecords', { params: { object }, body: { ids: [id] } })
      tellRecordsChanged(object)
    },
    redo: async () => {
      await call('restoreRecord', { params: { object, id }, body: {} })
      tellRecordsChanged(object)
    },
  })
  tellRecordsChanged(object)
  return id
}
