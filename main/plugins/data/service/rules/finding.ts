// What a rule says about a record, before anyone decides what it means for the write.
import type { FieldError, FieldErrorCode } from '#shared/errors.ts'
import type { ExpressionScope } from '#shared/expression/compile-expression.ts'
import { ExpressionError } from '#shared/expression/compile-expression.ts'
import type { Transition } from '#shared/rules/state-machine.ts'
import type { PlatformRecord, StateMove } from '../../api.ts'

/** What a rule is asked about. */
export interface RuleInput {
  /** The record as it is about to be; on delete, as it is. */
  readonly record: Readonly<PlatformRecord>
  /** The record as it was; null on insert. */
  readonly previous: Readonly<PlatformRecord> | null
  readonly scope: ExpressionScope
  /** True for records an import brings: they have a past of their own. */
  readonly imported: boolean
  /** Whether the caller is among those a transition names. */
  readonly mayTake: (transition: Transition) => boolean
  /** The change of a state that somebody judged already. */
  readonly move: StateMove | undefined
}

/** One violation. */
export interface Finding {
  /** A field's name, or '' for the whole record. */
  readonly field: string
  readonly code: FieldErrorCode
  readonly message: string
  readonly value?: unknown
  readonly constraint?: unknown
}

/** Asks one rule; no finding means that the record obeys it. */
export type Judge = (input: RuleInput) => readonly Finding[]

/** The empty answer, shared. */
export const obeyed: readonly Finding[] = Object.freeze([])

/** A finding as a field error that names its rule. */
export function toFieldError(finding: Finding, rule: string): FieldError {
  return { ...finding, rule }
}

/**
 * A judge that stands when its expression or pattern fails: a rule that cannot be asked refuses the write by name rather
 * than let anything through.
 */
export function guarded(rule: string, field: string, judge: Judge): Judge {
  return (input) => {
    try {
      return judge(input)
    } catch (error) {
      if (!(error instanceof ExpressionError) && !(error instanceof RangeError)) throw error
      return [{ field, code: 'expression_error', message: `The rule "${rule}" cannot be evaluated: ${error.message}` }]
    }
  }
}
