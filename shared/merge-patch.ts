// JSON Merge Patch (RFC 7396): applies a patch, and works out the patch between two values. Pure; keys are data, so
// `__proto__` and its like become ordinary members and reach no prototype.

type JsonMap = Readonly<Record<string, unknown>>

/**
 * The target changed as the patch says: null removes a member, objects merge, everything else replaces.
 * Neither argument is changed; unchanged parts are shared with the target.
 * @source RFC 7396 section 2
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch
  const members = new Map<string, unknown>(isMap(target) ? Object.entries(target) : [])
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key)
    else members.set(key, applyMergePatch(members.get(key), value))
  }
  // fromEntries defines members instead of assigning them, so no setter of a prototype runs.
  return Object.fromEntries(members)
}

/**
 * The smallest patch that turns `from` into `to`; undefined when they are equal.
 * A null inside `to` cannot be told from a removal (RFC 7396 section 1): such members are left out.
 */
export function mergePatchBetween(from: unknown, to: unknown): unknown {
  if (!isMap(from) || !isMap(to)) return equalJson(from, to) ? undefined : to
  const patch = new Map<string, unknown>()
  for (const [key, value] of Object.entries(to)) {
    if (!Object.hasOwn(from, key)) {
      patch.set(key, value)
      continue
    }
    const inner = mergePatchBetween(from[key], value)
    if (inner !== undefined) patch.set(key, inner)
  }
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) patch.set(key, null)
  return patch.size === 0 ? undefined : Object.fromEntries(patch)
}

function equalJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
