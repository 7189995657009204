// Tells a default that stands in the definition from one that is made with each record. Pure.
import { isPlainObject } from './definition-problems.ts'

const macros: ReadonlySet<unknown> = new Set(['{me}', '{today}', '{now}'])

/** Whether a default is a value itself, neither a macro nor an expression. @source D-93 */
export function isLiteralDefault(defaultValue: unknown): boolean {
  return !macros.has(defaultValue) && !(isPlainObject(defaultValue) && Object.hasOwn(defaultValue, 'expression'))
}
