// How the side that is connected to speaks TLS, on a port and inside of another connection alike. Knows no socket.
import { constants } from 'node:crypto'
import type { TlsOptions } from 'node:tls'
import type { ChannelIdentity } from './self-signed.ts'

/** The options of a TLS server. @param handshakeTimeout milliseconds */
export function serverTlsOptions(identity: ChannelIdentity, handshakeTimeout: number): TlsOptions {
  return {
    cert: identity.certificate,
    key: identity.privateKey,
    requestCert: true,
    // No authority vouches for a device: its fingerprint is judged after the handshake.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.3',
    // Every connection proves its key anew: no tickets to resume with.
    secureOptions: constants.SSL_OP_NO_TICKET,
    handshakeTimeout,
  }
}
