// The ways a step or a run ends early, and what of an error is stored. Pure.
import { PlatformError, baseErrors } from '#shared/errors.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'

/** Why a step failed, as it is stored and shown. */
export interface StepError {
  readonly code: string
  readonly message: string
  readonly nodeId?: string
  readonly reason?: string
  readonly fieldErrors?: unknown
}

/** A node failed and nothing in its graph takes care of it. */
export class NodeFailure extends Error {
  readonly error: StepError
  /** Keys of the steps that failed, the innermost first. */
  readonly keys: readonly string[]

  constructor(error: StepError, keys: readonly string[]) {
    super(error.message)
    this.error = error
    this.keys = keys
  }
}

/** The run waits. */
export class RunPaused extends Error {}

/** The run was ended from outside: nothing it still does may stay. */
export class RunEnded extends Error {}

/** The database took nothing: the run goes on from what is stored, later. */
export class RunInterrupted extends Error {}

/** What of an error may be stored; undefined for one that nobody foresaw, whose cause belongs into the log. */
export function stepErrorOf(error: unknown, nodeId: string): { error: StepError; isForeseen: boolean } {
  if (error instanceof NodeFailure) return { error: error.error, isForeseen: true }
  if (error instanceof ExpressionError)
    return { error: { code: 'expression_error', message: error.message, nodeId }, isForeseen: true }
  if (error instanceof PlatformError) {
    const { reason, fieldErrors } = error.details
    return {
      error: {
        code: error.code,
        message: sentenceOf(error),
        nodeId,
        ...(typeof reason === 'string' ? { reason } : {}),
        ...(fieldErrors === undefined ? {} : { fieldErrors }),
      },
      isForeseen: true,
    }
  }
  return { error: { code: 'internal_error', message: baseErrors.internal_error.message, nodeId }, isForeseen: false }
}

function sentenceOf({ message, details }: PlatformError): string {
  if (typeof details['message'] === 'string') return details['message']
  const [first] = (details['fieldErrors'] as { field: string; message: string }[] | undefined) ?? []
  if (first === undefined) return message
  return first.field === '' ? first.message : `${first.field}: ${first.message}`
}
