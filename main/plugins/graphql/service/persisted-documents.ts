// Documents that clients name by their hash, each for whoever sent it (D-182). In memory: a client that is told that a
// document is not known sends it again.

/** Documents kept, of all callers, and their characters. */
const maxDocuments = 1_000
const maxCharacters = 4_000_000

/** The documents of one host. */
export interface PersistedDocuments {
  find(userId: string, hash: string): string | undefined
  keep(userId: string, hash: string, text: string): void
}

/** Makes them. */
export function createPersistedDocuments(): PersistedDocuments {
  /** The one that was used last stands at the end. */
  const texts = new Map<string, string>()
  let characters = 0

  const forget = (key: string): void => {
    characters -= texts.get(key)?.length ?? 0
    texts.delete(key)
  }

  const put = (key: string, text: string): void => {
    forget(key)
    texts.set(key, text)
    characters += text.length
  }

  return {
    find(userId, hash) {
      const key = `${userId} ${hash}`
      const text = texts.get(key)
      if (text !== undefined) put(key, text)
      return text
    },
    keep(userId, hash, text) {
      put(`${userId} ${hash}`, text)
      for (const oldest of texts.keys()) {
        if (texts.size <= maxDocuments && characters <= maxCharacters) return
        forget(oldest)
      }
    },
  }
}
