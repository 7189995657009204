// The one error of the documents of sync. Knows what can be wrong with bytes, not where they came from.

/** What is wrong with an update or a stored state. */
export type DocErrorReason =
  /** The bytes are no update, or one that no version of the program writes. */
  | 'invalid'
  /** More bytes, structs or levels than an update may have. */
  | 'too_big'
  /** A stored state cannot be loaded whole. It is never replaced by an empty document. */
  | 'damaged_state'

/** Thrown for bytes that cannot be used; what was stored is untouched. */
export class DocError extends Error {
  readonly reason: DocErrorReason
  /** The name of the stored document that is damaged, where whoever loaded it knew. */
  readonly doc: string | undefined

  constructor(reason: DocErrorReason, message: string, cause?: unknown, doc?: string) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'DocError'
    this.reason = reason
    this.doc = doc
  }
}
