// JSON Schemas people write (2020-12): compiled once per schema, patterns in linear time, nothing loaded from elsewhere.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { compilePattern } from '#shared/expression/user-pattern.ts'

/** Checks a value; the problems as path and sentence, none when it is valid. */
export type SchemaCheck = (value: unknown) => readonly { readonly path: string; readonly message: string }[]

const maxSchemaBytes = 100_000
const maxErrors = 20
const maxBranches = 10_000

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
  if (countBranches(schema) > maxBranches) throw new Error('The JSON Schema branches too often.')
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
    code: { regExp: linearTime },
  })
  // A copy: Ajv keeps and marks what it is given, and metadata is frozen.
  const validate: ValidateFunction = ajv.compile(structuredClone(schema))
  return (value) => {
    if (validate(value)) return []
    return (validate.errors ?? []).slice(0, maxErrors).map(toProblem)
  }
}

function toProblem({ instancePath, message }: ErrorObject): { path: string; message: string } {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.')
  return { path, message: `The value ${message ?? 'does not fit the schema'}.` }
}

/**
 * How many subschemas one value may have to pass when every reference is followed: definitions that refer to each other
 * in pairs would double the work with each step. A reference back to a schema that is being counted ends there, because
 * it takes a smaller part of the value.
 */
function countBranches(root: object): number {
  const known = new Map<object, number>()
  const open = new Set<object>()
  const resolve = (reference: unknown): unknown => {
    if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
    let at: unknown = root
    for (const part of reference.slice(1).split('/').slice(1)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
      at = (at as Record<string, unknown>)[key]
    }
    return at
  }
  const count = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 0
    const done = known.get(node)
    if (done !== undefined) return done
    if (open.has(node)) return 1
    open.add(node)
    let total = 1
    for (const [key, child] of Object.entries(node)) {
      if (key === '$defs' || key === 'definitions') continue
      total += key === '$ref' || key === '$dynamicRef' ? count(resolve(child)) : count(child)
      if (total > maxBranches) break
    }
    open.delete(node)
    known.set(node, total)
    return total
  }
  return count(root)
}
