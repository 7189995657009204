// Owns reading backups and what the restore of one would change.
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** A backup. */
export type Backup = CallResult<'listBackups'>['backups'][number]

/** What a restore would change. */
export type BackupChanges = CallResult<'getBackupChanges'>

/** The backups, newest first; asked often while one is being made. */
export const backupsQuery = (isMaking: boolean) =>
  queryOptions({
    queryKey: ['workspace-backups'] as const,
    queryFn: async ({ signal }) => call('listBackups', { signal }),
    staleTime: 0,
    refetchInterval: ({ state }) => (isMaking || state.data?.running ? 400 : false),
  })

/** What the restore of a backup would change. */
export const changesQuery = (id: string) =>
  queryOptions({
    queryKey: ['workspace-backups', id, 'changes'] as const,
    queryFn: async ({ signal }) => call('getBackupChanges', { params: { id }, signal }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
