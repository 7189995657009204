// What a node answers while another one leads: everything, by passing it on, except whether it is there; once it leads itself its
// host does, over the same connections, so that nobody is cut off where the one begins and the other ends. Whoever spreads
// requests over nodes sees by /readyz where they need not be passed on. Knows no route and no workspace.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { platformError } from '#shared/errors.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { PublicListen } from './access-config.ts'
import { defaultArrival, lateBody } from './arrival.ts'
import { createAuthorities, createPublicAuthorities } from './authority.ts'
import { answerBare, answerClientError, errorBody, retryAfterOf } from './error-handler.ts'
import { allGuards, isSocketUpgrade, maxHeaderBytes } from './guard.ts'
import { baseHeaders, jsonType } from './headers.ts'
import { createPassOn, defaultPassOnLimits } from './pass-on.ts'
import type { PassOnLimits, PassOnRefusal } from './pass-on.ts'
import { isBeyondLoopback, passedHeader, writePassedOn } from './passed-on.ts'
import { requestIdOf } from './request-id.ts'
import type { Attached } from './server.ts'
import { createPublicListener } from './tls/public-listener.ts'

/** What a door is made of. */
export interface StandbyDoorOptions {
  /** On 127.0.0.1; 0 picks a free one. */
  readonly port: number
  /** Where the leader answers; null while nobody knows. */
  readonly leader: () => string | null
  /** By which nodes know each other's requests. */
  readonly key: Buffer
  readonly baseUrl?: string
  readonly trustedOrigins: readonly string[]
  /** The listener other machines reach. With client certificates there is none: only who judges them can answer there. */
  readonly publicListen?: PublicListen & { readonly folder: string }
  readonly ids: Ids
  readonly clock: Clock
  readonly log: Logger
  /** Of what is passed on; tests have smaller ones. */
  readonly limits?: PassOnLimits
}

/** A door that is open. */
export interface StandbyDoor {
  readonly port: number
  /** Port of the listener other machines reach; null where there is none. */
  readonly publicPort: number | null
  /**
   * Who answers from now on: a host of this node, or null for whoever leads. What is under way goes on where it is.
   */
  serve(host: Attached | null): void
  /** Ends it and what is under way. */
  close(): void
}

/**
 * Listens.
 * @throws the socket's error, for example EADDRINUSE; Error with a sentence when it is that of `publicListen`
 */
export async function openStandbyDoor(options: StandbyDoorOptions): Promise<StandbyDoor> {
  const { leader, ids, key } = options
  const { createServer, ServerResponse: Response } = process.getBuiltinModule('node:http')
  const addresses = {
    trustedOrigins: options.trustedOrigins,
    ...(options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl }),
  }
  const isPublic = options.publicListen?.mutualTls === null && options.baseUrl !== undefined
  const beyond = isPublic
    ? createPublicAuthorities({ baseUrl: options.baseUrl!, trustedOrigins: options.trustedOrigins })
    : null
  let local = createAuthorities({ port: options.port, ...addresses })
  const authoritiesFor = (socket: Socket): typeof local => (isBeyondLoopback(socket) ? (beyond ?? local) : local)

  let host: Attached | null = null
  const limits = options.limits ?? defaultPassOnLimits
  const refuse = (response: ServerResponse, why: PassOnRefusal): void => {
    if (why === 'late') answer(response, lateBody(limits.bodyMs))
    else if (why === 'full') answer(response, full())
    else answer(response, standing(leader(), why === 'unknown'))
  }
  const answer = (response: ServerResponse, refusal: PlatformError | null): void => {
    const id = requestIdOf(response.req.headers, ids)
    const retryAfter = refusal === null ? null : retryAfterOf(refusal)
    response.writeHead(refusal?.httpStatus ?? 200, {
      ...baseHeaders,
      'x-request-id': id,
      'content-type': jsonType,
      ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }),
      // The next request finds whoever listens here then.
      connection: 'close',
    })
    response.end(JSON.stringify(refusal === null ? { status: 'ok' } : errorBody(refusal, id)))
  }
  const passOn = createPassOn({
    leader,
    refuse,
    limits,
    headersFor(request, isRepeat) {
      const { origin } = request.headers
      const own = authoritiesFor(request.socket)
      const passed = {
        address: request.socket.remoteAddress ?? '',
        isFromBeyond: isBeyondLoopback(request.socket),
        isOwnOrigin: origin !== undefined && own.origins.has(origin) && !own.corsOrigins.has(origin),
        isRepeat,
      }
      return { [passedHeader]: writePassedOn(key, request, passed) }
    },
  })
  /** What this node answers itself; undefined where the leader does. */
  const ownAnswer = (request: IncomingMessage): PlatformError | null | undefined => {
    // A node that was asked by another one: both believe somebody else leads.
    if (request.headers[passedHeader] !== undefined) return standing(leader(), false)
    const stranger = allGuards.host(request, authoritiesFor(request.socket))
    if (stranger !== null) return stranger
    if (request.method !== 'GET') return undefined
    if (request.url === '/healthz') return null
    return request.url === '/readyz' ? standing(leader(), false) : undefined
  }

  const route = (request: IncomingMessage, response: ServerResponse): void => {
    if (host !== null) {
      host.route(request, response)
      return
    }
    const own = ownAnswer(request)
    if (own === undefined) {
      passOn.pass(request, response)
      return
    }
    answer(response, own)
    request.resume()
  }
  const onClientError = (error: Error, socket: Socket): void => answerClientError(error, socket, ids.uuid())
  const server = createServer(
    {
      maxHeaderSize: maxHeaderBytes,
      // Those of a host (`server.ts`), which answers here once it leads.
      headersTimeout: defaultArrival.headerMs - defaultArrival.checkMs,
      connectionsCheckingInterval: defaultArrival.checkMs,
      requestTimeout: 120_000,
      keepAliveTimeout: 72_000,
      shouldUpgradeCallback: isSocketUpgrade,
    },
    route,
  )
  server.setTimeout(150_000)
  server.on('clientError', onClientError)
  // As a host does (D-327).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (host !== null) {
      host.upgrade(request, socket, head)
      return
    }
    socket.on('error', () => socket.destroy())
    const own = ownAnswer(request)
    if (own !== undefined) {
      answerBare(socket, own ?? standing(leader(), false), requestIdOf(request.headers, ids))
      return
    }
    // A refusal of the leader is an answer like any other.
    const response = new Response(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once('finish', () => socket.destroySoon())
    passOn.pass(request, response, { socket, head })
  })
  await listen(server, options.port)
  const { port } = server.address() as AddressInfo
  local = createAuthorities({ port, ...addresses })
  const outside = isPublic
    ? createPublicListener({
        listen: options.publicListen!,
        folder: options.publicListen!.folder,
        clock: options.clock,
        log: options.log,
        local: server,
        route,
        onClientError,
        maxHeaderBytes,
        checkMs: defaultArrival.checkMs,
      })
    : null
  try {
    await outside?.listen()
  } catch (error) {
    server.close()
    throw error
  }
  return {
    port,
    publicPort: outside?.port() ?? null,
    serve: (next) => void (host = next),
    close() {
      server.close()
      void outside?.close()
      passOn.end()
      server.closeAllConnections()
      outside?.closeAllConnections()
    },
  }
}

/** @param mayHaveActed the leader was asked, and nobody knows what it did */
function standing(leader: string | null, mayHaveActed: boolean): PlatformError {
  return platformError('service_unavailable', {
    reason: 'standby',
    leader,
    retryAfterSeconds: 1,
    ...(mayHaveActed ? { outcome: 'unknown' } : {}),
  })
}

/** More is under way than may be: another node, or the same one later, has room. */
function full(): PlatformError {
  return platformError('service_unavailable', {
    reason: 'door_full',
    message: 'This node passes on as much as it may, of this address or of all.',
    retryAfterSeconds: 1,
  })
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
