// Documents that clients name by their hash, each for whoever sent it (D-182). In memory: a client that is told that a
// document is not known sends it again.
import { createRecentMap } from '#main/kernel/recent-map.ts'

/** Documents kept, of all callers. */
const maxDocuments = 1_000

/** The documents of one host. */
export interface PersistedDocuments {
  find(userId: string, hash: string): string | undefined
  keep(userId: string, hash: string, text: string): void
}

/** Makes them. */
export function createPersistedDocuments(): PersistedDocuments {
  const texts = createRecentMap<string>(maxDocuments)
  return {
    find: (userId, hash) => texts.get(`${userId} ${hash}`),
    keep: (userId, hash, text) => texts.set(`${userId} ${hash}`, text),
  }
}
