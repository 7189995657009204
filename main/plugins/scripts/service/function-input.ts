// Checks the input of a function item against its JSON Schema (D-112).
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { validationError } from '#shared/errors.ts'

const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
const compiled = new WeakMap<object, ValidateFunction>()

/** Accepts everything without a schema. @throws validation_error naming each member that does not fit */
export function checkInput(schema: unknown, input: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  let validate = compiled.get(schema)
  if (validate === undefined) compiled.set(schema, (validate = ajv.compile(schema)))
  if (validate(input)) return
  throw validationError(
    (validate.errors ?? []).map(({ instancePath, message = 'The value does not fit.', params }) => ({
      field: ['input', ...instancePath.split('/').slice(1), ...missing(params)].join('.'),
      code: 'json_schema_violation' as const,
      message,
    })),
  )
}

function missing(params: Record<string, unknown>): string[] {
  return typeof params['missingProperty'] === 'string' ? [params['missingProperty']] : []
}
