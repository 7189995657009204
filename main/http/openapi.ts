// The OpenAPI 3.1 document of a set of contracts. Pure: the same contracts always give the same text.
import { z } from 'zod'
import { defaultPrefix } from '#shared/api-prefix.ts'
import { ErrorBodySchema, commonErrors } from '#shared/contracts/common.ts'
import { baseErrors } from '#shared/errors.ts'
import type { ErrorTable } from '#shared/errors.ts'
import { requestHeaders, responseHeaders } from '#shared/route-headers.ts'
import { routeMutates } from '#shared/route.ts'
import type { AnyRoute, RouteMount } from '#shared/route.ts'
import { headersOfRefusals, headersRead, headersSent, takesIdempotencyKey } from './route-headers.ts'
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
  /** Headers are references to components. */
  parameters?: (OpenApiParameter | OpenApiReference)[]
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> }
  /** What several operations answer alike is a reference to a component. */
  responses: Record<string, OpenApiResponse | OpenApiReference>
}

/** The place of a component. */
export interface OpenApiReference {
  $ref: string
}

/** One parameter of an operation. */
export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: JsonSchema
}

/** One answer of an operation. */
export interface OpenApiResponse {
  description: string
  headers?: Record<string, OpenApiReference>
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
  components: {
    schemas: Record<string, JsonSchema>
    parameters: Record<string, OpenApiParameter>
    headers: Record<string, { description: string; schema: JsonSchema }>
    responses: Record<string, OpenApiResponse>
    securitySchemes: Record<string, JsonSchema>
  }
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
        'Records of any object, metadata and everything around them. Errors have one body; its codes are listed with each status. Every answer carries X-Request-Id, X-API-Version, Cache-Control and Vary; X-RateLimit-Limit, -Remaining and -Reset where calls are counted; Deprecation, Link and Cairn-Deprecated where something old was used; refusals, too, Idempotent-Replay where it is the answer of an earlier call with the same key.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { key: [] }, { session: [] }],
    tags: [...new Set(contracts.map((contract) => contract.tag))].toSorted(compare).map((name) => ({ name })),
    paths,
    components: {
      schemas: collector.finish(),
      parameters: parameterComponents(contracts),
      headers: headerComponents(paths),
      responses: shareResponses(paths),
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
  const parameters = [
    ...pathParameters(contract, collector),
    ...queryParameters(contract, collector),
    ...headersRead(contract).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ]
  const success = successOf(contract, collector)
  const responses: Record<string, OpenApiResponse> = {
    [String(contract.status ?? 200)]: success,
    ...(contract.goesOn === true ? { '202': { ...success, description: 'It goes on.' } } : {}),
    ...(contract.ranges === true ? { '206': { ...success, description: 'A part of it.' } } : {}),
    ...Object.fromEntries((contract.bodiless ?? []).map((status) => [status, { description: bodiless[status] }])),
    ...errorsOf(contract, errorSchema, statusOf),
  }
  return {
    operationId: contract.operationId,
    summary: contract.summary,
    tags: [contract.tag],
    ...(contract.deprecated === true ? { deprecated: true as const } : {}),
    ...(contract.permission === 'public' ? { security: [] as [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(contract, collector),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, withHeaders(contract, status, response)]),
    ),
  }
}

function withHeaders(contract: AnyRoute, status: string, response: OpenApiResponse): OpenApiResponse {
  const names = headersSent(contract, Number(status))
  if (names.length === 0) return response
  const { description, ...rest } = response
  const headers = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  return { description, headers, ...rest }
}

/** The headers that requests of these routes may have. */
function parameterComponents(contracts: readonly AnyRoute[]): OpenApiDocument['components']['parameters'] {
  const names = new Set(contracts.flatMap(headersRead))
  return Object.fromEntries(
    [...names].toSorted(compare).map((name) => {
      const description = requestHeaders[name]
      return [name, { name, in: 'header', required: false, description, schema: { type: 'string' } }]
    }),
  )
}

/** The headers that answers of these routes may have. */
function headerComponents(paths: OpenApiDocument['paths']): OpenApiDocument['components']['headers'] {
  const names = new Set(responsesOf(paths).flatMap(([, , response]) => Object.keys(response.headers ?? {})))
  return Object.fromEntries(
    [...names].toSorted(compare).map((name) => {
      const type = isNumber.test(name) ? 'integer' : 'string'
      return [name, { description: responseHeaders[name as keyof typeof responseHeaders], schema: { type } }]
    }),
  )
}

const isNumber = /^(?:Retry-After|X-RateLimit-.+)$/

/** Has refusals that are the same in several operations be references to one, and answers those by name. */
function shareResponses(paths: OpenApiDocument['paths']): OpenApiDocument['components']['responses'] {
  const alike = Map.groupBy(
    responsesOf(paths).filter(([, , response]) => response['x-error-codes'] !== undefined),
    ([, status, response]) => [status, ...response['x-error-codes']!, ...ownHeaders(status, response)].join('.'),
  )
  const shared = [...alike].filter(([, places]) => places.length > 1).toSorted(([a], [b]) => compare(a, b))
  for (const [name, places] of shared)
    for (const [operation, status] of places) operation.responses[status] = { $ref: `#/components/responses/${name}` }
  return Object.fromEntries(shared.map(([name, [first]]) => [name, first![2]]))
}

/** What a refusal has beside the headers that any with its status may have. */
function ownHeaders(status: string, { headers = {} }: OpenApiResponse): string[] {
  const common: readonly string[] = headersOfRefusals(Number(status))
  return Object.keys(headers).filter((name) => !common.includes(name))
}

function responsesOf(paths: OpenApiDocument['paths']): [OpenApiOperation, status: string, OpenApiResponse][] {
  return Object.values(paths)
    .flatMap((item) => Object.values(item))
    .flatMap((operation) =>
      Object.entries(operation.responses).map(([status, response]) => [operation, status, response as OpenApiResponse]),
    )
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
    case 'conflict':
      // A key that was used for another body (D-42).
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

/** What a reference to a parameter or an answer stands for. */
export function resolved<T>({ components }: OpenApiDocument, part: T | OpenApiReference): T {
  if (!(typeof part === 'object' && part !== null && '$ref' in part)) return part
  const [, , kind, name] = part.$ref.split('/') as [string, string, 'parameters' | 'responses', string]
  return components[kind][name] as T
}

function order(contract: AnyRoute): number {
  return methodOrder.indexOf(contract.method)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
