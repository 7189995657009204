// Takes one stranger for a pairing over a stream that is open already: TLS 1.3 with both certificates, then the WebSocket,
// as on a port. Knows nothing of where the stream comes from.
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createServer as createTlsServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { WebSocketServer } from 'ws'
import { peerFingerprint } from './fingerprint.ts'
import { channelPath, DialError, socketLimits, subprotocols } from './peer-dial.ts'
import type { DialReason } from './peer-dial.ts'
import { createPeerLink } from './peer-link.ts'
import type { LinkOptions, PeerLink } from './peer-link.ts'
import type { ChannelIdentity } from './self-signed.ts'
import { serverTlsOptions } from './server-tls.ts'

/** What a stranger is taken with. */
export interface AcceptOptions {
  readonly identity: ChannelIdentity
  /** Fingerprint of this device: whoever shows it is a copy of this machine. */
  readonly fingerprint: string
  /** For the whole way to an open link; default 10 s. */
  readonly timeoutMs?: number
  readonly link?: LinkOptions
}

/**
 * Takes whoever is at the other end of a stream; the stream is gone after a throw.
 * @throws DialError
 */
export function acceptOver(stream: Duplex, options: AcceptOptions): Promise<PeerLink> {
  const { identity, timeoutMs = 10_000 } = options
  return new Promise((resolve, reject) => {
    let isOpen = false
    const fail = (reason: DialReason, cause?: unknown): void => {
      if (isOpen) return
      clearTimeout(timer)
      stream.destroy()
      reject(new DialError(reason, { cause }))
    }
    const timer = setTimeout(() => fail('timeout'), timeoutMs)
    for (const event of ['end', 'close']) stream.once(event, () => fail('unreachable'))

    const tls = createTlsServer(serverTlsOptions(identity, timeoutMs))
    tls.once('tlsClientError', (error) => fail('protocol', error))
    tls.once('secureConnection', (channel: TLSSocket) => {
      channel.on('error', () => channel.destroy())
      const peer = peerFingerprint(channel)
      if (peer === undefined || peer === options.fingerprint) fail('refused')
      else serve(channel, peer)
    })
    tls.emit('connection', stream)

    function serve(channel: TLSSocket, peer: string): void {
      const http = createHttpServer({ maxHeaderSize: 4096, keepAlive: false })
      http.on('request', () => fail('protocol'))
      http.on('clientError', (error) => fail('protocol', error))
      http.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const isRight =
          request.url === channelPath && request.headers['sec-websocket-protocol'] === subprotocols.pairing
        if (!isRight) {
          fail('protocol')
          return
        }
        const upgrades = new WebSocketServer({
          ...socketLimits,
          noServer: true,
          clientTracking: false,
          handleProtocols: () => subprotocols.pairing,
        })
        upgrades.handleUpgrade(request, socket, head, (opened) => {
          isOpen = true
          clearTimeout(timer)
          resolve(
            createPeerLink({ ...options.link, socket: opened, channel, peer, purpose: 'pairing', direction: 'in' }),
          )
        })
      })
      http.emit('connection', channel)
    }
  })
}
