// What one evaluation carries from node to node.
import type { Budget } from './budget.ts'

/** A value inside of an evaluation: JSON, or a moment or length of time (moments.ts). */
export type Value = unknown

/** The values the names of an expression stand for. Values are JSON; what is missing is null. */
export interface ExpressionScope {
  readonly record?: Readonly<Record<string, unknown>> | null
  /** The record before the write; null on insert. */
  readonly previous?: Readonly<Record<string, unknown>> | null
  readonly user?: Readonly<Record<string, unknown>> | null
  readonly params?: Readonly<Record<string, unknown>> | null
  readonly vars?: Readonly<Record<string, unknown>> | null
  readonly event?: unknown
  /** The present instant in milliseconds. */
  readonly now: number
  /** IANA zone of the workspace: where days begin. */
  readonly timeZone: string
}

/** One running evaluation. */
export interface Machine {
  readonly scope: ExpressionScope
  readonly budget: Budget
  /** Values of the variables of macros, by slot. */
  readonly locals: Value[]
}
