// Checks answers against the OpenAPI document of the contracts: path, method, status, headers and body. Used by every test
// that calls the host, so that no answer goes unchecked.
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { allContracts } from '#shared/contracts/index.ts'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { baseHeaders } from '#main/http/headers.ts'
import { buildOpenApi, resolved } from '#main/http/openapi.ts'
import type { OpenApiOperation, OpenApiResponse } from '#main/http/openapi.ts'

interface Place {
  readonly pattern: RegExp
  readonly parameters: number
  readonly template: string
}

const errorTables = [...corePlugins, ...optionalPlugins].flatMap(({ errors }) => (errors === undefined ? [] : [errors]))
const document = buildOpenApi(allContracts, { version: '0.0.0', errorTables })
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
ajv.addSchema({ $id: 'openapi', components: document.components })
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
export function findResponseProblem(
  method: string,
  path: string,
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): string | null {
  const pathname = path.split(/[?#]/)[0]!.replace(/^\/api\/(?!v1)/, '/api/v1/')
  const covering = places.filter(({ pattern }) => pattern.test(pathname))
  // The most exact one counts for every method (D-380).
  const place = covering.find(
    ({ parameters, template }) =>
      parameters === covering[0]!.parameters && document.paths[template]![method.toLowerCase()] !== undefined,
  )
  if (status === 400 && pathname.endsWith('/mcp') && isProtocolError(body)) return null
  const bodyProblem = status >= 400 ? findErrorBodyProblem(status, body) : null
  if (bodyProblem !== null || place === undefined) return bodyProblem
  const operation = document.paths[place.template]![method.toLowerCase()]!
  const response = responseOf(operation, status)
  const route = `${method} ${place.template}`
  if (status >= 400) {
    const undeclared = findUndeclaredCode(response, route, status, body)
    if (undeclared !== null) return undeclared
  }
  if (response === undefined) return `${route} does not declare status ${status}.`
  const unnamed = [...headers.keys()].filter((name) => !ofEveryAnswer.test(name) && !namesHeader(response, name))
  if (unnamed.length > 0) return `${route} does not declare with ${status} the headers ${unnamed.join(', ')}.`
  if (status >= 400) return null
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

const ofEveryAnswer = new RegExp(
  `^(?:${Object.keys(baseHeaders).join('|')}|x-request-id|content-(?:type|length|encoding)|date|connection|keep-alive|` +
    'transfer-encoding|deprecation|link|cairn-deprecated|idempotent-replay|x-ratelimit-.+|access-control-.+)$',
)

function responseOf(operation: OpenApiOperation, status: number): OpenApiResponse | undefined {
  const response = operation.responses[String(status)]
  return response === undefined ? undefined : resolved(document, response)
}

function namesHeader({ headers = {} }: OpenApiResponse, name: string): boolean {
  return Object.keys(headers).some((declared) => declared.toLowerCase() === name)
}

/** Clients learn from the document which codes to expect, so a route answers none that it does not list. */
function findUndeclaredCode(
  response: OpenApiResponse | undefined,
  route: string,
  status: number,
  body: unknown,
): string | null {
  const { code } = (body as { error: { code: string } }).error
  const declared = response?.['x-error-codes'] ?? []
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
