// Owns adding one record with a way back: the request, the step in the undo list, and telling open views.
import { call } from '../../lib/api-client.ts'
import { tellRecordsChanged } from '../../lib/record-changes.ts'
import { t } from '../../lib/strings.ts'
import { versionOf } from './record-batches.ts'
import { rememberAdded } from './record-steps.ts'

/** Adds a record and answers its id. @throws ApiError */
export async function addRecord(object: string, values: Readonly<Record<string, unknown>>): Promise<string> {
  const { id, record } = await call('createRecord', { params: { object }, body: values })
  rememberAdded(t('records.new.step'), { object, ids: [id], versions: { [id]: versionOf(record) } })
  tellRecordsChanged(object)
  return id
}
