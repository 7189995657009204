// A map of limited size that keeps what was asked for lately. Two generations stand in for a list in order of use: a hit
// in the young one writes nothing, and when that is full the old one, not asked for since, is dropped.

/** The map; values are never undefined. */
interface RecentMap<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  clear(): void
  /** Number of values kept; as `entries`, it costs a walk over all of them. */
  size(): number
  entries(): Iterable<[string, Value]>
}

/** Makes a map that keeps at most `capacity` values. */
export function createRecentMap<Value>(capacity: number): RecentMap<Value> {
  const half = Math.max(1, Math.floor(capacity / 2))
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  const set = (key: string, value: Value): void => {
    if (young.size >= half && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }
  const all = (): Map<string, Value> => new Map([...old, ...young])
  return {
    get(key) {
      const hit = young.get(key)
      if (hit !== undefined) return hit
      const before = old.get(key)
      if (before !== undefined) set(key, before)
      return before
    },
    set,
    clear() {
      young = new Map()
      old = new Map()
    },
    size: () => all().size,
    entries: () => all(),
  }
}
