// The functions of expressions, by name. Each may be called as f(x, …) or x.f(…).
import { dateFunctions } from './date-functions.ts'
import { listFunctions } from './list-functions.ts'
import type { Machine, Value } from './machine.ts'
import { numberFunctions } from './number-functions.ts'
import { textFunctions } from './text-functions.ts'

/** What a function gives, as far as its name alone tells; `same` is the type of its first argument. */
export type FunctionResult = 'text' | 'number' | 'boolean' | 'date' | 'datetime' | 'duration' | 'list' | 'same' | 'any'

/** One function; the receiver of a method call is its first argument. */
export interface ExpressionFunction {
  readonly least: number
  readonly most: number
  readonly result: FunctionResult
  run(args: readonly Value[], machine: Machine): Value
}

/** Functions of one theme, by name. */
export type FunctionTable = Readonly<Record<string, ExpressionFunction>>

const functions: ReadonlyMap<string, ExpressionFunction> = new Map(
  [textFunctions, numberFunctions, listFunctions, dateFunctions].flatMap((table) => Object.entries(table)),
)

/** How many arguments a function takes; undefined when there is none of that name. */
export function functionArity(name: string): { readonly least: number; readonly most: number } | undefined {
  return functions.get(name)
}

/** The function of that name; the parser lets no other name through. */
export function functionOf(name: string): ExpressionFunction {
  const found = functions.get(name)
  if (found === undefined) throw new Error(`There is no function "${name}".`)
  return found
}
