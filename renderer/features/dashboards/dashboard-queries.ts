// Owns reading dashboards and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import { call, callTagged } from '../../lib/api-client.ts'
import { readDashboard } from './dashboard-item.ts'
import type { Dashboard } from './dashboard-item.ts'

/** Key of all answers about dashboards. */
export const dashboardsKey = ['dashboards'] as const

/** All dashboards, by label; without tiles that the caller may not know. */
export const dashboardsQuery = queryOptions({
  queryKey: [...dashboardsKey, 'all'] as const,
  queryFn: async ({ signal }): Promise<Dashboard[]> => {
    const { items } = await call('listMetadataItems', {
      params: { type: 'dashboard' },
      query: { state: 'active,deprecated' },
      signal,
    })
    return items.map(readDashboard).toSorted((a, b) => a.label.localeCompare(b.label))
  },
})

/** One dashboard with the token of its version. @throws ApiError resource_not_found */
export function dashboardQuery(name: string) {
  return queryOptions({
    queryKey: [...dashboardsKey, 'one', name] as const,
    queryFn: async ({ signal }): Promise<{ dashboard: Dashboard; etag: string | undefined }> => {
      const { result, etag } = await callTagged('getMetadataItem', { params: { type: 'dashboard', name }, signal })
      return { dashboard: readDashboard({ ...result.item, name }), etag }
    },
  })
}

/** Key of the answers that tiles show of an object. */
export function tileKey(object: string) {
  return ['dashboard-tile', object] as const
}
