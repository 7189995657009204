// JSON Schemas people write (2020-12): compiled once per schema, patterns in linear time, nothing loaded from elsewhere.
import { createRequire } from 'node:module'
import type * as Library from 'ajv/dist/2020.js'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { ExpressionError } from '#shared/expression/expression-error.ts'
import { compilePattern } from '#shared/expression/user-pattern.ts'

/** What does not fit at a path ('' the value itself); `missing` names the member that is required there. */
interface SchemaProblem {
  readonly path: string
  readonly message: string
  readonly missing?: string
}

/** Checks a value; the problems, none when it is valid. */
export type SchemaCheck = (value: unknown) => readonly SchemaProblem[]

const maxSchemaBytes = 100_000
const maxErrors = 20
/** References one check may follow. */
const maxSteps = 20_000
const stepKeyword = 'x-cairn-step'
/** Keys whose values are data, not schemas. */
const literalKeys: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

/** The engine of patterns; Ajv keeps them apart by their text. */
const linearTime = Object.assign(
  (pattern: string) => {
    const { occursIn } = compilePattern(pattern)
    return { test: occursIn, toString: () => pattern }
  },
  // Ajv writes this name into modules it exports; this program exports none.
  { code: 'linearTime' },
)

const compiled = new WeakMap<object, SchemaCheck>()

/**
 * Compiles a schema; the same value gives the same check.
 * @throws Error with a sentence for the author when the schema is none, refers outside of itself, or is too large
 */
export function compileSchema(schema: unknown): SchemaCheck {
  if (typeof schema === 'boolean') return () => (schema ? [] : [{ path: '', message: 'No value is allowed.' }])
  if (typeof schema !== 'object' || schema === null) throw new Error('A JSON Schema is an object or a boolean.')
  let check = compiled.get(schema)
  if (check === undefined) {
    check = compile(schema)
    compiled.set(schema, check)
  }
  return check
}

function compile(schema: object): SchemaCheck {
  if (JSON.stringify(schema).length > maxSchemaBytes) throw new Error('The JSON Schema is too large.')
  validator ??= createValidator()
  const counted = countingReferences(schema) as object
  let validate: ValidateFunction
  try {
    validate = validator.compile(counted)
  } finally {
    // Ajv would keep every schema it ever met, and take no second one of the same $id.
    validator.removeSchema(counted)
  }
  return (value) => {
    stepsLeft = maxSteps
    try {
      if (validate(value)) return []
    } catch (error) {
      // A recursion that does not end, or a pattern over too long a text: what cannot be judged does not pass.
      if (!(error instanceof RangeError) && !(error instanceof ExpressionError)) throw error
      return [{ path: '', message: `The value cannot be checked: ${error.message}` }]
    }
    return (validate.errors ?? []).slice(0, maxErrors).map(toProblem)
  }
}

/** Loaded with the first schema: a hundred modules no start needs. */
const load = createRequire(import.meta.url)
let validator: Ajv2020 | undefined
let stepsLeft = 0

/** One engine for all schemas: making one takes longer than compiling most schemas. */
function createValidator(): Ajv2020 {
  const ajv = new (load('ajv/dist/2020.js') as typeof Library).Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    logger: false,
    code: { regExp: linearTime },
  })
  // Ajv's own compares every element with every other one.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (isOn: boolean, items: readonly unknown[]) =>
      !isOn || new Set(items.map(canonical)).size === items.length,
  })
  ajv.addKeyword({
    keyword: stepKeyword,
    validate() {
      stepsLeft -= 1
      if (stepsLeft < 0) throw new RangeError('The schema refers to itself too often.')
      return true
    },
  })
  return ajv
}

/**
 * A copy whose references count themselves: schemas that refer to each other in pairs double the work with each step
 * into a value, so a check must be able to end by itself.
 */
function countingReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(countingReferences)
  if (typeof node !== 'object' || node === null) return node
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, child]) => [key, literalKeys.has(key) ? child : countingReferences(child)]),
  )
  const id = copy['$id']
  if (typeof id === 'string' && id.includes('json-schema.org')) throw new Error('The $id is that of a dialect.')
  const refers = typeof copy['$ref'] === 'string' || typeof copy['$dynamicRef'] === 'string'
  return refers ? { [stepKeyword]: true, ...copy } : copy
}

/** JSON text that is the same for equal values, whatever the order of their keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}

function toProblem({ instancePath, message, params }: ErrorObject): SchemaProblem {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  const missing = (params as Record<string, unknown>)['missingProperty']
  return {
    path,
    message: `The value ${message ?? 'does not fit the schema'}.`,
    ...(typeof missing === 'string' && { missing }),
  }
}
