// The OpenAPI 3.1 document of a set of contracts. Pure: the same contracts always give the same text.
import { z } from 'zod'
import { defaultPrefix } from '#shared/api-prefix.ts'
import { ErrorBodySchema, commonErrors } from '#shared/contracts/common.ts'
import { baseErrors } from '#shared/errors.ts'
import type { ErrorTable } from '#shared/errors.ts'
import { routeMutates } from '#shared/route.ts'
import type { AnyRoute, RouteMount } from '#shared/route.ts'
import { toleratesBadCredential } from './route-runtime.ts'
import { createSchemaCollector } from './openapi-schemas.ts'
import type { JsonSchema, SchemaCollector } from './openapi-schemas.ts'

/** What the document says about the program. */
export interface OpenApiInfo {
  /** Version of the product, semver. */
  readonly version: string
  /** API prefix, default `/api/v1`. */
  readonly prefix?: string
  /** Path of the application shell, default `/_console`. */
  readonly uiBasePath?: string
  /** Tables that tell the status of the plugins' codes; codes in none are listed without one. */
  readonly errorTables?: readonly ErrorTable[]
}

/** One operation of the document. */
export interface OpenApiOperation {
  operationId: string
  summary: string
  tags: string[]
  deprecated?: true
  security?: []
  parameters?: OpenApiParameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, OpenApiResponse>
}

/** One parameter of an operation. */
export interface OpenApiParameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  description?: string
  schema: JsonSchema
}

/** One answer of an operation. */
export interface OpenApiResponse {
  description: string
  content?: Record<string, { schema: JsonSchema }>
  /** Codes of the error body that come with this status. */
  'x-error-codes'?: string[]
}

/** The document. */
export interface OpenApiDocument {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: { url: string }[]
  security: Record<string, []>[]
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> }
}

const methodOrder = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Builds the document. Paths are in alphabetical order, methods in the order get, post, put, patch, delete; aliases
 * are left out.
 * @source D-19
 */
export function buildOpenApi(contracts: readonly AnyRoute[], info: OpenApiInfo): OpenApiDocument {
  const collector = createSchemaCollector()
  const errorSchema = collector.output(ErrorBodySchema)
  const statusOf = statusLookup(info.errorTables ?? [])
  const paths: OpenApiDocument['paths'] = {}
  const entries = contracts
    .map((contract) => ({ contract, path: templateOf(contract, info) }))
    .toSorted((a, b) => compare(a.path, b.path) || order(a.contract) - order(b.contract))
  for (const { contract, path } of entries) {
    const item = (paths[path] ??= {})
    item[contract.method.toLowerCase()] = operationOf(contract, collector, errorSchema, statusOf)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn API',
      version: info.version,
      description:
        'Records of any object, metadata and everything around them. Errors have one body; its codes are listed with each status.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { key: [] }, { session: [] }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].toSorted(compare).map((name) => ({ name })),
    paths,
    components: {
      schemas: collector.finish(),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of a session or the host, or a key.' },
        key: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'A key made at /keys (D-30).' },
        session: { type: 'apiKey', in: 'cookie', name: 'cairn.session_token', description: 'A browser session.' },
      },
    },
  }
}

function operationOf(
  contract: AnyRoute,
  collector: SchemaCollector,
  errorSchema: JsonSchema,
  statusOf: (code: string) => string,
): OpenApiOperation {
  const parameters = [...pathParameters(contract, collector), ...queryParameters(contract, collector)]
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    tags: [contract.tag],
    ...(contract.deprecated === true ? { deprecated: true as const } : {}),
    ...(contract.permission === 'public' ? { security: [] as [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(contract, collector),
    responses: {
      [String(contract.status ?? 200)]: successOf(contract, collector),
      ...(contract.goesOn === true ? { '202': { ...successOf(contract, collector), description: 'It goes on.' } } : {}),
      ...(contract.ranges === true
        ? { '206': { ...successOf(contract, collector), description: 'A part of it.' } }
        : {}),
      ...Object.fromEntries((contract.bodiless ?? []).map((status) => [status, { description: bodiless[status] }])),
      ...errorsOf(contract, errorSchema, statusOf),
    },
  }
}

/** What answers without a body say. */
const bodiless = {
  202: 'Taken; what was sent asks for no answer.',
  204: 'Done, and there is nothing to show.',
  302: 'Leads on to the address in Location.',
  303: 'Leads on to the address in Location, by a GET.',
  304: 'Nothing has changed since the copy that If-None-Match names.',
} as const

function successOf(contract: AnyRoute, collector: SchemaCollector): OpenApiResponse {
  const kind = contract.responseKind ?? 'json'
  if (kind === 'html') return { description: 'A page.', content: { 'text/html': { schema: { type: 'string' } } } }
  const bytes = (types: readonly string[]) => Object.fromEntries(types.map((type) => [type, { schema: {} }]))
  if (kind === 'bytes') return { description: 'A file.', content: bytes(contract.produces ?? ['*/*']) }
  const data = collector.output(contract.response)
  const schema = contract.envelope === true ? enveloped(data, collector) : data
  return { description: 'Success.', content: { 'application/json': { schema }, ...bytes(contract.produces ?? []) } }
}

const Meta = z
  .object({ requestId: z.string(), timestamp: z.string(), durationMs: z.int() })
  .meta({ id: 'ResponseMeta', description: 'Facts about the request (D-05).' })

function enveloped(data: JsonSchema, collector: SchemaCollector): JsonSchema {
  return {
    type: 'object',
    properties: { success: { const: true }, data, meta: collector.output(Meta) },
    required: ['success', 'data'],
  }
}

function errorsOf(
  contract: AnyRoute,
  errorSchema: JsonSchema,
  statusOf: (code: string) => string,
): Record<string, OpenApiResponse> {
  const codes = new Set([...commonErrors.filter((code) => canHappen(contract, code)), ...contract.errors])
  const byStatus = new Map<string, string[]>()
  for (const code of [...codes].toSorted(compare)) {
    const status = statusOf(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const responses: Record<string, OpenApiResponse> = {}
  for (const [status, list] of [...byStatus].toSorted(([a], [b]) => compare(a, b))) {
    responses[status] = {
      description: `Refused: ${list.join(', ')}.`,
      content: { 'application/json': { schema: errorSchema } },
      'x-error-codes': list,
    }
  }
  return responses
}

/** Whether one of the codes any route may answer can come from this one. */
function canHappen(contract: AnyRoute, code: (typeof commonErrors)[number]): boolean {
  switch (code) {
    case 'unauthenticated':
    case 'api_key_invalid':
    case 'session_expired':
      return !toleratesBadCredential(contract)
    case 'permission_denied':
      // A key for reading is refused wherever something may change.
      return typeof contract.permission === 'object' || (contract.permission === 'session' && routeMutates(contract))
    case 'resource_not_found':
      return contract.params !== undefined
    case 'method_not_allowed':
      return contract.reserved !== undefined
    case 'conflict':
      return takesIdempotencyKey(contract)
    case 'payload_too_large':
    case 'unsupported_media_type':
      return contract.method !== 'GET'
    case 'rate_limit_exceeded':
      return contract.rateLimit !== 'none'
    default:
      return true
  }
}

/** A key that was used for another body is a conflict (D-42). */
function takesIdempotencyKey(contract: AnyRoute): boolean {
  const { method, permission } = contract
  return permission !== 'public' && (method === 'POST' || method === 'PATCH') && routeMutates(contract)
}

function requestBodyOf(
  contract: AnyRoute,
  collector: SchemaCollector,
): { requestBody?: NonNullable<OpenApiOperation['requestBody']> } {
  if (contract.body !== undefined) return { requestBody: bodyOf(contract, contract.body, collector) }
  if (contract.streams !== true) return {}
  const bytes = { schema: { type: 'string', format: 'binary' } }
  return {
    requestBody: { required: true, content: Object.fromEntries(contract.consumes!.map((type) => [type, bytes])) },
  }
}

function bodyOf(
  contract: AnyRoute,
  body: z.ZodType,
  collector: SchemaCollector,
): NonNullable<OpenApiOperation['requestBody']> {
  const schema = collector.input(body)
  const content: Record<string, { schema: JsonSchema }> = { 'application/json': { schema } }
  for (const type of contract.consumes ?? []) content[type] ??= { schema: { type: 'string' } }
  return { required: !body.safeParse(undefined).success, content }
}

function pathParameters(contract: AnyRoute, collector: SchemaCollector): OpenApiParameter[] {
  const names = [...contract.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]!)
  const properties = propertiesOf(contract.params === undefined ? {} : collector.input(contract.params))
  return names.map((name) => ({ name, in: 'path', required: true, schema: properties[name] ?? { type: 'string' } }))
}

function queryParameters(contract: AnyRoute, collector: SchemaCollector): OpenApiParameter[] {
  if (contract.query === undefined) return []
  const schema = collector.input(contract.query)
  const properties = Object.entries(propertiesOf(schema))
  if (properties.length === 0) {
    // Free names: the whole query string is one form-encoded object, beside the names that mean something else.
    const { description, words = {}, ...rest } = schema
    const text = typeof description === 'string' ? { description } : {}
    const named = Object.entries(words as Readonly<Record<string, readonly [type: string, description: string]>>)
    return [
      ...named.map(([name, [type, meaning]]) => {
        return { name, in: 'query' as const, required: false, description: meaning, schema: { type } }
      }),
      { name: 'query', in: 'query', required: false, ...text, schema: { ...rest, type: 'object' } },
    ]
  }
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as string[]) : [])
  return properties.map(([name, property]) => {
    const { description, ...rest } = property
    const text = typeof description === 'string' ? { description } : {}
    return { name, in: 'query', required: required.has(name), ...text, schema: rest }
  })
}

function propertiesOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema['properties'] ?? {}) as Record<string, JsonSchema>
}

function statusLookup(tables: readonly ErrorTable[]): (code: string) => string {
  const statuses = new Map<string, string>()
  for (const table of [baseErrors as ErrorTable, ...tables]) {
    for (const [code, row] of Object.entries(table)) statuses.set(code, String(row.httpStatus))
  }
  return (code) => statuses.get(code) ?? 'default'
}

function templateOf(contract: AnyRoute, info: OpenApiInfo): string {
  const bases: Record<RouteMount, string> = {
    versioned: info.prefix ?? defaultPrefix,
    api: '/api',
    root: '',
    console: info.uiBasePath ?? '/_console',
  }
  const path = `${bases[contract.mount]}${contract.path}`
  return path === '' ? '/' : path.replaceAll(/:([A-Za-z]+)\*?/g, '{$1}')
}

function order(contract: AnyRoute): number {
  return methodOrder.indexOf(contract.method)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
