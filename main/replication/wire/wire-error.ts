// The one error that reading and writing of the wire formats raises. Knows no format.

/** What is wrong with the bytes, or with what was to become bytes. */
export type WireErrorCode =
  /** They end before what they announce. */
  | 'truncated'
  /** They go on after their end. */
  | 'trailing'
  /** A length or a number is above its limit. */
  | 'too_large'
  /** They cannot be what they say they are. */
  | 'malformed'
  /** They are of a version this code does not know. */
  | 'unsupported'

/** Raised instead of any other error by everything in this folder. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: WireErrorCode

  constructor(code: WireErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
