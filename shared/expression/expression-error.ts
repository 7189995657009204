// The one error of expressions. Knows no requests: callers say what a failed expression means for them.

/** Why an expression failed: it cannot be read, it met a value it cannot use, or it ran into a limit. */
export type ExpressionFailure = 'syntax' | 'value' | 'limit'

/** An expression that cannot be compiled or evaluated. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
  readonly failure: ExpressionFailure
  /** Offset in the source, zero-based. */
  readonly position: number

  constructor(failure: ExpressionFailure, message: string, position = 0) {
    super(message)
    this.failure = failure
    this.position = position
  }
}
