// Contracts of GraphQL over HTTP (specification "GraphQL", D-181, D-182): one endpoint and the schema as text.
import { z } from 'zod'
import { defineRoute, defineRoutes } from '../route.ts'

/** The media type of answers whose status tells whether the document was run at all. */
export const graphqlMediaType = 'application/graphql-response+json'

const GraphqlError = z.looseObject({
  message: z.string(),
  locations: z.array(z.object({ line: z.int(), column: z.int() })).optional(),
  path: z.array(z.union([z.string(), z.int()])).optional(),
  extensions: z
    .record(z.string(), z.unknown())
    .meta({ description: 'The error object: code, message, httpStatus, category, retryable, details, requestId.' }),
})

/** What a document answers: `data` once it was run, `errors` when something in it failed. */
export const GraphqlAnswer = z
  .object({ data: z.record(z.string(), z.unknown()).nullable().optional(), errors: z.array(GraphqlError).optional() })
  .meta({ id: 'GraphqlAnswer' })

/** What is asked; members of the wrong type are refused in the words of GraphQL. */
const GraphqlBody = z.unknown().meta({
  description:
    '`{query, variables?, operationName?, extensions?}`; `extensions.persistedQuery {version: 1, sha256Hash}` stands for a query sent before.',
})

const Text = z.union([z.string(), z.array(z.string())]).optional()

const shared = { mount: 'versioned', rateLimit: 'heavy', channel: 'graphql', tag: 'graphql' } as const
const errors = ['invalid_query', 'permission_denied', 'timeout'] as const

/** A document may take this long (D-182). */
export const graphqlTimeoutMs = 5_000

/** The routes of the `graphql` plugin. */
export const graphqlRoutes = defineRoutes({
  runGraphql: defineRoute({
    ...shared,
    operationId: 'runGraphql',
    method: 'POST',
    path: '/graphql',
    aliases: [{ mount: 'api', path: '/graphql' }],
    body: GraphqlBody.optional(),
    response: GraphqlAnswer,
    permission: 'session',
    takesReadOnlyKeys: true,
    timeoutMs: graphqlTimeoutMs,
    errors,
    summary: 'Runs a GraphQL document over the objects the caller may read.',
  }),
  queryGraphql: defineRoute({
    ...shared,
    operationId: 'queryGraphql',
    method: 'GET',
    path: '/graphql',
    aliases: [{ mount: 'api', path: '/graphql' }],
    query: z.object({ query: Text, variables: Text, operationName: Text, extensions: Text }),
    response: GraphqlAnswer,
    permission: 'session',
    timeoutMs: graphqlTimeoutMs,
    errors: [...errors, 'method_not_allowed'],
    reads: ['X-Requested-With'],
    summary: 'Runs a GraphQL query; needs the header X-Requested-With, and refuses mutations.',
  }),
  getGraphqlSchema: defineRoute({
    ...shared,
    operationId: 'getGraphqlSchema',
    method: 'GET',
    path: '/graphql/schema',
    aliases: [{ mount: 'api', path: '/graphql/schema' }],
    response: z.string().meta({ description: 'Schema definition language.' }),
    responseKind: 'bytes',
    produces: ['text/plain'],
    permission: 'session',
    errors: ['permission_denied'],
    summary: 'The schema of the caller as text.',
  }),
})
