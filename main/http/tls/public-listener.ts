// The listener other machines reach: TLS only, client certificates where they are configured, certificates read again
// when their files change. Hands requests on to the one router; knows no route.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { constants } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { PlatformError } from '#shared/errors.ts'
import type { PublicListen } from '../access-config.ts'
import { readCertificates, watchCertificates } from './certificate-files.ts'
import type { CertificateSet, CertificateSources } from './certificate-files.ts'
import { createClientCertificates } from './client-certificates.ts'
import { isSocketUpgrade } from '../guard.ts'

/** What the listener is made of. */
export interface PublicListenerOptions {
  readonly listen: PublicListen
  /** What relative paths of certificates start from. */
  readonly folder: string
  readonly clock: Clock
  readonly log: Logger
  /** The listener on loopback: the public one takes its limits and upgrades over. */
  readonly local: Server
  readonly route: (request: IncomingMessage, response: ServerResponse) => void
  readonly onClientError: (error: Error, socket: Socket) => void
  readonly maxHeaderBytes: number
  /** How often connections are looked at for late headers, in ms. */
  readonly checkMs: number
  /** How often certificate files are looked at; absent: every two seconds. */
  readonly watchIntervalMs?: number
}

/** The listener. */
export interface PublicListener {
  /** Listens. @throws Error with a sentence when the configured address cannot be listened on */
  listen(): Promise<void>
  /** The port, once it listens. */
  port(): number
  /** What the client certificate of a connection lacks; null when its requests may go on. */
  clientRefusal(socket: Socket): PlatformError | null
  closeIdleConnections(): void
  closeAllConnections(): void
  /** Refuses new connections and resolves when the last one has ended. */
  close(): Promise<void>
}

/** Time for a handshake: whoever needs longer holds a socket for nothing. */
const handshakeTimeoutMs = 10_000

/**
 * Makes the listener.
 * @throws Error with a sentence when a certificate or key cannot be used
 */
export function createPublicListener(options: PublicListenerOptions): PublicListener {
  const { listen, clock, log, local, route } = options
  const { mutualTls } = listen
  const sources: CertificateSources = {
    certificate: listen.certificate,
    key: listen.key,
    authorities: mutualTls?.trustedCAs ?? [],
    folder: options.folder,
  }
  let current = readCertificates(sources)
  warnOfEnd(current)
  const clients =
    mutualTls === null ? null : createClientCertificates({ mutualTls, trusted: () => current.trusted, clock, log })
  // Connections made before the trusted authorities changed were judged by the old ones.
  let generation = 0
  const generations = new WeakMap<Socket, number>()

  const { createServer } = process.getBuiltinModule('node:https')
  const server = createServer(
    {
      ...contextOf(current),
      minVersion: 'TLSv1.2',
      handshakeTimeout: handshakeTimeoutMs,
      maxHeaderSize: options.maxHeaderBytes,
      connectionsCheckingInterval: options.checkMs,
      shouldUpgradeCallback: isSocketUpgrade,
      // The handshake lets everybody through: a missing or refused certificate is an answer, 401 (D-203).
      requestCert: clients !== null,
      rejectUnauthorized: false,
      // A resumed session would carry an old judgement of its certificate along.
      ...(clients === null ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    },
    (request, response) => whenJudged(request.socket, () => route(request, response)),
  )
  server.keepAliveTimeout = local.keepAliveTimeout
  server.headersTimeout = local.headersTimeout
  server.requestTimeout = local.requestTimeout
  server.setTimeout(local.timeout)
  server.on('secureConnection', (socket: Socket) => generations.set(socket, generation))
  server.on('clientError', options.onClientError)
  // As on loopback (D-327).
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response))
  // A broken handshake: there is nobody to answer.
  server.on('tlsClientError', (_error, socket) => socket.destroy())

  function whenJudged(socket: Socket, go: () => void): void {
    if (generations.get(socket) !== generation) {
      socket.destroy()
      return
    }
    if (clients === null || clients.isJudged(socket)) go()
    else void clients.judge(socket).then(go)
  }

  function warnOfEnd(set: CertificateSet): void {
    if (set.endsAt <= clock.now()) log.warn({}, 'The certificate of host.listen has expired: clients will refuse it.')
  }

  function reload(): void {
    let next: CertificateSet
    try {
      next = readCertificates(sources)
    } catch (error) {
      // Files are often replaced one after the other: the set in use stays until the new one is whole.
      log.warn({ problem: (error as Error).message }, 'The changed certificates are not used.')
      return
    }
    const sameClients = next.authorities.join('\n') === current.authorities.join('\n')
    current = next
    server.setSecureContext(contextOf(next))
    warnOfEnd(next)
    log.info({}, 'The certificates were read again.')
    if (sameClients) return
    generation += 1
    server.closeIdleConnections()
  }

  let unwatch: (() => void) | undefined
  return {
    async listen() {
      if (local.listenerCount('upgrade') > 0) {
        server.on('upgrade', (request, socket, head) => {
          whenJudged(socket as Socket, () => local.emit('upgrade', request, socket, head))
        })
      }
      await new Promise<void>((resolve, reject) => {
        const refuse = (error: NodeJS.ErrnoException): void => reject(cannotListen(listen, error))
        server.once('error', refuse)
        server.listen({ host: listen.address, port: listen.port, exclusive: true }, () => {
          server.off('error', refuse)
          resolve()
        })
      })
      unwatch = watchCertificates(sources, reload, options.watchIntervalMs)
    },
    port: () => (server.address() as AddressInfo).port,
    clientRefusal: (socket) => clients?.refusalOf(socket) ?? null,
    closeIdleConnections: () => server.closeIdleConnections(),
    closeAllConnections: () => server.closeAllConnections(),
    async close() {
      unwatch?.()
      if (!server.listening) return
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    },
  }
}

function cannotListen({ address, port }: PublicListen, error: NodeJS.ErrnoException): Error {
  const reason = error.code === 'EADDRINUSE' ? 'another program uses it' : error.message
  return new Error(`Cairn cannot listen on ${address}, port ${port} (host.listen): ${reason}.`, { cause: error })
}

function contextOf({ certificate, key, authorities }: CertificateSet): {
  cert: string
  key: string
  ca: string[]
} {
  return { cert: certificate, key, ca: [...authorities] }
}
