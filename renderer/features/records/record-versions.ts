// Owns knowing which version of a record one's own writes have led to, so that the second of two quick edits is not taken
// for a conflict with the first. Pure.

/** Versions by record; a version is `updated_at` (D-55). */
export interface RecordVersions {
  /** The version to expect: the given one, or what own writes made of it. */
  expected(id: string, version: string): string
  /** Tells that an own write turned one version into another. */
  wrote(id: string, from: string, to: string): void
}

const maxRemembered = 2_000

/** Creates an empty memory; the oldest writes are forgotten first. */
export function createRecordVersions(): RecordVersions {
  const next = new Map<string, string>()
  const keyOf = (id: string, version: string): string => `${id} ${version}`
  return {
    expected(id, version) {
      let current = version
      for (let step = next.get(keyOf(id, current)); step !== undefined; step = next.get(keyOf(id, current)))
        current = step
      return current
    },
    wrote(id, from, to) {
      if (from === to) return
      next.set(keyOf(id, from), to)
      const oldest = next.size > maxRemembered ? next.keys().next().value : undefined
      if (oldest !== undefined) next.delete(oldest)
    },
  }
}

/** The versions own writes in this window have led to. */
export const recordVersions = createRecordVersions()
