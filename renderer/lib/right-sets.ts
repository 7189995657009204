// Owns reading the items rights are made of: permission sets, profiles and roles, and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import { call, callTagged } from './api-client.ts'

/** Types of items that hold or hand on rights. */
export type RightType = 'permission' | 'profile' | 'role'

/** One item as it is listed; unknown members pass through untouched. */
export interface RightItem {
  name: string
  /** The label, or the name where there is none. */
  label: string
  [key: string]: unknown
}

function readRightItem(item: Readonly<Record<string, unknown>>, name: string): RightItem {
  const { label } = item
  return { ...item, name, label: typeof label === 'string' && label !== '' ? label : name }
}

/** All items of a type, by label. @throws ApiError permission_denied */
export function rightSetsQuery(type: RightType) {
  return queryOptions({
    queryKey: ['right-sets', type] as const,
    queryFn: async ({ signal }): Promise<RightItem[]> => {
      const { items } = await call('listMetadataItems', {
        params: { type },
        query: { state: 'active,deprecated' },
        signal,
      })
      return items
        .map((item) => readRightItem(item, String(item['name'])))
        .toSorted((one, other) => one.label.localeCompare(other.label))
    },
    staleTime: 30_000,
  })
}

/** One item with the version token of what is stored. @throws ApiError resource_not_found */
export function rightSetQuery(type: RightType, name: string) {
  return queryOptions({
    queryKey: ['right-sets', type, name] as const,
    queryFn: async ({ signal }): Promise<{ item: RightItem; etag: string | undefined }> => {
      const { result, etag } = await callTagged('getMetadataItem', { params: { type, name }, signal })
      return { item: readRightItem(result.item, name), etag }
    },
  })
}
