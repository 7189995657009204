// The mounted routes as registry entries, one API per plugin, from the same contracts as the OpenAPI document. Pure.
import { z } from 'zod'
import type { ApiEndpoint, ApiEntry, ApiType } from '#shared/contracts/registry.ts'
import { ApiEndpoint as EndpointSchema } from '#shared/contracts/registry.ts'
import type { AnyRoute, RouteMount } from '#shared/route.ts'

/** Where the mounts of the contracts hang. */
export interface MountPoints {
  /** Default `/api/v1`. */
  readonly prefix: string
  /** Default `/_console`. */
  readonly uiBasePath: string
}

/** Kinds of plugins whose protocol is not plain REST (D-197). */
const types: Readonly<Record<string, ApiType>> = {
  auth: 'auth',
  graphql: 'graphql',
  metadata: 'metadata',
  odata: 'odata',
  realtime: 'websocket',
  storage: 'file',
  webhooks: 'webhook',
}

type JsonSchema = Record<string, unknown>

/** The entry of every plugin that has routes, in the order of `routes`. */
export function builtInApis(
  routes: readonly { readonly plugin: string; readonly contract: AnyRoute }[],
  mounts: MountPoints,
): ApiEntry[] {
  const byPlugin = Map.groupBy(routes, (route) => route.plugin)
  return [...byPlugin].map(([plugin, own]) => ({
    id: `cairn_${plugin.replaceAll('-', '_')}`,
    name: `Cairn ${plugin}`,
    type: types[plugin] ?? 'rest',
    version: 'v1',
    basePath: own.every(({ contract }) => isBelowPrefix(contract)) ? mounts.prefix : '/',
    endpoints: own.flatMap(({ contract }) => endpointsOf(contract, mounts)),
    metadata: {
      status: 'active',
      tags: [...new Set(own.map(({ contract }) => contract.tag))],
      pluginSource: plugin,
    },
  }))
}

function isBelowPrefix({ mount, aliases = [] }: AnyRoute): boolean {
  return [mount, ...aliases.map((other) => other.mount)].every((one) => one === 'versioned')
}

/** One endpoint for the route and one for each other path it is accepted under. */
function endpointsOf(contract: AnyRoute, mounts: MountPoints): ApiEndpoint[] {
  const places = [{ mount: contract.mount, path: contract.path }, ...(contract.aliases ?? [])]
  // A last parameter that takes slashes is one like any other to whoever reads.
  const paths = places.flatMap(({ mount, path }) => pathsOf(mount, path.replace(/\*$/, ''), mounts))
  const [first, ...others] = new Set(paths)
  const endpoint = describe(contract, first!)
  return [endpoint, ...others.map((path, at) => ({ ...endpoint, id: `${endpoint.id}_alias_${at + 1}`, path }))]
}

function describe(contract: AnyRoute, path: string): ApiEndpoint {
  const { permission } = contract
  return EndpointSchema.parse({
    id: contract.operationId,
    operationId: contract.operationId,
    method: contract.method,
    path,
    summary: contract.summary,
    tags: [contract.tag],
    parameters: [...parametersIn(contract.params, 'path'), ...parametersIn(contract.query, 'query')],
    ...(contract.body === undefined
      ? {}
      : { requestBody: { required: !contract.body.safeParse(undefined).success, schema: schemaOf(contract.body) } }),
    responses: [
      {
        statusCode: contract.status ?? 200,
        description: 'Success.',
        contentType: contentTypes[contract.responseKind ?? 'json'],
        ...((contract.responseKind ?? 'json') === 'json' ? { schema: schemaOf(contract.response, 'output') } : {}),
      },
    ],
    security: permission === 'public' ? [] : [{ token: [] }, { session: [] }],
    requiredPermissions:
      typeof permission === 'string' ? [] : ['system' in permission ? permission.system : permission.action],
    deprecated: contract.deprecated === true,
    ...(contract.ownRate === undefined ? {} : { rateLimit: { enabled: true, ...contract.ownRate } }),
    protocolConfig: {
      rateClass: contract.rateLimit,
      envelope: contract.envelope === true,
      ...(contract.path.endsWith('*') ? { takesSlashes: true } : {}),
    },
  })
}

const contentTypes = { json: 'application/json', bytes: 'application/octet-stream', html: 'text/html' } as const

function parametersIn(schema: z.ZodType | undefined, place: 'path' | 'query'): JsonSchema[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = schemaOf(schema) as {
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
    ...(typeof property['description'] === 'string' ? { description: property['description'] } : {}),
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
  return rest
}

/** The paths of one place; what hangs under `/api` is served under the prefix, too (D-01). */
function pathsOf(mount: RouteMount, path: string, mounts: MountPoints): string[] {
  const bases: Record<RouteMount, readonly string[]> = {
    versioned: [mounts.prefix],
    api: ['/api', mounts.prefix],
    root: [''],
    console: [mounts.uiBasePath],
  }
  return bases[mount].map((base) => `${base}${path.replace('{prefix}', mounts.prefix)}` || '/')
}
