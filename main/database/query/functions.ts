// The SQL functions that queries rely on. Every connection registers them, the reader process included.
import { foldCase } from '#shared/filter/fold-case.ts'

/** The part of a connection that registering needs. */
export interface FunctionHost {
  function(
    name: string,
    options: { deterministic: boolean; directOnly?: boolean },
    fn: (...values: readonly unknown[]) => unknown,
  ): unknown
}

/** Registers `cairn_fold(text)`: Unicode simple case folding (D-83); null and values that are no text stay as they are. */
export function registerFunctions(connection: FunctionHost): void {
  connection.function('cairn_fold', { deterministic: true }, (value: unknown) =>
    typeof value === 'string' ? foldCase(value) : value,
  )
}
