// Letters of texts that are edited live, on their way into the log: whoever stores a text says which letters it is made of,
// and whoever records the row takes them in place of what differs. In memory; knows no document.

/** Letters under way with one write. */
export interface Loan {
  /** The letters, as a Yjs update. */
  readonly update: Uint8Array
  /** Whether the document of the text has taken them. Holds once the write is committed. */
  readonly isTaken: boolean
  /** To be called when the write is over. */
  end(): void
}

/** The letters under way on this machine. */
export interface Letters {
  /** Offers letters to the write that a request makes of a text. */
  lend(doc: string, requestId: string, update: Uint8Array): Loan
  /** Takes the letters of a document; undefined for a write that brings none. */
  take(doc: string, requestId: string): Uint8Array | undefined
}

/** Makes an empty one. */
export function createLetters(): Letters {
  const loans = new Map<string, { readonly update: Uint8Array; isTaken: boolean; end(): void }>()
  const keyOf = (doc: string, requestId: string): string => `${requestId} ${doc}`
  return {
    lend(doc, requestId, update) {
      const key = keyOf(doc, requestId)
      const loan = { update, isTaken: false, end: () => void loans.delete(key) }
      loans.set(key, loan)
      return loan
    },
    take(doc, requestId) {
      const loan = loans.get(keyOf(doc, requestId))
      if (loan !== undefined) loan.isTaken = true
      return loan?.update
    },
  }
}
