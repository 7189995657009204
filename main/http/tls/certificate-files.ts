// Certificates and keys of the configuration: given as text or as files, read together, checked together, and read
// again when a file changes. Knows no socket.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import path from 'node:path'
import { createSecureContext } from 'node:tls'

/** What a TLS server needs, read and checked. */
export interface CertificateSet {
  readonly certificate: string
  readonly key: string
  /** PEM texts of the authorities whose clients are believed. */
  readonly authorities: readonly string[]
  readonly trusted: readonly X509Certificate[]
  /** First moment at which the host's own certificate does not count any more, in milliseconds. */
  readonly endsAt: number
}

/** Where the parts come from: PEM text, or a path below the data folder or absolute. */
export interface CertificateSources {
  readonly certificate: string
  readonly key: string
  readonly authorities: readonly string[]
  /** What relative paths start from. */
  readonly folder: string
}

const pemMark = '-----BEGIN '
const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** How often files are looked at; a look costs one system call per file. */
const watchIntervalMs = 2_000

/**
 * Reads all parts.
 * @throws Error with a sentence that names the part: unreadable, no certificate, a key that belongs to another one
 */
export function readCertificates(sources: CertificateSources): CertificateSet {
  const certificate = readPem(sources, sources.certificate, 'host.listen.certificate')
  const key = readPem(sources, sources.key, 'host.listen.key')
  const own = parseCertificates(certificate, 'host.listen.certificate')[0]!
  let isPair: boolean
  try {
    isPair = own.checkPrivateKey(createPrivateKey(key))
    if (isPair) createSecureContext({ cert: certificate, key })
  } catch (error) {
    throw new Error(`host.listen.key cannot be used: ${(error as Error).message}`, { cause: error })
  }
  if (!isPair) throw new Error('host.listen.key does not belong to host.listen.certificate.')
  const authorities = sources.authorities.map((one, index) =>
    readPem(sources, one, `auth.mutualTls.trustedCAs.${index}`),
  )
  const trusted = authorities.flatMap((pem, index) => parseCertificates(pem, `auth.mutualTls.trustedCAs.${index}`))
  return { certificate, key, authorities, trusted, endsAt: own.validToDate.getTime() }
}

/** Calls back when one of the files has changed; answers the function that ends the watch. */
export function watchCertificates(
  sources: CertificateSources,
  onChange: () => void,
  intervalMs = watchIntervalMs,
): () => void {
  // Looking at the files finds changes behind links and on network drives too, which events do not.
  const files = [sources.certificate, sources.key, ...sources.authorities]
    .filter((one) => !one.includes(pemMark))
    .map((one) => path.resolve(sources.folder, one))
  const listener = (): void => onChange()
  for (const file of new Set(files)) watchFile(file, { interval: intervalMs, persistent: false }, listener)
  return () => {
    for (const file of new Set(files)) unwatchFile(file, listener)
  }
}

function readPem({ folder }: CertificateSources, source: string, name: string): string {
  if (source.includes(pemMark)) return source
  try {
    return readFileSync(path.resolve(folder, source), 'utf8')
  } catch (error) {
    throw new Error(`${name} cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

function parseCertificates(pem: string, name: string): X509Certificate[] {
  const blocks = pem.match(certificateBlock)
  if (blocks === null) throw new Error(`${name} holds no certificate in PEM form.`)
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch (error) {
    throw new Error(`${name} holds a certificate that cannot be read: ${(error as Error).message}`, { cause: error })
  }
}
