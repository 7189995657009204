// Owns storing a change of how this device takes part in sync.
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallInput } from '../../lib/endpoints.ts'
import { showToast } from '../../lib/toast.ts'
import { settingsQuery, syncKey } from './sync-queries.ts'

/** Stores a change and says so. @throws ApiError */
export function useSettingsChange() {
  const client = useQueryClient()
  return async (body: CallInput<'updateSyncSettings'>['body'], message: string): Promise<void> => {
    client.setQueryData(settingsQuery.queryKey, await call('updateSyncSettings', { body }))
    showToast({ message, tone: 'good' })
    await client.invalidateQueries({ queryKey: syncKey })
  }
}
