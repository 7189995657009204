// What an overlay changes, place by place: kept beside the patch so that a later version of the package can be compared
// with what stood there when the overlay was made (D-109). Pure.
import { isJsonMap, isSameJson } from '#shared/merge-patch.ts'
import type { OverlayChange } from '../api.ts'

/**
 * The places a patch changes, as JSON Pointers (RFC 6901). An entry of before that still says the same is kept with its
 * author, its time and the value it found.
 */
export function overlayChanges(
  under: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
  before: readonly OverlayChange[],
  by: { readonly changedBy: string; readonly changedAt: string },
): OverlayChange[] {
  const changes: OverlayChange[] = []
  const walk = (value: unknown, original: unknown, hasOriginal: boolean, path: string): void => {
    if (isJsonMap(value) && isJsonMap(original)) {
      for (const [key, member] of Object.entries(value)) {
        const has = Object.hasOwn(original, key)
        walk(member, has ? original[key] : undefined, has, `${path}/${escapeKey(key)}`)
      }
      return
    }
    if (value === null && !hasOriginal) return
    const kept = before.find((change) => change.path === path && isSameJson(change.currentValue, value))
    changes.push(kept ?? { path, ...(hasOriginal ? { originalValue: original } : {}), currentValue: value, ...by })
  }
  walk(patch, under, true, '')
  return changes
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1')
}
