// Checks answers against the OpenAPI document of the contracts: path, method, status and body. Used by every test
// that calls the host, so that no answer goes unchecked.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { allContracts } from '#shared/contracts/index.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { buildOpenApi } from '#main/http/openapi.ts'

interface Operation {
  readonly responses: Record<
    string,
    { content?: Record<string, { schema?: unknown }>; 'x-error-codes'?: readonly string[] }
  >
}

interface OpenApiDocument {
  readonly paths: Record<string, Record<string, Operation>>
  readonly components?: Record<string, unknown>
}

interface Place {
  readonly pattern: RegExp
  readonly parameters: number
  readonly template: string
}

const errorTables = [...corePlugins, ...optionalPlugins].flatMap(({ errors }) => (errors === undefined ? [] : [errors]))
const document = buildOpenApi(allContracts, { version: '0.0.0', errorTables }) as OpenApiDocument
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'openapi', components: document.components ?? {} })
const validators = new Map<string, ValidateFunction | null>()
const places: readonly Place[] = Object.keys(document.paths)
  .map((template) => ({
    template,
    parameters: template.split('{').length - 1,
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
  }))
  .toSorted((a, b) => a.parameters - b.parameters)

/**
 * Answers what is wrong with an answer, or null. Paths the document does not list (aliases, files, unknown routes) are
 * judged by the error body alone.
 */
export function findResponseProblem(method: string, path: string, status: number, body: unknown): string | null {
  if (status === 204) return null
  const pathname = path.split(/[?#]/)[0]!.replace(/^\/api\/(?!v1)/, '/api/v1/')
  const place = places.find(
    (candidate) =>
      candidate.pattern.test(pathname) && document.paths[candidate.template]![method.toLowerCase()] !== undefined,
  )
  if (status === 400 && pathname.endsWith('/mcp') && isProtocolError(body)) return null
  const bodyProblem = status >= 400 ? findErrorBodyProblem(status, body) : null
  if (bodyProblem !== null || place === undefined) return bodyProblem
  const operation = document.paths[place.template]![method.toLowerCase()]!
  if (status >= 400) return findUndeclaredCode(operation, `${method} ${place.template}`, status, body)
  const response = operation.responses[String(status)]
  if (response === undefined) return `${method} ${place.template} does not declare status ${status}.`
  const schema = response.content?.['application/json']?.schema
  if (schema === undefined || typeof body === 'string') return null
  const key = `${method} ${place.template} ${status}`
  let validate = validators.get(key)
  if (validate === undefined) {
    validate = ajv.compile(rebase(schema) as object)
    validators.set(key, validate)
  }
  if (validate === null || validate(body) === true) return null
  return `${key}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body).slice(0, 400)}`
}

/** Clients learn from the document which codes to expect, so a route answers none that it does not list. */
function findUndeclaredCode(operation: Operation, route: string, status: number, body: unknown): string | null {
  const { code } = (body as { error: { code: string } }).error
  const declared = operation.responses[String(status)]?.['x-error-codes'] ?? []
  return declared.includes(code) ? null : `${route} does not declare ${status} ${code}.`
}

/** What the Model Context Protocol says of a message it cannot take, in its own words (D-295). */
function isProtocolError(body: unknown): boolean {
  const { jsonrpc, error } = (body ?? {}) as { jsonrpc?: unknown; error?: { code?: unknown; message?: unknown } }
  return jsonrpc === '2.0' && Number.isInteger(error?.code) && typeof error?.message === 'string'
}

/** Every non-2xx body has the seven members of D-20. */
function findErrorBodyProblem(status: number, body: unknown): string | null {
  const { success, error } = (body ?? {}) as { success?: unknown; error?: Record<string, unknown> }
  if (success !== false || typeof error !== 'object' || error === null)
    return `Not the error body of D-20: ${JSON.stringify(body)}`
  const wrong = [
    typeof error['code'] !== 'string' && 'code',
    typeof error['message'] !== 'string' && 'message',
    error['httpStatus'] !== status && 'httpStatus',
    !['validation', 'auth', 'request', 'rate_limit', 'server'].includes(String(error['category'])) && 'category',
    typeof error['retryable'] !== 'boolean' && 'retryable',
    (typeof error['details'] !== 'object' || error['details'] === null) && 'details',
    typeof error['requestId'] !== 'string' && 'requestId',
  ].filter((name) => name !== false)
  return wrong.length === 0 ? null : `Error body with wrong ${wrong.join(', ')}: ${JSON.stringify(body)}`
}

/** References into the document's components resolve against the schema added under the id `openapi`. */
function rebase(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rebase)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' ? value.replace(/^#\//, 'openapi#/') : rebase(value),
    ]),
  )
}
