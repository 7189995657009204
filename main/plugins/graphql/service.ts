// Runs documents: found, parsed, measured, validated against the caller's schema, and then field by field (D-181, D-182).
// Knows no HTTP beyond the status an answer has.
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLError, OperationDefinitionNode } from 'graphql'
import { PlatformError, invalidQuery, platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireOpenRecords } from '#main/kernel/authorize.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import { createRecentMap } from '#main/kernel/recent-map.ts'
import { RawJson } from '#main/kernel/reply.ts'
import { createTurns } from '#main/kernel/turns.ts'
import type { DataService } from '#main/plugins/data/api.ts'
import type { GraphqlService } from './api.ts'
import type { Answers, GraphqlReply } from './service/answers.ts'
import { createAnswers } from './service/answers.ts'
import type { DirectAnswer, DirectResult } from './service/direct-answers.ts'
import type { GraphqlRequest } from './service/graphql-request.ts'
import { documentLimits, excessOf, tooMuch } from './service/limits.ts'
import { createPersistedDocuments } from './service/persisted-documents.ts'
import { createRelatedRecords } from './service/related-records.ts'
import type { Follow, RunContext } from './service/run-context.ts'
import type { GraphqlLibrary } from './service/scalars.ts'
import type { CallerSchema, SchemaCache } from './service/schema-cache.ts'
import { notOverSockets } from './service/subscription-socket.ts'

/** Texts of variables remembered per document, and the longest. */
const maxVariables = 32
const maxVariablesText = 400

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
   * @returns text for an answer without errors that was written without running the document
   */
  run(ctx: RequestContext, read: () => GraphqlRequest, readsOnly: boolean): Promise<GraphqlReply | RawJson>
}

/** The service with what its sockets need. */
export interface SubscriptionRunner {
  /**
   * Runs a subscription; what refuses it is the answer.
   * @param contextOf the context of the subscriber at the moment of the call
   * @param follow begins to follow a channel
   */
  subscribe(
    contextOf: () => RequestContext,
    read: () => GraphqlRequest,
    follow: Follow,
  ): Promise<GraphqlReply | AsyncGenerator<GraphqlReply, void, void>>
}

interface Prepared {
  readonly library: GraphqlLibrary
  /** Null where the operation has to be run. */
  readonly direct: DirectAnswer | null
  /** Undefined where the document leaves open what is meant. */
  readonly kind: OperationDefinitionNode['operation'] | undefined
  readonly variablesText: string
  readonly args: Pick<ExecutionArgs, 'schema' | 'document' | 'variableValues' | 'operationName'>
}

/** A document that may be run, or why it may not. */
type Checked =
  | { readonly document: DocumentNode }
  | { readonly refusal: PlatformError; readonly problems?: readonly GraphQLError[] }

/** Makes the service. */
export function createGraphqlService(parts: GraphqlParts): GraphqlRunner & SubscriptionRunner {
  const { data, schemas, authorizer, log } = parts
  const persisted = createPersistedDocuments()
  const inTurn = createTurns()

  const check = (
    { library, schema, documents }: CallerSchema,
    text: string,
    variables: GraphqlRequest['variables'],
    variablesText: string,
  ): Checked => {
    const known = documents.get(text)
    if (known?.fitting.get(variablesText) === true) return known
    if (known === undefined && text.length > documentLimits.characters) return { refusal: tooMuch('characters') }
    let document = known?.document
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
    }
    const checked = known ?? { document, fitting: createRecentMap<true>(maxVariables) }
    if (known === undefined) documents.set(text, checked)
    if (variablesText.length <= maxVariablesText) checked.fitting.set(variablesText, true)
    return checked
  }

  /** The document of a request with the schema it is valid in, or the answer that says why there is none. */
  const prepare = async (
    ctx: RequestContext,
    answers: Answers,
    read: () => GraphqlRequest,
  ): Promise<GraphqlReply | Prepared> => {
    requireOpenRecords(authorizer(), ctx)
    const request = readOrRefuse(read)
    if (request instanceof PlatformError) return answers.refusal(request)
    const { hash } = request
    const text = request.query ?? (hash === undefined ? undefined : persisted.find(ctx.actor.id, hash))
    if (text === undefined) return answers.unknownDocument()
    const caller = await schemas.of(ctx)
    const variablesText = JSON.stringify(request.variables)
    const checked = check(caller, text, request.variables, variablesText)
    if ('refusal' in checked) return answers.refusal(checked.refusal, checked.problems)
    const { document } = checked
    const operation = operationOf(document, request.operationName)
    if (hash !== undefined && request.query !== undefined) persisted.keep(ctx.actor.id, hash, text)
    return {
      library: caller.library,
      kind: operation?.operation,
      variablesText,
      direct: operation === undefined ? null : caller.direct(document, operation),
      args: {
        schema: caller.schema,
        document,
        variableValues: request.variables,
        operationName: request.operationName ?? null,
      },
    }
  }

  return {
    async run(ctx, read, readsOnly) {
      // However many documents come at once, other requests wait for one of them.
      await new Promise<void>(inTurn)
      const answers = createAnswers(ctx.requestId, log)
      const prepared = await prepare(ctx, answers, read)
      if ('status' in prepared) return prepared
      const { library, kind, args, direct, variablesText } = prepared
      if (kind === 'subscription') return answers.refusal(overSocketsOnly())
      if (readsOnly && kind === 'mutation')
        return answers.refusal(platformError('method_not_allowed', { allowed: ['POST'] }))
      const written = await answerDirectly(ctx, direct, args.variableValues ?? {}, variablesText)
      if (written?.errors.length === 0) return new RawJson(`{"data":${written.data}}`)
      if (written !== null) return answers.of({ data: JSON.parse(written.data) as unknown, errors: written.errors })
      const contextValue: RunContext = { ctx, related: createRelatedRecords(data, ctx) }
      return answers.of(await library.execute({ ...args, contextValue, abortSignal: ctx.signal }))
    },
    async subscribe(contextOf, read, follow) {
      const ctx = contextOf()
      const answers = createAnswers(ctx.requestId, log)
      const prepared = await prepare(ctx, answers, read).catch((error: unknown) => refusalOf(error, answers))
      if ('status' in prepared) return prepared
      const { library, kind, args } = prepared
      if (kind !== undefined && kind !== 'subscription') return answers.refusal(notOverSockets())
      const contextValue: RunContext = {
        ctx,
        related: createRelatedRecords(data, ctx),
        // Begun at once: what refuses it is the answer then, and not the end of a stream.
        follow: (wanted) => told(follow(wanted)),
      }
      const told = async function* (events: ReturnType<Follow>): ReturnType<Follow> {
        for await (const event of events) {
          // Rights are those of the moment an event is told.
          contextValue.ctx = contextOf()
          contextValue.related = createRelatedRecords(data, contextValue.ctx)
          yield event
        }
      }
      const stream = await library.subscribe({ ...args, contextValue })
      return Symbol.asyncIterator in stream ? answersOf(stream, answers) : answers.of(stream)
    },
    async sdl(ctx) {
      requireOpenRecords(authorizer(), ctx)
      return (await schemas.of(ctx)).sdl()
    },
  }
}

/** What an operation answers without being run; null where it has to be, which also words what its arguments refuse. */
async function answerDirectly(
  ctx: RequestContext,
  direct: DirectAnswer | null,
  variables: Readonly<Record<string, unknown>>,
  variablesText: string,
): Promise<DirectResult | null> {
  try {
    return (await direct?.(ctx, variables, variablesText)) ?? null
  } catch {
    return null
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

function readOrRefuse(read: () => GraphqlRequest): GraphqlRequest | PlatformError {
  try {
    return read()
  } catch (error) {
    if (error instanceof PlatformError) return error
    throw error
  }
}

/** The answer to a refusal, where nobody else turns it into one. @throws what is none */
function refusalOf(error: unknown, answers: Answers): GraphqlReply {
  if (error instanceof PlatformError) return answers.refusal(error)
  throw error
}

async function* answersOf(
  stream: AsyncIterable<ExecutionResult>,
  answers: Answers,
): AsyncGenerator<GraphqlReply, void, void> {
  for await (const result of stream) yield answers.of(result)
}

function overSocketsOnly(): PlatformError {
  return invalidQuery('query', 'Subscriptions need a WebSocket.', { path: '' })
}
