// The life of one request: guards, credential, rate bucket, parsing, permission, handler, answer. One pass, prepared at
// start; knows no capability.
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RateClass } from '#shared/route.ts'
import { PlatformError, platformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import { requireObjectAction, requireSystemPermission } from '#main/kernel/authorize.ts'
import type { EffectKey, RequestContext } from '#main/kernel/context.ts'
import type { AnswerContext } from './answer.ts'
import { isStreamed, sendError, sendResult, sourceOf } from './answer.ts'
import { contextPart } from '#main/kernel/identity.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { CredentialCheck } from '#main/kernel/sockets.ts'
import type { ArrivalLimits } from './arrival.ts'
import { limitArrival } from './arrival.ts'
import type { Authenticate } from './authenticate.ts'
import { anonymousCaller, credentialCheck } from './authenticate.ts'
import type { RefuseCredential } from './credential-refusal.ts'
import type { Authorities } from './authority.ts'
import type { Guards } from './guard.ts'
import { exposedHeaders } from './headers.ts'
import type { IdempotencyKeys } from './idempotency.ts'
import { isBeyondLoopback, isRepeat } from './passed-on.ts'
import { parseQueryString, queryOf } from './query-string.ts'
import { readRawBody } from './raw-body.ts'
import { accountKey, addressKey } from './rate-key.ts'
import type { RateLimiter, RateVerdict } from './rate-limit.ts'
import type { SeesRecord } from './replay-rights.ts'
import { replayRights } from './replay-rights.ts'
import { heldToContract, takesIdempotencyKey } from './route-headers.ts'
import type { HandlerInput, RouteRuntime, RouteSafety } from './route-runtime.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the guards before anything else runs. */
    caller: Caller
  }
}

/** Everything the pipeline needs of the server. Members that change are read at each request. */
export interface PipelineContext extends AnswerContext {
  readonly guards: Guards
  authorities: Authorities
  /** Names and origins of the listener other machines reach; null while there is none. */
  publicAuthorities: Authorities | null
  /** False: a cookie alone authorises writes (`disableCSRFCheck`). */
  readonly cookieRule: boolean
  /** What the client certificate of a connection from another machine lacks; null when it may go on. */
  clientRefusal: (socket: Socket) => PlatformError | null
  /** True once the server is stopping: new work is refused. */
  closing: boolean
  /** What aborts the answers that may last as long as the host. */
  readonly lasting: Map<ServerResponse, AbortController>
  readonly authenticate: Authenticate
  readonly refuseCredential: RefuseCredential
  readonly resolveLocale: (acceptLanguage: string | undefined) => string
  readonly limiter: RateLimiter
  readonly idempotencyKeys: IdempotencyKeys
  /** Those of routes whose answers must not reach the disk. */
  readonly passingIdempotencyKeys: IdempotencyKeys
  /** Whether a caller may read a record now. */
  readonly seesRecord: SeesRecord
  readonly authorizer: () => Authorizer
  readonly permissionEpoch: () => number
  readonly arrived: () => void
  readonly arrival: ArrivalLimits
  /** Whether answers may leave; null when nothing but the host itself decides that. */
  readonly answerGate: AnswerGate | null
}

/**
 * Asked before an answer leaves: null lets it go at once, a promise when it resolves; where it rejects, that is the answer.
 */
export type AnswerGate = () => Promise<void> | null

/**
 * Runs the guards of a route: host, origin, URL, version, content type, credential, cookie rule, rate bucket.
 * Answers true when the request may go on; otherwise the refusal is already sent.
 * @source D-15, D-27, D-28, D-31, D-200, D-201
 */
export function admit(
  pipeline: PipelineContext,
  safety: RouteSafety,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean {
  pipeline.arrived()
  limitArrival(pipeline, pipeline.arrival, request, reply, safety.contract?.streams === true)
  reply.headers(pipeline.guards.headers)
  reply.header('x-request-id', request.id)
  const refusal = refuse(pipeline, safety, request, reply)
  if (refusal === null) return true
  sendError(pipeline, request, reply, refusal, safety.limitBytes)
  return false
}

function refuse(
  pipeline: PipelineContext,
  safety: RouteSafety,
  request: FastifyRequest,
  reply: FastifyReply,
): PlatformError | null {
  const { guards } = pipeline
  const raw = request.raw
  const authorities = authoritiesOf(pipeline, raw)
  const beyondLoopback = authorities !== pipeline.authorities
  const headers = raw.headers
  let refusal = guards.host(raw, authorities) ?? guards.origin(raw, authorities, safety.entry)
  if (refusal !== null) return refusal
  if (headers.origin !== undefined && guards.cors(headers.origin, authorities)) addCors(reply, headers.origin)
  if (beyondLoopback) {
    refusal = pipeline.clientRefusal(raw.socket)
    if (refusal === null && safety.localOnly) refusal = platformError('resource_not_found', { reason: 'route' })
    if (refusal !== null) return refusal
  }
  if (pipeline.closing) return platformError('service_unavailable', { reason: 'stopping', retryAfterSeconds: 1 })
  refusal = guards.url(raw) ?? refuseVersion(raw.url!, headers['x-api-version'])
  if (refusal === null && safety.accepted !== null) refusal = guards.mediaType(raw, safety.accepted)
  if (refusal !== null) return refusal

  const caller = pipeline.authenticate(raw, beyondLoopback)
  if (caller === 'invalid') {
    if (!safety.toleratesBadCredential) return pipeline.refuseCredential(headers)
    request.caller = anonymousCaller
  } else {
    request.caller = caller
    if (caller.credential === 'none') {
      if (!safety.anonymous && guards.credential)
        return platformError('unauthenticated', { reason: 'credential_missing' })
    } else if (safety.mutates) {
      if (caller.byCookie) refusal = pipeline.cookieRule ? guards.cookieWrite(raw, authorities) : null
      else if (caller.scope?.readOnly === true && safety.contract?.takesReadOnlyKeys !== true)
        refusal = platformError('permission_denied', { reason: 'read_only_key' })
      if (refusal !== null) return refusal
    }
  }
  return safety.rateLimit === 'none' ? null : takeFromBucket(pipeline, safety.rateLimit, safety, request, reply, 1)
}

/** The names and origins that count for a request. */
export function authoritiesOf(pipeline: PipelineContext, request: { readonly socket: Socket }): Authorities {
  return isBeyondLoopback(request.socket) ? (pipeline.publicAuthorities ?? pipeline.authorities) : pipeline.authorities
}

/**
 * Parses the parts, checks the contract's permission, calls the handler and sends what it returns. A promise is given
 * the contract's time limit and a signal that aborts when the client goes away.
 */
export function serve(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const startedAt = runtime.contract.envelope === true ? performance.now() : 0
  try {
    const caller = request.caller
    const abort = spareAbort ?? new AbortController()
    spareAbort = undefined
    const headers = request.raw.headers as Readonly<Record<string, string | undefined>>
    const ctx: RequestContext = {
      ...contextPart(caller),
      permissionEpoch: pipeline.permissionEpoch(),
      locale: pipeline.resolveLocale(headers['accept-language']),
      requestId: request.id,
      source: sourceOf(headers),
      signal: abort.signal,
      depth: 0,
      deprecations: [],
      ...(runtime.contract.keepsCredential === true ? { credentials: checkOf(pipeline, request) } : {}),
    }
    if (runtime.contract.endsWithHost === true) endWithHost(pipeline, reply, abort)
    if (caller.credential === 'api-key') pipeline.auditSink().keyUsed(caller, request.id)
    const given = pipeline.validateResponses ? heldToContract(runtime.contract, headers) : headers
    const input: HandlerInput = { params: request.params, query: undefined, body: undefined, headers: given }
    requirePermission(pipeline, runtime, ctx, input)
    if (runtime.parseParams !== null) input.params = runtime.parseParams(request.params)
    if (runtime.parseQuery !== null) input.query = runtime.parseQuery(parseQueryString(queryOf(request.raw.url!)))
    if (runtime.contract.streams === true && request.body instanceof Readable) {
      // A handler that stops reading must not break the connection its answer goes through.
      input.stream = request.body.iterator({ destroyOnReturn: false })
    } else if (runtime.contract.keepsRawBody === true) {
      const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
      input.raw = { bytes, address: request.raw.socket.remoteAddress ?? '' }
      input.body = readRawBody(bytes, headers['content-type'] ?? '', pipeline.guards.parseBody)
    } else if (runtime.parseBody !== null) {
      input.body = runtime.parseBody(request.body)
      chargeForBody(pipeline, runtime, request, input.body, reply)
    }
    const isKeyed = caller.credential !== 'none' && takesIdempotencyKey(runtime.contract)
    const key = isKeyed ? headers['idempotency-key'] : undefined
    // Another node took its key for one that counts.
    if (runtime.mutates && key === undefined && isRepeat(request.raw)) throw mayBeDone()
    const result =
      key === undefined
        ? runtime.handler(ctx, input)
        : runOnce(pipeline, runtime, request, reply, ctx, key, input.stream !== undefined, (effectKey) =>
            runtime.handler(effectKey === undefined ? ctx : { ...ctx, effectKey }, input),
          )
    if (input.stream !== undefined) drainAfter(result, request.body as Readable)
    if (result instanceof Promise) {
      awaitResult(pipeline, runtime, request, reply, ctx, abort, startedAt, result)
      return
    }
    if (!runtime.mutates && runtime.contract.endsWithHost !== true && !isStreamed(result)) spareAbort = abort
    // Without a gate nothing is made for one.
    if (pipeline.answerGate === null) sendResult(pipeline, runtime, request, reply, ctx, startedAt, result)
    else
      release(pipeline, runtime, request, reply, () =>
        sendResult(pipeline, runtime, request, reply, ctx, startedAt, result),
      )
  } catch (error) {
    const send = (): void => sendError(pipeline, request, reply, error, runtime.limitBytes)
    release(pipeline, runtime, request, reply, send, error)
  }
}

/**
 * The end of a read that was answered in the turn it came in: nothing of it goes on, so the next request may have it. Making
 * one takes longer than the query behind a small answer.
 */
let spareAbort: AbortController | undefined

/**
 * Sends an answer, or what the gate has against it.
 * @param thrown what the answer is of; what says that nothing could be stored has waited for that, and does not once more
 */
function release(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
  send: () => void,
  thrown?: unknown,
): void {
  const hasWaited =
    thrown instanceof PlatformError && thrown.code === 'service_unavailable' && thrown.details['reason'] === undefined
  const gateMs = hasWaited ? 1 : runtime.contract.gateMs
  const opens = pipeline.answerGate === null || gateMs === 0 ? null : pipeline.answerGate()
  if (opens === null) {
    send()
    return
  }
  const refuse = (error: unknown): void =>
    sendError(pipeline, request, reply, runtime.mutates ? mayHaveActed(error) : error, runtime.limitBytes)
  const inTime = gateMs === undefined ? opens : Promise.race([opens, tooLate(gateMs)])
  inTime.then(send).catch(refuse)
}

/** What the gate holds back of a write may have been stored all the same. */
function mayHaveActed(error: unknown): unknown {
  if (!(error instanceof PlatformError) || error.code !== 'service_unavailable') return error
  const { code, details, ...definition } = error
  const told = { ...definition, message: error.message }
  return new PlatformError(code, told, { ...details, outcome: 'unknown' }, error.cause)
}

/** What is asked again may have been done, and nothing here tells whether it was. */
function mayBeDone(): PlatformError {
  return platformError('service_unavailable', { reason: 'not_repeatable', outcome: 'unknown', retryAfterSeconds: 1 })
}

/** @throws service_unavailable after so many milliseconds */
async function tooLate(ms: number): Promise<never> {
  await sleep(ms, undefined, { ref: false })
  throw platformError('service_unavailable', { reason: 'hub_store', retryAfterSeconds: 1 })
}

function checkOf(pipeline: PipelineContext, { raw }: FastifyRequest): CredentialCheck {
  return credentialCheck(pipeline.authenticate, raw, authoritiesOf(pipeline, raw) !== pipeline.authorities)
}

/** What may last long, or has no end of its own, ends with its client and with the host. */
function endWithHost(pipeline: PipelineContext, reply: FastifyReply, abort: AbortController): void {
  pipeline.lasting.set(reply.raw, abort)
  reply.raw.once('close', () => {
    pipeline.lasting.delete(reply.raw)
    abort.abort(new Error('The client went away.'))
  })
}

/** What a handler leaves of a body is read to its end, so that the client sees the answer. */
function drainAfter(result: unknown, body: Readable): void {
  const drain = (): void => void body.resume()
  void Promise.resolve(result).then(drain, drain)
}

function runOnce(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: RequestContext,
  key: string,
  streamed: boolean,
  /** @param key absent: the write leaves no mark in the database */
  work: (key: EffectKey | undefined) => unknown,
): unknown {
  const write = {
    credentialId: request.caller.credentialId,
    key,
    method: runtime.contract.method,
    path: request.raw.url!,
    // A stream is read once, by its handler; its length stands for it.
    body: streamed ? [request.headers['content-type'], request.headers['content-length']] : request.body,
    rights: replayRights(ctx, (request.params as { object?: unknown }).object, {
      fingerprint: (who) => pipeline.authorizer().fingerprint({ ...who, permissionEpoch: pipeline.permissionEpoch() }),
      sees: pipeline.seesRecord,
    }),
  }
  const onReplay = (): void => {
    void reply.header('idempotent-replay', 'true')
  }
  return runtime.contract.keepsAnswer === 'in-memory'
    ? pipeline.passingIdempotencyKeys.run(write, () => work(undefined), onReplay)
    : pipeline.idempotencyKeys.run(write, work, onReplay)
}

/** A timer that is later than this was held up by work. */
const heldMs = 50
/** What is done has no more to wait for than the disk. */
const graceMs = 5_000

function awaitResult(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  reply: FastifyReply,
  ctx: RequestContext,
  abort: AbortController,
  startedAt: number,
  result: Promise<unknown>,
): void {
  let settled = false
  const due = performance.now() + runtime.timeoutMs
  const stop = (): void => {
    settled = true
    const outcome = runtime.mutates ? { outcome: 'unknown' } : {}
    const error = platformError('timeout', { limitMs: runtime.timeoutMs, ...outcome })
    abort.abort(error)
    sendError(pipeline, request, reply, error)
  }
  let timer = setTimeout(() => {
    // A limit that comes late passed while the event loop was held: what held it may be this very request, done by now.
    if (performance.now() - due < heldMs) stop()
    else timer = setTimeout(stop, graceMs)
  }, runtime.timeoutMs)
  reply.raw.once('close', () => {
    if (settled) return
    settled = true
    clearTimeout(timer)
    abort.abort(new Error('The client went away.'))
  })
  result.then(
    (value) => {
      if (settled) return
      settled = true
      clearTimeout(timer)
      try {
        release(pipeline, runtime, request, reply, () =>
          sendResult(pipeline, runtime, request, reply, ctx, startedAt, value),
        )
      } catch (error) {
        sendError(pipeline, request, reply, error)
      }
    },
    (error: unknown) => {
      if (settled) {
        // The caller already has an answer or is gone; only a fault that is not the abort itself is worth a line.
        if (!abort.signal.aborted)
          pipeline.log.error({ err: error, requestId: request.id }, 'A request failed after its answer.')
        return
      }
      settled = true
      clearTimeout(timer)
      const send = (): void => sendError(pipeline, request, reply, error, runtime.limitBytes)
      release(pipeline, runtime, request, reply, send, error)
    },
  )
}

function requirePermission(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  ctx: RequestContext,
  input: HandlerInput,
): void {
  const permission = runtime.contract.permission
  if (typeof permission === 'string') return
  if ('system' in permission) {
    requireSystemPermission(pipeline.authorizer(), ctx, permission.system)
    return
  }
  const object = (input.params as { object: string }).object
  requireObjectAction(pipeline.authorizer(), ctx, object, permission.action)
}

function takeFromBucket(
  pipeline: PipelineContext,
  rateClass: Exclude<RateClass, 'none'>,
  safety: RouteSafety,
  request: FastifyRequest,
  reply: FastifyReply,
  cost: number,
): PlatformError | null {
  const { caller, raw } = request
  const { contract } = safety
  if (caller.credential === 'connection-token' && rateClass !== 'auth') return null
  const who = caller.credentialId === '' ? addressKey(raw.socket.remoteAddress) : caller.credentialId
  let key = who
  if (rateClass === 'auth') key += `|${contract?.operationId ?? ''}`
  else if (rateClass === 'hooks') key += `|${raw.url!.split('?', 1)[0]}`
  const isAddress = rateClass === 'auth' && caller.credentialId === ''
  const verdict = isAddress ? takeOfAddress(pipeline, key, safety, reply) : pipeline.limiter.take(rateClass, key, cost)
  if (verdict !== null) tellBucket(reply, verdict)
  if (verdict?.refusal != null || contract?.ownRate === undefined) return verdict?.refusal ?? null
  const { windowMs, maxRequests } = contract.ownRate
  const bucket = { burst: maxRequests, refillPerSecond: (maxRequests * 1000) / windowMs }
  const own = pipeline.limiter.takeOwn(rateClass, `${who}|${contract.operationId}`, bucket)
  tellBucket(reply, own)
  return own.refusal
}

/**
 * The bucket of an address counts calls that failed: each takes at first, so that any number at once meets the limit, and
 * gives back once it is answered otherwise. Whoever goes before the answer counts.
 */
function takeOfAddress(pipeline: PipelineContext, key: string, safety: RouteSafety, reply: FastifyReply): RateVerdict {
  const verdict = pipeline.limiter.takeWide(key)
  if (verdict.refusal === null && safety.contract?.asksNoProof !== true)
    reply.raw.once('finish', () => {
      // A refusal by the account's own bucket judged nothing.
      if (reply.statusCode < 400 || reply.statusCode === 429) pipeline.limiter.giveBackWide(key)
    })
  return verdict
}

/** Of several buckets an answer tells of the one that refuses, else of the one with the fewest calls left. */
function tellBucket(reply: FastifyReply, { headers, refusal }: RateVerdict): void {
  const told = reply.getHeader('x-ratelimit-remaining')
  const isFuller = told !== undefined && Number(told) < Number(headers['x-ratelimit-remaining'])
  if (refusal !== null || !isFuller) reply.headers(headers)
}

/**
 * What a request costs beyond one, known once its body is: a batch counts 1 + rows/50, and a sign-in takes from the
 * bucket of its account too, whoever asks.
 * @throws rate_limit_exceeded
 * @source D-200
 */
function chargeForBody(
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  request: FastifyRequest,
  body: unknown,
  reply: FastifyReply,
): void {
  let refusal: PlatformError | null = null
  if (runtime.rateLimit === 'auth') {
    const account = accountKey(body, request.raw.headers.authorization)
    const verdict =
      account === null ? null : pipeline.limiter.take('auth', `${account}|${runtime.contract.operationId}`)
    if (verdict !== null) tellBucket(reply, verdict)
    refusal = verdict?.refusal ?? null
  } else if (runtime.countRows !== null && request.caller.credential !== 'connection-token') {
    const extra = Math.floor(runtime.countRows(request.body) / 50)
    const verdict = extra === 0 ? null : pipeline.limiter.take('write', request.caller.credentialId, extra)
    if (verdict !== null) tellBucket(reply, verdict)
    refusal = verdict?.refusal ?? null
  }
  if (refusal !== null) throw refusal
}

function addCors(reply: FastifyReply, origin: string): void {
  reply.header('access-control-allow-origin', origin)
  reply.header('access-control-allow-credentials', 'true')
  reply.header('access-control-expose-headers', exposedHeaders)
}

function refuseVersion(url: string, header: string | string[] | undefined): PlatformError | null {
  if (header !== undefined && header !== 'v1') return wrongVersion()
  if (!url.includes('api-version=')) return null
  const asked = parseQueryString(queryOf(url))['api-version']
  return asked === undefined || asked === 'v1' ? null : wrongVersion()
}

function wrongVersion(): PlatformError {
  return platformError('validation_error', { reason: 'api_version', supported: ['v1'] })
}
