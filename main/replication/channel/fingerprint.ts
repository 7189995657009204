// How a peer is named: the SHA-256 of its certificate, as 64 hexadecimal digits in lower case, and how people read it.
// Knows no key and no socket.
import { createHash } from 'node:crypto'
import type { TLSSocket } from 'node:tls'

const digits = /^[0-9a-f]{64}$/

/** The fingerprint of a certificate in DER form. */
export function fingerprintOf(certificate: Uint8Array): string {
  return createHash('sha256').update(certificate).digest('hex')
}

/** Eight groups of eight digits in upper case, as two people read them to each other. */
export function readableFingerprint(fingerprint: string): string {
  return (fingerprint.toUpperCase().match(/.{8}/g) ?? []).join(' ')
}

/** A fingerprint as a person typed or pasted it; undefined when it is none. */
export function parseFingerprint(text: string): string | undefined {
  const plain = text.replaceAll(/[\s:-]/g, '').toLowerCase()
  return digits.test(plain) ? plain : undefined
}

/**
 * The fingerprint of the other side of a finished handshake; undefined when it showed no certificate.
 * TLS 1.3 has proved by then that it holds the key of that certificate.
 */
export function peerFingerprint(channel: TLSSocket): string | undefined {
  const certificate = channel.getPeerX509Certificate()
  return certificate === undefined ? undefined : fingerprintOf(certificate.raw)
}
