// Overlays in the documents of export and import (D-108). Pure.
import { isJsonMap } from '#shared/merge-patch.ts'
import { validationError } from '#shared/errors.ts'
import type { MetadataItem, OverlayRecord } from '../api.ts'
import { findMetadataType } from '../types/type-entries.ts'
import type { ItemCache } from './item-cache.ts'
import type { OverlayInput } from './merge-overlay.ts'
import { withoutUids } from './uids.ts'

/** The overlays of the items: the platform's and those of one user, without ids, authors and uids. */
export function exportedOverlays(
  items: ItemCache,
  chosen: readonly MetadataItem[],
  user: string,
): Record<string, unknown>[] {
  return chosen
    .flatMap(({ type, name }): (OverlayRecord | undefined)[] => [
      items.overlay(type, name, null),
      items.overlay(type, name, user),
    ])
    .filter((overlay) => overlay !== undefined)
    .map(({ baseType, baseName, scope, patch, active }) => ({
      baseType,
      baseName,
      scope,
      active,
      patch: withoutUids(baseType, patch),
    }))
}

/**
 * Entries of a bundle that store exported overlays; those of users become the importing user's own.
 * @throws validation_error naming the entry that is no overlay
 */
export function overlayEntries(overlays: readonly Readonly<Record<string, unknown>>[]): { overlay: OverlayInput }[] {
  return overlays.map((record, index) => {
    const { baseType, baseName, scope = 'platform', patch, active = true } = record
    const type = typeof baseType === 'string' ? findMetadataType(baseType) : undefined
    const refuse = (key: string, value: unknown) =>
      validationError([
        { field: `data.overlays.${index}.${key}`, code: 'invalid_format', message: 'This is no overlay.', value },
      ])
    if (type === undefined) throw refuse('baseType', baseType)
    if (typeof baseName !== 'string') throw refuse('baseName', baseName)
    if (scope !== 'platform' && scope !== 'user') throw refuse('scope', scope)
    if (!isJsonMap(patch)) throw refuse('patch', patch)
    if (typeof active !== 'boolean') throw refuse('active', active)
    return { overlay: { type, name: baseName, scope, patch, active } }
  })
}
