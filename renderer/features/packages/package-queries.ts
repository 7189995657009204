// Owns reading packages, and the cache keys they live under.
import { queryOptions } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { call } from '../../lib/api-client.ts'
import type { CallResult } from '../../lib/endpoints.ts'

/** An installed package. */
export type InstalledPackage = CallResult<'listPackages'>['packages'][number]

/** An archive that can be installed. */
export type AvailablePackage = CallResult<'listAvailablePackages'>['packages'][number]

/** What a package would add and may do. */
export type PackagePreview = CallResult<'previewPackage'>

/** Where the workspace and a new version changed the same. */
export type MergeConflict = CallResult<'upgradePackage'>['conflicts'][number]

/** What an upgrade did or would do. */
export type Upgrade = CallResult<'upgradePackage'>

/** Archives that can be installed. @throws ApiError permission_denied */
export const availableQuery = queryOptions({
  queryKey: ['packages', 'available'] as const,
  queryFn: async ({ signal }) => (await call('listAvailablePackages', { signal })).packages,
})

/** Installed packages by id. A workspace has a few dozen at most. */
export const installedQuery = queryOptions({
  queryKey: ['packages', 'installed'] as const,
  queryFn: async ({ signal }) => (await call('listPackages', { query: { limit: 100 }, signal })).packages,
})

/** What an archive would add and may do. */
export function previewQuery(artifactRef: string) {
  return queryOptions({
    queryKey: ['packages', 'preview', artifactRef] as const,
    queryFn: async ({ signal }) => call('previewPackage', { body: { artifactRef }, signal }),
    staleTime: 0,
  })
}

/** Snapshots of a package, newest first. */
export function snapshotsQuery(id: string) {
  return queryOptions({
    queryKey: ['packages', 'snapshots', id] as const,
    queryFn: async ({ signal }) => (await call('listPackageSnapshots', { params: { id }, signal })).snapshots,
  })
}

/** What an upgrade would change. */
export function upgradePlanQuery(packageId: string, targetVersion: string) {
  return queryOptions({
    queryKey: ['packages', 'plan', packageId, targetVersion] as const,
    queryFn: async ({ signal }) => call('upgradePackage', { body: { packageId, targetVersion, dryRun: true }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
}

/** Objects, views and records may be other ones after a change of packages: everything is asked for again. */
export async function refreshAfterPackages(client: QueryClient): Promise<void> {
  await client.invalidateQueries()
}
