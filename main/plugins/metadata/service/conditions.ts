// The conditions a request puts on the present state of an item: If-Match and If-None-Match (D-105).
import { platformError } from '#shared/errors.ts'
import type { MetadataItem } from '../api.ts'
import { matchesVersion } from './etag.ts'

/**
 * Refuses a write whose conditions do not hold.
 * @param etags every ETag under which the caller may have read the item: one per language
 * @throws conflict, CONCURRENT_UPDATE
 */
export function requireConditions(
  input: { readonly ifMatch?: string; readonly ifNoneMatch?: string },
  existing: MetadataItem | null,
  etags: (item: MetadataItem) => readonly string[],
): void {
  if (input.ifNoneMatch?.trim() === '*' && existing !== null) {
    throw platformError('conflict', { reason: 'exists', type: existing.type, name: existing.name })
  }
  const { ifMatch } = input
  if (ifMatch === undefined) return
  if (existing !== null) {
    const { version } = existing
    if (etags(existing).some((etag) => matchesVersion(ifMatch, { etag, version }))) return
  }
  throw platformError('CONCURRENT_UPDATE', {
    currentVersion: existing?.version ?? null,
    currentItem: existing?.item ?? null,
  })
}
