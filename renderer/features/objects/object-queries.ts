// Owns reading object definitions and record counts, and the cache keys they live under.
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { call, callTagged } from '../../lib/api-client.ts'
import { displayFieldOf, readObjectItem } from './object-item.ts'
import type { ObjectItem } from './object-item.ts'

/** Asks for all objects with records, by name: no drafts, nothing archived, no extensions of others. @throws ApiError */
export async function readObjects(signal?: AbortSignal): Promise<ObjectItem[]> {
  const { items } = await call('listMetadataItems', {
    params: { type: 'object' },
    query: { state: 'active,deprecated' },
    signal,
  })
  const objects = items.filter((item) => typeof item['extend'] !== 'string')
  return objects.map(readObjectItem).filter((item) => item !== undefined && !item.isSystem) as ObjectItem[]
}

/** What {@link readObjects} answers. */
export const objectsQuery = queryOptions({
  queryKey: ['objects'] as const,
  queryFn: async ({ signal }) => readObjects(signal),
})

/** One object definition. @throws ApiError resource_not_found */
export function objectQuery(name: string) {
  return queryOptions({
    queryKey: ['objects', name] as const,
    queryFn: async ({ signal }): Promise<ObjectItem> => {
      const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'object', name }, signal })
      return { ...(readObjectItem({ ...result.item, name }) ?? { name, fields: {} }), etag }
    },
  })
}

/** How many live records an object has. */
export function recordCountQuery(name: string) {
  return queryOptions({
    queryKey: ['record-count', name] as const,
    queryFn: async ({ signal }): Promise<number> => {
      const answer = await call('listRecords', {
        params: { object: name },
        query: { count: true, top: 1, select: 'id' },
        signal,
      })
      return answer.total ?? answer.records.length
    },
  })
}

/** What some records of an object are called, by id; those that are called nothing are left out. */
export function recordNamesQuery(object: ObjectItem, ids: readonly string[]) {
  const display = displayFieldOf(object)
  return queryOptions({
    queryKey: ['record-names', object.name, display, ids] as const,
    queryFn: async ({ signal }): Promise<Map<string, string>> => {
      if (display === undefined) return new Map()
      const filter = JSON.stringify({ id: { $in: ids } })
      const query = { filter, select: `id,${display}`, top: ids.length }
      const { records } = await call('listRecords', { params: { object: object.name }, query, signal })
      return new Map(
        records.flatMap((record) => (record[display] == null ? [] : [[String(record.id), String(record[display])]])),
      )
    },
    enabled: ids.length > 0,
  })
}

/** What changes of an object put aside; asked anew whenever the list is shown. */
export function backupsQuery(name: string) {
  return queryOptions({
    queryKey: ['schema-backups', name] as const,
    queryFn: async ({ signal }) => call('listSchemaBackups', { params: { name }, signal }),
    staleTime: 0,
  })
}

/** All objects, for navigation and lists. */
export function useObjects() {
  return useQuery(objectsQuery)
}

/** One object. */
export function useObject(name: string) {
  return useQuery(objectQuery(name))
}

/** Makes every view of objects, of one or of all, ask again. */
export async function refreshObjects(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: ['objects'] })
}

/** Makes the count of an object's records be asked again. */
export async function refreshRecordCount(client: QueryClient, name: string): Promise<void> {
  await client.invalidateQueries({ queryKey: ['record-count', name] })
}
