// Makes the certificate of a device: ECDSA P-256, signed by itself. Knows no file and no socket.
import { webcrypto } from 'node:crypto'
import { provideReflectMetadata } from './reflect-metadata.ts'

/** A certificate and its private key as PEM text: what a device shows on the channel. */
export interface ChannelIdentity {
  readonly certificate: string
  readonly privateKey: string
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** The end that RFC 5280 gives certificates without an end. */
const noEnd = new Date('9999-12-31T23:59:59Z')

/**
 * Makes a key and its certificate. Both name nobody, and the dates say nothing of when: a peer is known by the
 * fingerprint alone, and a wrong clock must never end a connection.
 * P-256 because Electron's TLS does not offer Ed25519 certificates.
 */
export async function makeChannelIdentity(): Promise<ChannelIdentity> {
  provideReflectMetadata()
  // Loaded here, since a device makes its certificate once in its life.
  const { X509CertificateGenerator } = await import('@peculiar/x509')
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=cairn',
    notBefore: new Date('2000-01-01T00:00:00Z'),
    notAfter: noEnd,
    signingAlgorithm: algorithm,
    keys,
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return { certificate: certificate.toString('pem'), privateKey: pemOf('PRIVATE KEY', pkcs8) }
}

function pemOf(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
