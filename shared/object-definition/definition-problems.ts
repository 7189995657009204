// What checking a definition reports: field errors that refuse it, warnings about what was kept.
import type { FieldError, FieldErrorCode } from '../errors.ts'

/** A key that was kept but is not understood (D-107). */
export interface DefinitionWarning {
  readonly path: string
  readonly message: string
}

/** Where the findings of one check go. */
export interface Findings {
  readonly errors: FieldError[]
  readonly warnings: DefinitionWarning[]
}

/** One problem of a definition; `path` leads from the item to the key. */
export function definitionError(
  path: string,
  code: FieldErrorCode,
  message: string,
  value: unknown,
  constraint?: unknown,
): FieldError {
  return { field: path, code, message, value, ...(constraint === undefined ? {} : { constraint }) }
}

/** Warns about every key that the shape does not have. */
export function warnUnknown(value: object, shape: object, prefix: string, warnings: DefinitionWarning[]): void {
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(shape, key))
      warnings.push({ path: `${prefix}${key}`, message: 'The key is not known and was kept.' })
  }
}

/** Whether the value is an object and no list. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
