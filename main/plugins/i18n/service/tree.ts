// Trees of texts: laying one over another, and cutting parts out. Pure.

/** Texts by key, to any depth. */
export type TextTree = Readonly<Record<string, unknown>>

/** `over` on top of `base`; maps merge, everything else replaces. Keys are data and reach no prototype. */
export function layTree(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over === undefined ? base : over
  const members = new Map<string, unknown>(Object.entries(base))
  for (const [key, value] of Object.entries(over)) members.set(key, layTree(members.get(key), value))
  return Object.fromEntries(members)
}

/** Only what the dotted paths name; paths that lead nowhere are left out. */
export function pickPaths(tree: TextTree, paths: readonly string[]): TextTree {
  return paths.reduce<TextTree>((picked, path) => {
    const keys = path.split('.')
    const value = keys.reduce<unknown>((at, key) => (isTree(at) && Object.hasOwn(at, key) ? at[key] : undefined), tree)
    if (value === undefined) return picked
    const branch = keys.reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value)
    return layTree(picked, branch) as TextTree
  }, {})
}

/** Whether the value is a map of texts. */
export function isTree(value: unknown): value is TextTree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
