// Writes answers: results in the shape their contract declares, errors in the shape of D-20. Knows no route by name.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ErrorBody } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { ChangeSource } from '#shared/events.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { AuditSink } from '#main/kernel/audit-sink.ts'
import { ByteStream, RawJson, Reply } from '#main/kernel/reply.ts'
import { errorBody, missingCredential, retryAfterOf, translateError } from './error-handler.ts'
import { jsonType } from './headers.ts'
import { headersOfRefusal } from './rate-limit.ts'
import type { RouteRuntime } from './route-runtime.ts'

/** What answering needs of the host. */
export interface AnswerContext {
  /** The sentence of an error code in the language a header asks for; undefined when there is none but the English one. */
  readonly localizeError: (code: string, acceptLanguage: string | undefined) => string | undefined
  readonly log: Logger
  readonly clock: Clock
  /** Check 2xx bodies against their contract: tests and development. */
  readonly validateResponses: boolean
  /** Where `Link: rel="deprecation"` points. */
  readonly docsUrl: () => string
  /** The methods of a pattern whose routes an object's API makes that offers these operations (D-71). */
  readonly methodsOffered: (url: string, operations: readonly string[]) => readonly string[]
  /** Hears of requests that are refused because of who asks. */
  readonly auditSink: () => AuditSink
}

/** The day the first deprecated features were announced (D-202), in Unix seconds. */
const deprecatedSince = Date.UTC(2026, 10, 20) / 1000

/**
 * Bodies up to this length are read to their end although they are refused: a connection that closes while its client
 * still writes is reset, and the client sees a broken connection in place of the answer.
 */
const drainedBytes = 67_108_864

/** Sends a refusal or a failure. Failures of the server are logged with their cause, which is never sent. */
export function sendError(
  answers: AnswerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
  limitBytes?: number,
): void {
  if (reply.sent) return
  const error = translateError(thrown, limitBytes)
  // A write that was refused untried on a full disk: the log has told of that once, and has no room for more.
  const isUntried = error.details['reason'] === 'disk_full' && error.cause === undefined
  if (error.httpStatus >= 500 && error.code !== 'not_implemented' && !isUntried) {
    const path = request.url.split('?', 1)[0]
    answers.log.error(
      { err: error.cause ?? error, requestId: request.id, method: request.method, path },
      'A request failed.',
    )
  }
  if (error.code === 'permission_denied' || error.details['reason'] === 'credential_invalid')
    tellAuditSink(answers, request, error)
  if (error.code === 'payload_too_large' && announcedBytes(request) <= drainedBytes)
    reply.header('connection', 'keep-alive')
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== null) reply.header('retry-after', String(retryAfter))
  const size = error.httpStatus === 416 ? error.details['size'] : undefined
  if (typeof size === 'number') reply.header('content-range', `bytes */${size}`)
  if (error.code === 'rate_limit_exceeded') agreeWithRefusal(answers, reply, error)
  const { allowed } = error.details
  if (error.code === 'method_not_allowed' && isWordList(allowed)) {
    // What an object's API does not offer names operations there, no methods.
    const isOfMethods = allowed.every((word) => /^[A-Z]+$/.test(word))
    const { url = '' } = request.routeOptions
    reply.header('allow', (isOfMethods ? allowed : answers.methodsOffered(url, allowed)).join(', '))
  }
  // Clients that can obtain a credential look for the way to bring it (RFC 9110); browsers ask nobody for this one.
  if (error.httpStatus === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', missingCredential)
  const contract = request.routeOptions.config.safety?.contract
  for (const [name, valueOf] of Object.entries(contract?.refusalsSend ?? {}))
    reply.header(name, valueOf(request.headers))
  reply.code(error.httpStatus).header('content-type', jsonType)
  reply.header('cache-control', 'no-store')
  const localized = answers.localizeError(error.code, request.headers['accept-language'])
  const body = errorBody(error, request.id, localized)
  reply.send(JSON.stringify(contract?.echoesCode === true ? echoCode(body) : body))
}

function isWordList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string')
}

/** The headers of an emptied bucket say when it is full again, and stay. */
function agreeWithRefusal({ clock }: AnswerContext, reply: FastifyReply, error: PlatformError): void {
  const headers = headersOfRefusal(error, clock.now())
  if (headers === null) return
  const names = ['x-ratelimit-limit', 'x-ratelimit-remaining'] as const
  if (names.some((name) => reply.getHeader(name) !== headers[name])) reply.headers(headers)
}

/** The body with the code of the library behind the route, or the own one in its spelling (D-37). */
function echoCode(body: ErrorBody): ErrorBody & { code: string; message: string } {
  const { error } = body
  const { reason = error.code.toUpperCase() } = error.details
  const code = typeof reason === 'string' && /^[A-Z][A-Z0-9_]*$/.test(reason) ? reason : error.code.toUpperCase()
  return { ...body, error: { ...error, details: { ...error.details, reason } }, code, message: error.message }
}

/** Where a request says it comes from (D-206). */
export function sourceOf(headers: Readonly<Record<string, unknown>>): ChangeSource {
  return headers['x-cairn-source'] === 'UI' ? 'UI' : 'API'
}

function tellAuditSink(answers: AnswerContext, request: FastifyRequest, error: PlatformError): void {
  answers.auditSink().refused({
    code: error.code === 'permission_denied' ? error.code : 'unauthenticated',
    details: error.details,
    caller: request.caller,
    operationId: request.routeOptions.config.safety?.contract?.operationId ?? null,
    requestId: request.id,
    source: sourceOf(request.headers),
  })
}

/** The length a request declares; infinite when it declares none. */
function announcedBytes(request: FastifyRequest): number {
  return Number(request.headers['content-length'] ?? Infinity)
}

/** Whether what a handler returned goes on after it. */
export function isStreamed(result: unknown): boolean {
  return (result instanceof Reply ? result.body : result) instanceof ByteStream
}

/**
 * Sends what a handler returned.
 * @param startedAt `performance.now()` at the start of an enveloped request
 * @throws Error when the result does not match its contract and responses are checked
 */
export function sendResult(
  answers: AnswerContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: RequestContext,
  startedAt: number,
  result: unknown,
): void {
  let status = runtime.status
  let body = result
  let contentType = jsonType
  if (body instanceof Reply) {
    status = body.status ?? status
    const headers = body.headers
    for (const name in headers) setHeader(reply, name, headers[name]!)
    if (typeof headers['content-type'] === 'string') contentType = headers['content-type']
    body = body.body as unknown
  }
  if (ctx.deprecations.length > 0 || runtime.contract.deprecated === true) addDeprecation(answers, runtime, reply, ctx)
  reply.code(status)
  if (status === 204 || status === 304) {
    reply.send()
    return
  }
  if (body instanceof ByteStream) {
    reply.header('content-type', body.contentType)
    reply.send(body.stream)
    return
  }
  let text = body instanceof RawJson ? body.text : JSON.stringify(body)
  if (text === undefined) throw new Error(`The handler of ${runtime.contract.operationId} answered nothing.`)
  if (answers.validateResponses) assertResponse(runtime, status, text)
  if (runtime.contract.envelope === true) {
    const meta = {
      requestId: request.id,
      timestamp: answers.clock.iso(),
      durationMs: Math.round(performance.now() - startedAt),
    }
    text = `{"success":true,"data":${text},"meta":${JSON.stringify(meta)}}`
  }
  reply.header('content-type', contentType)
  reply.send(text)
}

function setHeader(reply: FastifyReply, name: string, value: string | readonly string[]): void {
  // Answers to an allowed foreign origin carry CORS headers, so every answer varies by Origin.
  if (name.toLowerCase() === 'vary') reply.header('vary', `Origin, ${String(value)}`)
  else reply.header(name, value)
}

function addDeprecation(answers: AnswerContext, runtime: RouteRuntime, reply: FastifyReply, ctx: RequestContext): void {
  const used = ctx.deprecations.map(({ name, use }) => `${name}; use=${use}`)
  if (runtime.contract.deprecated === true) used.push(runtime.contract.operationId)
  const anchor = encodeURIComponent(ctx.deprecations[0]?.name ?? runtime.contract.operationId)
  const since = ctx.deprecations.map((one) =>
    one.since === undefined ? deprecatedSince : Math.floor(Date.parse(one.since) / 1000),
  )
  reply.header('deprecation', `@${since.length === 0 ? deprecatedSince : Math.min(...since)}`)
  reply.header('link', `<${answers.docsUrl()}#${anchor}>; rel="deprecation"`)
  reply.header('cairn-deprecated', [...new Set(used)].join(', '))
}

function assertResponse(runtime: RouteRuntime, status: number, text: string): void {
  if (status >= 300 || (runtime.contract.responseKind ?? 'json') !== 'json') return
  const checked = runtime.contract.response.safeParse(JSON.parse(text))
  if (checked.success) return
  const { operationId } = runtime.contract
  const issues = checked.error.issues.slice(0, 5).map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The answer of ${operationId} does not match its contract: ${issues.join('; ')}`)
}
