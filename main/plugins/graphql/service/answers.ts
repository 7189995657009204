// Answers in the words of GraphQL: the errors of a run with the platform's error object in each, and refusals (D-182).
import type { FormattedExecutionResult, GraphQLError, GraphQLFormattedError } from 'graphql'
import type { ErrorObject } from '#shared/errors.ts'
import { PlatformError, errorObject, invalidQuery, platformError } from '#shared/errors.ts'
import { diskFullError, isDiskFull } from '#main/kernel/disk-full.ts'
import type { Logger } from '#main/kernel/logger.ts'

/** An answer with its status. */
export interface GraphqlReply {
  readonly status: number
  readonly body: {
    readonly data?: Record<string, unknown> | null
    readonly errors?: readonly FormattedError[]
    readonly success?: false
    readonly error?: ErrorObject
  }
}

/** One entry of `errors`: where in document and data, and the platform's error object. */
export type FormattedError = Omit<GraphQLFormattedError, 'extensions'> & { readonly extensions: ErrorObject }

/** Answers to one request. */
export interface Answers {
  /** Of a document that was run. */
  of(result: FormattedExecutionResult | { errors?: readonly GraphQLError[]; data?: unknown }): GraphqlReply
  /** Of one that was not: status of the error, and the error itself beside `errors`. */
  refusal(error: PlatformError, found?: readonly GraphQLError[]): GraphqlReply
  /** The protocol's word for a hash that stands for nothing here. */
  unknownDocument(): GraphqlReply
}

/** Makes the answers of one request. */
export function createAnswers(requestId: string, log: Logger): Answers {
  const logged = new Set<unknown>()

  const platformErrorOf = (error: GraphQLError): PlatformError => {
    const cause = rootOf(error)
    if (cause === undefined) return invalidQuery('query', error.message, { path: error.path?.join('.') ?? '' })
    if (cause instanceof PlatformError) return cause
    if (isDiskFull(cause)) return diskFullError(cause)
    // What many fields wait for fails in each of them.
    if (!logged.has(cause)) log.error({ err: cause, requestId }, 'A GraphQL field failed.')
    logged.add(cause)
    return platformError('internal_error')
  }

  const formatted = (error: GraphQLError): FormattedError => {
    const platform = platformErrorOf(error)
    const isOwn = rootOf(error) === undefined
    // With the place in the document and in the data.
    const plain = error.toJSON()
    return {
      ...plain,
      message: isOwn ? plain.message : messageOf(platform),
      extensions: errorObject(platform, requestId),
    }
  }

  const refusal: Answers['refusal'] = (error, found = []) => ({
    status: error.httpStatus,
    body: {
      errors:
        found.length > 0
          ? found.map(formatted)
          : [{ message: messageOf(error), extensions: errorObject(error, requestId) }],
      success: false,
      error: errorObject(error, requestId),
    },
  })

  return {
    refusal,
    of(result) {
      const errors = (result.errors ?? []) as readonly GraphQLError[]
      if (!('data' in result) || result.data === undefined) {
        const [first] = errors
        return refusal(first === undefined ? platformError('internal_error') : platformErrorOf(first), errors)
      }
      const data = result.data as Record<string, unknown> | null
      return { status: 200, body: errors.length === 0 ? { data } : { data, errors: errors.map(formatted) } }
    },
    unknownDocument: () => ({
      status: 200,
      body: {
        errors: [
          {
            message: 'PersistedQueryNotFound',
            extensions: {
              code: 'PERSISTED_QUERY_NOT_FOUND',
              message: 'PersistedQueryNotFound',
              httpStatus: 404,
              category: 'request',
              retryable: true,
              details: {},
              requestId,
            },
          },
        ],
      },
    }),
  }
}

/** What was thrown in a field; undefined for an error of the language itself. */
function rootOf(error: GraphQLError): unknown {
  let cause: unknown = error.originalError
  while (cause !== undefined && isLanguageError(cause)) cause = cause.originalError
  return cause
}

function isLanguageError(error: unknown): error is GraphQLError {
  return error instanceof Error && error.name === 'GraphQLError'
}

/** The reason, where a refusal of a document has one. */
function messageOf({ details, message }: PlatformError): string {
  const { reason } = details
  return typeof reason === 'string' && reason.includes(' ') ? reason : message
}
