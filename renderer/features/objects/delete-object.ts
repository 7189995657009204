// Owns deleting an object for good, with its records, and forgetting what the cache knows of it.
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { refreshObjects } from './object-queries.ts'

/** Deletes an object whatever the plan destroys: the caller has asked. @throws ApiError delete_restricted */
export async function deleteObject(client: QueryClient, name: string): Promise<void> {
  await call('deleteMetadataItem', { params: { type: 'object', name }, query: { confirm: 'true' } })
  client.removeQueries({ queryKey: ['objects', name] })
  client.removeQueries({ queryKey: ['record-count', name] })
  await refreshObjects(client)
}
