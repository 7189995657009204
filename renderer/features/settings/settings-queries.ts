// Owns reading and changing the options of the workspace, and what it takes on the disk.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import { hasCode } from '../../lib/api-error.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** The options of the workspace. */
export type WorkspaceOptions = CallResult<'getSettings'>['settings']

/** The options; null for who may not manage them. */
export const settingsQuery = queryOptions({
  queryKey: ['settings'] as const,
  queryFn: async ({ signal }): Promise<WorkspaceOptions | null> => {
    try {
      return (await call('getSettings', { signal })).settings
    } catch (error) {
      if (hasCode(error, 'permission_denied')) return null
      throw error
    }
  },
})

/** What the workspace takes; `files` and `backups` are undefined where the host has none. */
export const usageQuery = queryOptions({
  queryKey: ['usage'] as const,
  queryFn: async ({ signal }) => {
    const absent = (error: unknown): undefined => {
      if (!hasCode(error, 'resource_not_found', 'permission_denied')) throw error
    }
    const [usage, files, backups] = await Promise.all([
      call('getUsage', { signal }),
      call('getFileUsage', { signal }).catch(absent),
      call('listBackups', { signal }).catch(absent),
    ])
    return { ...usage, files, backups: backups?.backups }
  },
  staleTime: 0,
  retry: false,
})

/** A package that is shipped. */
export interface ShippedPackage {
  readonly name: string
  readonly version: string
  readonly licence: string
  /** Text of its licence; '' where it brings none. */
  readonly text: string
}

/** The packages shipped, as the build wrote them down; null where nothing was built. */
export const packagesQuery = queryOptions({
  queryKey: ['shipped-packages'] as const,
  queryFn: async ({ signal }): Promise<ShippedPackage[] | null> => {
    const answer = await fetch('licences.json', { signal })
    return answer.ok ? ((await answer.json()) as ShippedPackage[]) : null
  },
  staleTime: Infinity,
  retry: false,
})
