// Checks the input of a function item against its JSON Schema (D-112).
import { compileSchema } from '#main/kernel/json-schemas.ts'
import type { SchemaCheck } from '#main/kernel/json-schemas.ts'
import { validationError } from '#shared/errors.ts'

/** Accepts everything without a schema. @throws validation_error naming each member that does not fit, or the schema that is none */
export function checkInput(schema: unknown, input: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  const problems = checkOf(schema)(input)
  if (problems.length === 0) return
  throw validationError(
    problems.map(({ path, missing, message }) => ({
      field: ['input', path, missing].filter(Boolean).join('.'),
      code: 'json_schema_violation' as const,
      message,
    })),
  )
}

function checkOf(schema: object): SchemaCheck {
  try {
    return compileSchema(schema)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw validationError([{ field: 'input', code: 'json_schema_violation', message }])
  }
}
