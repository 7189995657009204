// JSON Merge Patch: applies one, and works out the one that leads from a value to another. Pure; knows no item.
// Keys are data: they are read as own properties and defined, never assigned, so that none reaches a prototype.

/** A JSON object. */
type JsonMap = Readonly<Record<string, unknown>>

/**
 * The value after the patch: maps are merged, null removes a key, anything else replaces. Neither argument changes;
 * parts the patch does not touch are shared.
 * @source RFC 7396 section 2
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonMap(patch)) return patch
  const result = new Map<string, unknown>(isJsonMap(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key)
    else result.set(key, applyMergePatch(result.get(key), value))
  }
  return Object.fromEntries(result)
}

/**
 * The patch that leads from one map to another; empty when they are equal but for the order of keys. Null members of
 * `to` cannot be said in a merge patch and count as absent.
 */
export function mergePatchBetween(from: JsonMap, to: JsonMap): Record<string, unknown> {
  const changes: [string, unknown][] = []
  for (const [key, value] of Object.entries(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined
    if (value === null || value === undefined) {
      if (Object.hasOwn(from, key)) changes.push([key, null])
    } else if (isJsonMap(value) && isJsonMap(before)) {
      const inner = mergePatchBetween(before, value)
      if (Object.keys(inner).length > 0) changes.push([key, inner])
    } else if (!isSameJson(before, value)) {
      changes.push([key, isJsonMap(value) ? applyMergePatch({}, value) : value])
    }
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) changes.push([key, null])
  return Object.fromEntries(changes)
}

/** Whether two JSON values say the same; the order of keys does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, index) => isSameJson(value, b[index]))
  }
  if (!isJsonMap(a) || !isJsonMap(b)) return false
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  )
}

/** Whether a value is a JSON object: no array, not null. */
export function isJsonMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
