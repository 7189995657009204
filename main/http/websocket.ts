// Upgrades to WebSockets: the same guards and credentials as requests, then the route of a plugin. Refusals are answers
// of HTTP. Knows no message.
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Caller } from '#main/kernel/identity.ts'
import type { PlatformSocket, SocketRequest, SocketRoute } from '#main/kernel/sockets.ts'
import { credentialCheck } from './authenticate.ts'
import { authoritiesOf } from './pipeline.ts'
import type { PipelineContext } from './pipeline.ts'
import { createPlatformSocket } from './platform-socket.ts'
import { parseQueryString, queryOf } from './query-string.ts'
import { addressKey } from './rate-key.ts'
import { headersOfRefusal } from './rate-limit.ts'
import { requestIdOf } from './request-id.ts'
import { answerBare } from './error-handler.ts'
import type { GuardedRequest } from './guard.ts'

/** Sockets that may be open at once without having proved who they are. */
const maxUnproved = 16

/** How long a socket may take to prove who it is. */
const proofMs = 10_000

/** The code of a socket whose credential does not hold. */
const unauthenticatedCode = 4401

/** What the sockets of a server work with. */
export interface WebSocketParts {
  readonly server: Server
  readonly routes: readonly SocketRoute[]
  readonly prefix: string
  readonly pipeline: PipelineContext
  readonly ids: Ids
  guard(request: GuardedRequest & { readonly socket: Socket }): PlatformError | null
}

interface Served {
  readonly route: SocketRoute
  readonly fits: RegExp
  readonly names: readonly string[]
  readonly upgrades: WebSocketServer
}

/** An upgrade that is not done: why, and the headers of the answer that say more of it (D-200). */
interface Refused {
  readonly refusal: PlatformError
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Answers upgrades of a server, and of the listener other machines reach, which raises them here too.
 * @returns the end: every socket is closed with 1001, and those that do not answer are cut
 * @source D-31, D-172; safety W8
 */
export function serveWebSockets(parts: WebSocketParts): { close(): Promise<void> } {
  const { pipeline, ids } = parts
  const served = parts.routes.map((route) => serve(route, parts.prefix, ids))
  const open = new Set<PlatformSocket>()
  let unproved = 0

  parts.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without a listener a connection that breaks now would end the process.
    socket.on('error', () => socket.destroy())
    const requestId = requestIdOf(request.headers, ids)
    let taken: ReturnType<typeof judge>
    try {
      taken = judge(request)
    } catch (error) {
      pipeline.log.error({ err: error, requestId }, 'An upgrade failed.')
      answerBare(socket, platformError('internal_error'), requestId)
      return
    }
    if ('refusal' in taken) {
      const { refusal, headers } = taken
      if (refusal.details['reason'] === 'credential_invalid') tell(refusal, requestId)
      answerBare(socket, refusal, requestId, headers)
      return
    }
    const { to, caller, params } = taken
    if (caller.credential === 'api-key') pipeline.auditSink().keyUsed(caller, requestId)
    to.upgrades.handleUpgrade(request, socket, head, (opened) => {
      const platformSocket = createPlatformSocket(opened, socket, (error) =>
        pipeline.log.error({ err: error, requestId }, 'A socket failed.'),
      )
      open.add(platformSocket)
      opened.on('close', () => open.delete(platformSocket))
      try {
        begin(to.route, platformSocket, request, caller, params)
      } catch (error) {
        // Out here nothing else would catch it, and one socket must not end the process.
        pipeline.log.error({ err: error, requestId }, 'A socket failed as it began.')
        platformSocket.close(1011, 'internal error')
      }
    })
  })

  function judge(request: IncomingMessage): Refused | { to: Served; caller: Caller; params: Record<string, string> } {
    const refused = (refusal: PlatformError): Refused => ({
      refusal,
      headers: headersOfRefusal(refusal, pipeline.clock.now()) ?? {},
    })
    const refusal = parts.guard(request)
    if (refusal !== null) return refused(refusal)
    if (pipeline.closing) return refused(platformError('service_unavailable', { reason: 'stopping' }))
    const path = request.url!.split('?', 1)[0]!.replace(/\/$/, '')
    const to = served.find(({ fits }) => fits.test(path))
    if (to === undefined || request.method !== 'GET')
      return refused(platformError('resource_not_found', { reason: 'route' }))
    const authorities = authoritiesOf(pipeline, request)
    const caller = pipeline.authenticate(request, authorities !== pipeline.authorities)
    if (caller === 'invalid') return refused(pipeline.refuseCredential(request.headers))
    const { origin } = request.headers
    // A page of ours says where it comes from; nothing else may ride on its cookie.
    if (caller.byCookie && (origin === undefined || !authorities.origins.has(origin)))
      return refused(platformError('origin_forbidden', { reason: 'cookie_socket' }))
    const offered = protocolsOf(request)
    if (caller.credential === 'none') {
      if (to.route.provesLater !== true)
        return refused(platformError('unauthenticated', { reason: 'credential_missing' }))
      const carriesProof = offered.some((one) => !to.route.protocols.includes(one))
      if (unproved >= maxUnproved && !carriesProof)
        return refused(platformError('rate_limit_exceeded', { limit: maxUnproved, class: 'sockets', remaining: 0 }))
    }
    if (offered.length > 0 && !offered.some((one) => to.route.protocols.includes(one)))
      return refused(platformError('validation_error', { reason: 'subprotocol', supported: to.route.protocols }))
    if (caller.credential !== 'connection-token') {
      const key = caller.credentialId === '' ? addressKey(request.socket.remoteAddress) : caller.credentialId
      const verdict = pipeline.limiter.take('read', key)
      if (verdict?.refusal != null) return { refusal: verdict.refusal, headers: verdict.headers }
    }
    const values = to.fits.exec(path)!.slice(1)
    const params = Object.fromEntries(to.names.map((name, at) => [name, decodeURIComponent(values[at]!)]))
    return { to, caller, params }
  }

  function begin(
    route: SocketRoute,
    socket: PlatformSocket,
    request: IncomingMessage,
    caller: Caller,
    params: Record<string, string>,
  ): void {
    const beyondLoopback = authoritiesOf(pipeline, request) !== pipeline.authorities
    let isProved = caller.credential !== 'none'
    let waits: ReturnType<typeof setTimeout> | undefined
    const stopWaiting = (): void => {
      if (waits === undefined) return
      clearTimeout(waits)
      waits = undefined
      unproved -= 1
    }
    const given: SocketRequest = {
      params,
      query: parseQueryString(queryOf(request.url!)) as Record<string, string>,
      protocols: protocolsOf(request),
      caller,
      credentials: credentialCheck(pipeline.authenticate, request, beyondLoopback),
      proved() {
        isProved = true
        stopWaiting()
      },
      locale: pipeline.resolveLocale(request.headers['accept-language']),
    }
    route.open(socket, given)
    if (isProved) return
    if (unproved >= maxUnproved) {
      socket.close(1013, 'too many sockets without a credential')
      return
    }
    unproved += 1
    waits = setTimeout(() => {
      stopWaiting()
      socket.close(unauthenticatedCode, 'unauthenticated')
    }, proofMs)
    socket.onClose(stopWaiting)
  }

  function tell(refusal: PlatformError, requestId: string): void {
    const { details } = refusal
    pipeline
      .auditSink()
      .refused({ code: 'unauthenticated', details, caller: null, operationId: null, requestId, source: 'API' })
  }

  return {
    async close() {
      const closed = [...open].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.onClose(() => resolve())
            socket.close(1001, 'the server stops')
          }),
      )
      await Promise.all(closed)
      for (const { upgrades } of served) upgrades.close()
    },
  }
}

function serve(route: SocketRoute, prefix: string, ids: Ids): Served {
  const names = [...route.path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name!)
  const fits = new RegExp(
    `^${(prefix + route.path).replaceAll('.', String.raw`\.`).replaceAll(/:[A-Za-z]+/g, '([^/]+)')}$`,
  )
  const upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: route.maxMessageBytes,
    handleProtocols: (offered) => route.protocols.find((one) => offered.has(one)) ?? false,
  })
  // A handshake that the library does not take; without a listener it answers in words of its own.
  upgrades.on('wsClientError', (_error, socket, request) => {
    const refusal = platformError('validation_error', { reason: 'handshake' })
    answerBare(socket, refusal, requestIdOf(request.headers, ids), { 'sec-websocket-version': '13' })
  })
  return { route, fits, names, upgrades }
}

function protocolsOf(request: IncomingMessage): string[] {
  const header = request.headers['sec-websocket-protocol']
  return header === undefined ? [] : header.split(',').map((one) => one.trim())
}
