// Runs documents: found, parsed, measured, validated against the caller's schema, and then field by field (D-181, D-182).
// Knows no HTTP beyond the status an answer has.
import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { PlatformError, invalidQuery, platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { GraphqlService } from './api.ts'
import type { GraphqlReply } from './service/answers.ts'
import { createAnswers } from './service/answers.ts'
import type { GraphqlRequest } from './service/graphql-request.ts'
import { documentLimits, excessOf, tooMuch } from './service/limits.ts'
import { createPersistedDocuments } from './service/persisted-documents.ts'
import { createRelatedRecords } from './service/related-records.ts'
import type { CallerSchema, SchemaCache } from './service/schema-cache.ts'

/** Problems of a document that are told. */
const maxProblems = 10

/** What the service works with. */
export interface GraphqlParts {
  readonly data: DataService
  readonly schemas: SchemaCache
  readonly authorizer: () => Authorizer
  readonly log: Logger
}

/** The service with what its routes need. */
export interface GraphqlRunner extends GraphqlService {
  /**
   * Runs what a request asks for; every failure is in the answer.
   * @param read asked first, so that a malformed request is answered in the same words
   * @param readsOnly refuses what would change something, as a GET does
   */
  run(ctx: RequestContext, read: () => GraphqlRequest, readsOnly: boolean): Promise<GraphqlReply>
}

/** A document that may be run, or why it may not. */
type Checked =
  { readonly document: DocumentNode } | { readonly refusal: PlatformError; readonly problems?: readonly GraphQLError[] }

/** Makes the service. */
export function createGraphqlService(parts: GraphqlParts): GraphqlRunner {
  const { data, schemas, authorizer, log } = parts
  const persisted = createPersistedDocuments()

  const check = (
    { library, schema, documents }: CallerSchema,
    text: string,
    variables: GraphqlRequest['variables'],
  ): Checked => {
    const known = documents.get(text)
    if (known === undefined && text.length > documentLimits.characters) return { refusal: tooMuch('characters') }
    let document = known
    try {
      document ??= library.parse(text, { maxTokens: documentLimits.tokens })
    } catch (error) {
      const problem = error as GraphQLError
      if (problem.message.includes('Document contains more than')) return { refusal: tooMuch('tokens') }
      return { refusal: invalidDocument(problem), problems: [problem] }
    }
    // What variables multiply is judged with every run.
    const excess = excessOf(library, schema, document, variables)
    if (excess !== null) return { refusal: excess }
    if (known === undefined) {
      const problems = library.validate(schema, document, library.specifiedRules, { maxErrors: maxProblems })
      if (problems.length > 0) return { refusal: invalidDocument(problems[0]!), problems }
      documents.set(text, document)
    }
    return { document }
  }

  const execute = async (ctx: RequestContext, request: GraphqlRequest, readsOnly: boolean): Promise<GraphqlReply> => {
    const answers = createAnswers(ctx.requestId, log)
    const { hash } = request
    const text = request.query ?? (hash === undefined ? undefined : persisted.find(ctx.actor.id, hash))
    if (text === undefined) return answers.unknownDocument()
    const caller = await schemas.of(ctx)
    const checked = check(caller, text, request.variables)
    if ('refusal' in checked) return answers.refusal(checked.refusal, checked.problems)
    const { document } = checked
    if (hash !== undefined && request.query !== undefined) persisted.keep(ctx.actor.id, hash, text)
    const operation = operationOf(document, request.operationName)
    if (operation?.operation === 'subscription') return answers.refusal(noSubscription())
    if (readsOnly && operation?.operation === 'mutation')
      return answers.refusal(platformError('method_not_allowed', { allowed: ['POST'] }))
    const result = await caller.library.execute({
      schema: caller.schema,
      document,
      contextValue: { ctx, related: createRelatedRecords(data, ctx) },
      variableValues: request.variables,
      operationName: request.operationName ?? null,
      abortSignal: ctx.signal,
    })
    return answers.of(result)
  }

  return {
    async run(ctx, read, readsOnly) {
      requireOpenRecords(authorizer(), ctx)
      let request: GraphqlRequest
      try {
        request = read()
      } catch (error) {
        if (error instanceof PlatformError) return createAnswers(ctx.requestId, log).refusal(error)
        throw error
      }
      return execute(ctx, request, readsOnly)
    },
    async sdl(ctx) {
      requireOpenRecords(authorizer(), ctx)
      return (await schemas.of(ctx)).sdl()
    },
  }
}

/** The operation that is meant; undefined where the document leaves that open, which the library refuses. */
function operationOf({ definitions }: DocumentNode, name: string | undefined): OperationDefinitionNode | undefined {
  const operations = definitions.filter((one) => one.kind === 'OperationDefinition')
  if (name !== undefined) return operations.find((one) => one.name?.value === name)
  return operations.length === 1 ? operations[0] : undefined
}

function invalidDocument({ message }: GraphQLError): PlatformError {
  // The library ends a check that would take long, and says no more than that.
  const reason = message === 'Validation aborted.' ? 'The document takes too long to be checked.' : message
  return invalidQuery('query', reason, { path: '' })
}

function noSubscription(): PlatformError {
  return invalidQuery('query', 'Subscriptions need a WebSocket.', { path: '' })
}
