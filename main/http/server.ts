// The HTTP server: binds prepared contracts to Fastify, listens on loopback and stops in an orderly way.
// Knows no capability; the composition root hands it routes, credentials and limits.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fastifyStatic from '@fastify/static'
import { fastify } from 'fastify'
import type {
  FastifyInstance,
  FastifyRequest,
  InjectOptions,
  LightMyRequestResponse,
  RouteShorthandOptions,
} from 'fastify'
import { defaultPrefix } from '#shared/api-prefix.ts'
import { anyType } from '#shared/route.ts'
import type { AnyRoute } from '#shared/route.ts'
import { platformError } from '#shared/errors.ts'
import type { ErrorTable, PlatformError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { AnswerStore } from '#main/kernel/answer-store.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { SocketRoute } from '#main/kernel/sockets.ts'
import type { AuditSink } from '#main/kernel/audit-sink.ts'
import { noAuditSink } from '#main/kernel/audit-sink.ts'
import { defaultArrival } from './arrival.ts'
import type { ArrivalLimits } from './arrival.ts'
import { documentBindings } from './documents.ts'
import { sendError } from './answer.ts'
import type { Caller } from '#main/kernel/identity.ts'
import { noIdentities } from '#main/kernel/identity.ts'
import type { Authenticate } from './authenticate.ts'
import type { RefuseCredential } from './credential-refusal.ts'
import { createCredentialRefusal } from './credential-refusal.ts'
import type { PublicListen } from './access-config.ts'
import { createAuthorities, createPublicAuthorities } from './authority.ts'
import { consoleBindings, createShellHandler, fileRefusal, shellSafety } from './console.ts'
import type { ConsoleSessions, OneTimeCodes } from './console-session.ts'
import { allGuards, guardUpgrade, isSocketUpgrade, maxHeaderBytes, maxUrlBytes } from './guard.ts'
import type { GuardedRequest, Guards } from './guard.ts'
import { createIdempotencyKeys, createMemory } from './idempotency.ts'
import { createFallback, createMethodIndex, unknownPathSafety } from './not-found.ts'
import type { MethodIndex } from './not-found.ts'
import { acceptPassedOn } from './passed-on.ts'
import { admit, authoritiesOf, serve } from './pipeline.ts'
import type { AnswerGate, PipelineContext } from './pipeline.ts'
import type { SeesRecord } from './replay-rights.ts'
import { requestIdOf } from './request-id.ts'
import { createRunningRequests } from './running-requests.ts'
import { createRateLimiter, defaultRateLimits } from './rate-limit.ts'
import type { RateLimits } from './rate-limit.ts'
import { assertNoConflicts, createRouteRuntime, defaultBodyLimitBytes, pathsOf } from './route-runtime.ts'
import type { MountPaths, RouteBinding, RouteRuntime, RouteSafety } from './route-runtime.ts'
import { answerClientError } from './error-handler.ts'
import { defaultCookies } from './session-cookie.ts'
import type { CookieChoices } from './session-cookie.ts'
import { createPublicListener } from './tls/public-listener.ts'
import type { PublicListener } from './tls/public-listener.ts'
import { serveWebSockets } from './websocket.ts'

/** What a server is made of. */
export interface HttpServerOptions {
  /** Every route of every plugin; the console's own are added by the server. */
  readonly routes: readonly RouteBinding[]
  /** Every path of every plugin that answers upgrades. */
  readonly sockets?: readonly SocketRoute[]
  /** Version of the product, for the API documents. */
  readonly version: string
  /** The plugins' error tables, for the API documents. */
  readonly errorTables?: () => readonly ErrorTable[]
  /** API prefix, default `/api/v1`. */
  readonly prefix?: string
  /** Path of the application shell, default `/_console`. */
  readonly uiBasePath?: string
  /** Folder of the built shell; a plain page says so when it is missing. */
  readonly consoleDir: string
  readonly authenticate: Authenticate
  /** Says why a credential does not hold; default: that it does not. */
  readonly refuseCredential?: RefuseCredential
  readonly codes: OneTimeCodes
  readonly sessions: ConsoleSessions
  /** The proof of identity for a nonce: `(nonce) => proofFor(connectionToken, nonce)` of running-host.ts. */
  readonly prove: (nonce: string) => string
  readonly log: Logger
  readonly clock: Clock
  /** Keeps the answers of repeatable writes over restarts. Default: in memory. */
  readonly answers?: AnswerStore
  readonly ids: Ids
  readonly authorizer: () => Authorizer
  readonly permissionEpoch: () => number
  /** Whether a caller may read a record now; asked before an answer is told again. Default: yes. */
  readonly seesRecord?: SeesRecord
  /** Hears of every request. Default: nobody. */
  readonly arrived?: () => void
  /** Decides whether answers may leave. Default: nothing but the host does. */
  readonly answerGate?: AnswerGate
  /** By which other nodes of a hub sign what they pass on. Default: nobody passes on. */
  readonly passKey?: Buffer
  /** Hears of refused requests and used keys. Default: nobody. */
  readonly auditSink?: () => AuditSink
  /** Answers the locale for an Accept-Language header; see createLocaleResolver. Default: always `en`. */
  readonly resolveLocale?: (acceptLanguage: string | undefined) => string
  /** Translates the message of an error code (D-20); absent: messages are English only. */
  readonly localizeError?: (code: string, acceptLanguage: string | undefined) => string | undefined
  /** The buckets in force, read at each request. Default: those of D-200. */
  readonly rateLimits?: () => RateLimits
  /** An address beside loopback under which the server is reached, `scheme://host[:port]`. */
  readonly baseUrl?: string
  readonly trustedOrigins?: readonly string[]
  /** The listener other machines reach; needs `baseUrl`. Default: none. */
  readonly publicListen?: PublicListen & { readonly folder: string; readonly watchIntervalMs?: number }
  readonly cookies?: CookieChoices
  /** False lets a cookie alone authorise writes (`disableCSRFCheck`, D-31). Default: true. */
  readonly cookieRule?: boolean
  /** How long requests may take to arrive. Default: those of D-199. */
  readonly arrival?: ArrivalLimits
  /** Check 2xx bodies against their contracts: tests and development. */
  readonly validateResponses?: boolean
  /** Default: all. Safety twins pass a set with one switched off. */
  readonly guards?: Guards
}

/** One method and path the running server answers. */
export interface RouteEntry {
  readonly method: string
  readonly url: string
  readonly plugin: string
  /** Null for files of the application shell and its redirect. */
  readonly contract: AnyRoute | null
  readonly anonymous: boolean
  readonly mutates: boolean
  readonly channel: string
}

/** What hands requests to a server that does not listen. */
export interface Attached {
  route(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void
}

/** A server that is ready to listen. */
export interface HttpServer {
  /**
   * Listens on 127.0.0.1; 0 picks a free port.
   * @throws the socket's error, for example EADDRINUSE
   */
  listen(port: number): Promise<{ port: number; baseUrl: string }>
  /**
   * Listens where other machines reach the host, when that is configured; answers the port, else null.
   * @throws Error with a sentence when the configured address cannot be listened on
   */
  listenPublic(): Promise<number | null>
  /**
   * Answers what a listener of somebody else takes on this port; nothing listens here. A server with an answer gate only.
   */
  attach(port: number): Attached
  /** Refuses new work, does what comes `before`, lets running requests end for up to five seconds, then closes every connection. */
  close(before?: () => Promise<void>): Promise<void>
  /**
   * Refuses new requests, and resolves when those that run have ended, or after so many milliseconds. A server with an
   * answer gate only.
   * @returns takes requests again
   */
  drain(ms: number): Promise<() => void>
  /** Calls the server without a socket; the default Host passes while the server does not listen. */
  inject(request: InjectOptions | string): Promise<LightMyRequestResponse>
  /** What the server really serves, files and aliases and HEAD included. */
  routeTable(): readonly RouteEntry[]
  /** The address people are given, without trailing slash: the configured one, else that on loopback. */
  baseUrl(): string
  /** The address on loopback, where the connection token and one-time codes hold. */
  localUrl(): string
  /** Address of the application shell. */
  consoleUrl(): string
  /** The guards for an upgrade request on the same socket; null lets it pass. */
  guardUpgrade(request: GuardedRequest & { readonly socket?: Socket }): PlatformError | null
  /** The Node server, for upgrades; it also raises those of the listener other machines reach. */
  readonly server: Server
}

/** How long running requests may take after close (architecture section 13). */
const drainMs = 5_000

/** Answers kept at most of those that may hold secrets, in memory alone. */
const maxPassingAnswers = 1_000

/**
 * Builds the server.
 * @throws Error when two plugins claim one method and path
 */
export async function createHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const mounts = { prefix: options.prefix ?? defaultPrefix, uiBasePath: options.uiBasePath ?? '/_console' }
  const guards = options.guards ?? allGuards
  const addressOptions = {
    trustedOrigins: options.trustedOrigins ?? [],
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
  }
  let localUrl = 'http://127.0.0.1:80'
  const consoleUrl = (): string => `${localUrl}${mounts.uiBasePath}/`
  const cookies = options.cookies ?? defaultCookies
  const pipeline: PipelineContext = {
    log: options.log,
    clock: options.clock,
    validateResponses: options.validateResponses ?? false,
    methodsOffered: (url, operations) => index.methodsOffered(url, operations),
    docsUrl: () => `${mounts.prefix}/docs`,
    guards,
    // Port 80 until the server listens: injected requests name it, and no socket exists that could.
    authorities: createAuthorities({ port: 80, ...addressOptions }),
    publicAuthorities: publicAuthoritiesOf(options),
    clientRefusal: () => null,
    cookieRule: options.cookieRule ?? true,
    arrived: options.arrived ?? (() => undefined),
    arrival: options.arrival ?? defaultArrival,
    answerGate: options.answerGate ?? null,
    closing: false,
    lasting: new Map(),
    authenticate: options.authenticate,
    refuseCredential: options.refuseCredential ?? createCredentialRefusal(() => noIdentities),
    resolveLocale: options.resolveLocale ?? (() => 'en'),
    localizeError: options.localizeError ?? (() => undefined),
    limiter: createRateLimiter(options.clock, options.rateLimits ?? (() => defaultRateLimits)),
    idempotencyKeys: createIdempotencyKeys(options.clock, options.answers),
    passingIdempotencyKeys: createIdempotencyKeys(options.clock, createMemory(maxPassingAnswers, options.answers)),
    authorizer: options.authorizer,
    seesRecord: options.seesRecord ?? (() => true),
    permissionEpoch: options.permissionEpoch,
    auditSink: options.auditSink ?? (() => noAuditSink),
  }
  const app = createFastify(options.ids, pipeline)
  // Nobody has to meet it (RFC 9110 section 10.1.1), and Node's own refusal is none of the protocol.
  app.server.on('checkExpectation', (request, response) => void app.server.emit('request', request, response))
  const bindings: RouteBinding[] = [
    ...options.routes,
    ...documentBindings({
      contracts: () => bindings.map(({ contract }) => contract),
      version: options.version,
      errorTables: options.errorTables ?? (() => []),
      mounts,
    }),
    ...consoleBindings({ ...options, cookies, consoleUrl, auditSink: pipeline.auditSink }),
  ]
  assertNoConflicts(bindings, mounts)

  const table: RouteEntry[] = []
  let index: MethodIndex
  collectRoutes(app, table)
  addParsers(app, bindings, guards)
  const fallback = createFallback(pipeline, mounts, () => index)
  const addRoutes = (scope: FastifyInstance, part: readonly RouteBinding[]): void => {
    for (const binding of part) {
      const runtime = createRouteRuntime(binding)
      for (const url of pathsOf(binding.contract, mounts)) addRoute(scope, pipeline, runtime, url, fallback)
    }
  }
  const takesBytes = ({ contract }: RouteBinding): boolean => contract.consumes?.includes(anyType) === true
  const streaming = bindings.filter((binding) => binding.contract.streams === true && !takesBytes(binding))
  const bytes = bindings.filter(takesBytes)
  const raw = bindings.filter(({ contract }) => contract.keepsRawBody === true)
  addRoutes(
    app,
    bindings.filter((binding) => ![streaming, bytes, raw].some((own) => own.includes(binding))),
  )
  // Parsers belong to a scope: here the bytes of a body are handed on unread.
  await app.register(async (scope) => {
    for (const type of new Set(streaming.flatMap(({ contract }) => contract.consumes ?? []))) {
      scope.removeContentTypeParser(type)
      scope.addContentTypeParser(type, (_request, payload, done) => done(null, payload))
    }
    addRoutes(scope, streaming)
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
    addRoutes(scope, bytes)
  })
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    const types = new Set(['application/json', ...raw.flatMap(({ contract }) => contract.consumes ?? [])])
    for (const type of types)
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
    addRoutes(scope, raw)
  })
  await addShell(app, pipeline, options.consoleDir, mounts)
  const served = [...table]
  index = createMethodIndex(served)
  addRefusals(app, index, fallback)
  // A scope of its own: its hook is for unknown paths only and costs the routes nothing.
  await app.register(async (scope) => {
    scope.addHook('onRequest', (request, reply, _done) => fallback(request, reply))
    scope.setNotFoundHandler((request, reply) => {
      sendError(pipeline, request, reply, platformError('resource_not_found', { reason: 'route' }))
    })
  })
  await app.ready()
  const accept = acceptFor(options.passKey, pipeline)
  const running = pipeline.answerGate === null ? undefined : createRunningRequests(pipeline.lasting)
  if (accept !== undefined) app.server.prependListener('upgrade', accept)
  const begin: Attached['route'] = (request, response) => {
    accept?.(request)
    running?.begin(request, response)
  }
  if (accept !== undefined || running !== undefined) app.server.prependListener('request', begin)
  const route: Attached['route'] = (request, response) => {
    begin(request, response)
    app.routing(request, response)
  }
  const whenIdle = async (ms: number): Promise<void> => {
    const until = performance.now() + ms
    while ((running?.count() ?? 0) > 0 && performance.now() < until) await pause(10)
  }
  const setPort = (port: number): void => {
    pipeline.authorities = createAuthorities({ port, ...addressOptions })
    localUrl = `http://127.0.0.1:${port}`
  }
  let outside: PublicListener | undefined
  if (options.publicListen !== undefined) {
    outside = createPublicListener({
      listen: options.publicListen,
      folder: options.publicListen.folder,
      ...(options.publicListen.watchIntervalMs === undefined
        ? {}
        : { watchIntervalMs: options.publicListen.watchIntervalMs }),
      clock: options.clock,
      log: options.log,
      local: app.server,
      route,
      onClientError: (error, socket) => answerClientError(error, socket, options.ids.uuid()),
      maxHeaderBytes,
      checkMs: pipeline.arrival.checkMs,
    })
    pipeline.clientRefusal = outside.clientRefusal
  }

  const judgeUpgrade: HttpServer['guardUpgrade'] = (request) => {
    const { socket } = request
    const authorities = socket === undefined ? pipeline.authorities : authoritiesOf(pipeline, { socket })
    const refusal = guardUpgrade(request, authorities, guards)
    if (refusal !== null || socket === undefined || authorities === pipeline.authorities) return refusal
    return pipeline.clientRefusal(socket)
  }
  const { server } = app
  const routes = options.sockets ?? []
  const sockets = serveWebSockets({
    server,
    routes,
    prefix: mounts.prefix,
    pipeline,
    ids: options.ids,
    guard: judgeUpgrade,
  })

  return {
    server: app.server,
    async listen(port) {
      await app.listen({ host: '127.0.0.1', port, exclusive: true, listenTextResolver: () => '' })
      const { port: actual } = app.server.address() as AddressInfo
      setPort(actual)
      return { port: actual, baseUrl: pipeline.authorities.baseUrl }
    },
    async listenPublic() {
      await outside?.listen()
      return outside?.port() ?? null
    },
    attach(port) {
      setPort(port)
      return { route, upgrade: (request, socket, head) => void app.server.emit('upgrade', request, socket, head) }
    },
    async close(before) {
      pipeline.closing = true
      await before?.()
      for (const answer of pipeline.lasting.values()) answer.abort(new Error('The server stops.'))
      // A connection whose request ends now becomes idle only after the first sweep of the server's own close.
      const sweep = setInterval(() => {
        app.server.closeIdleConnections()
        outside?.closeIdleConnections()
      }, 20)
      const limit = setTimeout(() => {
        app.server.closeAllConnections()
        outside?.closeAllConnections()
      }, drainMs)
      // Connections of another listener are its own to close.
      await Promise.all([app.close(), outside?.close(), sockets.close(), whenIdle(drainMs)])
      clearInterval(sweep)
      clearTimeout(limit)
    },
    async drain(ms) {
      pipeline.closing = true
      await whenIdle(ms)
      return () => void (pipeline.closing = false)
    },
    inject: (request) => app.inject(request),
    routeTable: () => served,
    baseUrl: () => pipeline.authorities.baseUrl,
    localUrl: () => localUrl,
    consoleUrl,
    guardUpgrade: judgeUpgrade,
  }
}

/** What takes requests of other nodes for those of their clients. */
function acceptFor(
  key: Buffer | undefined,
  pipeline: PipelineContext,
): ((request: IncomingMessage) => void) | undefined {
  if (key === undefined) return undefined
  const urlOf = (isBeyond: boolean): string | null =>
    isBeyond ? (pipeline.publicAuthorities?.baseUrl ?? null) : pipeline.authorities.baseUrl
  return (request) => acceptPassedOn(key, request, urlOf)
}

function publicAuthoritiesOf(options: HttpServerOptions): ReturnType<typeof createPublicAuthorities> | null {
  const { publicListen, baseUrl, trustedOrigins = [] } = options
  if (publicListen === undefined) return null
  if (baseUrl === undefined) throw new Error('A listener other machines reach needs a baseUrl.')
  return createPublicAuthorities({ baseUrl, trustedOrigins })
}

function refuseSchema(): never {
  throw new Error('Routes have no schemas of Fastify.')
}

function createFastify(ids: Ids, pipeline: PipelineContext): FastifyInstance {
  const { headerMs, checkMs } = pipeline.arrival
  const app = fastify({
    logger: false,
    bodyLimit: defaultBodyLimitBytes,
    // Node's defaults leave these at zero or too small (safety F8). A body has a limit of its own (arrival.ts); this one is
    // for those that are handed on as they arrive.
    connectionTimeout: 150_000,
    requestTimeout: 120_000,
    keepAliveTimeout: 72_000,
    http: {
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: headerMs - checkMs,
      connectionsCheckingInterval: checkMs,
      shouldUpgradeCallback: isSocketUpgrade,
    },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    requestIdHeader: false,
    genReqId: (raw) => requestIdOf(raw.headers, ids),
    // Contracts parse and write. Without these Fastify loads its compilers, a hundred and fifty modules, for no schema.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    // Bodies are parsed by json-body.ts; queries only where a contract has a schema.
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: maxUrlBytes,
      querystringParser: () => noQuery,
    },
    frameworkErrors: (error, request, reply) => {
      if (admit(pipeline, unknownPathSafety(true), request, reply)) sendError(pipeline, request, reply, error)
    },
    clientErrorHandler: (error, socket) => {
      answerClientError(error, socket, ids.uuid())
    },
  })
  // Null keeps the shape of a request; the guards set the caller before anything reads it.
  app.decorateRequest('caller', null as unknown as Caller)
  app.setErrorHandler((error, request, reply) => {
    const limit = request.routeOptions.config.safety?.limitBytes
    sendError(pipeline, request, reply, error, limit)
  })
  return app
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the guards know of the route; a route without it cannot be registered. */
    safety?: RouteSafety
  }
}

const noQuery: Record<string, never> = Object.freeze({})

/** Keeps the live route list, and refuses a route that says nothing about its safety. */
function collectRoutes(app: FastifyInstance, table: RouteEntry[]): void {
  const known = new Set<string>()
  app.addHook('onRoute', (route) => {
    const safety = route.config?.safety
    if (safety === undefined)
      throw new Error(`The route ${String(route.method)} ${route.url} declares no safety entry.`)
    const methods = Array.isArray(route.method) ? route.method : [route.method]
    for (const method of methods) {
      // Fastify repeats some paths with a trailing slash; the router ignores it.
      const place = `${method} ${route.url}`
      if (known.has(place)) continue
      known.add(place)
      const { plugin, contract, anonymous, channel } = safety
      table.push({ method, url: route.url, plugin, contract, anonymous, mutates: safety.mutates, channel })
    }
  })
}

function addRoute(
  app: FastifyInstance,
  pipeline: PipelineContext,
  runtime: RouteRuntime,
  url: string,
  fallback: ReturnType<typeof createFallback>,
): void {
  const reserved = Object.entries(runtime.contract.reserved ?? {})
  const isReserved = ({ params }: FastifyRequest): boolean =>
    reserved.some(([name, words]) => words.includes((params as Readonly<Record<string, string>>)[name] ?? ''))
  app.route({
    method: runtime.contract.method,
    url,
    config: { safety: runtime },
    bodyLimit: runtime.limitBytes,
    onRequest: (request, reply, done) => {
      if (reserved.length > 0 && isReserved(request)) fallback(request, reply)
      else if (admit(pipeline, runtime, request, reply)) done()
    },
    handler: (request, reply) => {
      serve(pipeline, runtime, request, reply)
    },
  })
}

/** Has the router itself refuse what only a less exact path takes, so that requests that are served pay nothing for it. */
function addRefusals(
  app: FastifyInstance,
  { refused }: MethodIndex,
  fallback: ReturnType<typeof createFallback>,
): void {
  const config = { safety: unknownPathSafety(false) }
  for (const { method, url } of refused)
    app.route({ method, url, exposeHeadRoute: false, config, onRequest: fallback, handler: fallback })
}

/** JSON for every route, and the other types some contract takes; the guard has checked which route takes which. */
function addParsers(app: FastifyInstance, bindings: readonly RouteBinding[], guards: Guards): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, guards.parseBody(body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  const others = new Set(
    bindings.flatMap(({ contract }) => (contract.streams === true ? [] : (contract.consumes ?? []))),
  )
  for (const type of others) {
    if (type === 'application/json') continue
    app.addContentTypeParser(
      type,
      { parseAs: type.startsWith('text/') ? 'string' : 'buffer' },
      (_request, body, done) => done(null, body),
    )
  }
}

async function addShell(
  app: FastifyInstance,
  pipeline: PipelineContext,
  consoleDir: string,
  { prefix, uiBasePath }: MountPaths,
): Promise<void> {
  // The folder may be missing or appear later (a build while the host runs), so files are found per request.
  await app.register(fastifyStatic, {
    root: consoleDir,
    serve: false,
    cacheControl: false,
    index: false,
    dotfiles: 'deny',
    acceptRanges: false,
  })
  const handler = createShellHandler({ consoleDir, uiBasePath, prefix })
  const shared = {
    config: { safety: shellSafety },
    onRequest: (request, reply, done) => {
      if (admit(pipeline, shellSafety, request, reply)) done()
    },
    errorHandler: (error, request, reply) => sendError(pipeline, request, reply, fileRefusal(error)),
  } satisfies RouteShorthandOptions
  app.get(uiBasePath, shared, handler)
  app.get(`${uiBasePath}/*`, shared, handler)
  app.get('/', shared, (_request, reply) => {
    reply.redirect(`${uiBasePath}/`, 302)
  })
}
