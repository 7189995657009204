// The small part of public key infrastructure both revocation sources need: signatures over DER, issuers, names.
// Loads the parser only when a source is configured: it would cost every start.
import { verify } from 'node:crypto'
import type { KeyObject, X509Certificate } from 'node:crypto'
import type { AlgorithmIdentifier, Certificate } from 'pkijs'

/** The parser of certificates, revocation lists and their answers. */
export type Pki = typeof import('pkijs')

/** Loads the parser. */
export async function loadPki(): Promise<Pki> {
  return import('pkijs')
}

/** Signature algorithms that are accepted, with the digest Node wants to hear; SHA-1 and MD5 are none of them. */
const digests: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
  '1.3.101.113': null,
}

/** Whether a signature over DER bytes was made with the key; false for algorithms that are not accepted. */
export function isSignedBy(
  key: KeyObject,
  algorithm: AlgorithmIdentifier,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  const digest = digests[algorithm.algorithmId]
  if (digest === undefined) return false
  try {
    return verify(digest, signed, key, signature)
  } catch {
    // A key of another kind than the algorithm: no signature of it.
    return false
  }
}

/** The certificate among the candidates that signed another one; undefined when none did. */
export function findIssuer(
  certificate: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate | undefined {
  return candidates.find((one) => one.ca && certificate.checkIssued(one) && certificate.verify(one.publicKey))
}

/** Serial number as compared everywhere: upper-case hexadecimal without leading zeros. */
export function serialOf(bytes: Uint8Array | string): string {
  const hex = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('hex')
  return hex.toUpperCase().replace(/^0+(?=.)/, '')
}

const keyUsageId = '2.5.29.15'
const extendedKeyUsageId = '2.5.29.37'

/** Whether the key usage of a certificate, where it states one, has a bit set (0 is the first). */
export function allowsUse(certificate: Certificate, bit: number): boolean {
  const extension = certificate.extensions?.find(({ extnID }) => extnID === keyUsageId)
  if (extension === undefined) return true
  const bits = (extension.parsedValue as { valueBlock?: { valueHexView: Uint8Array } }).valueBlock?.valueHexView
  return bits !== undefined && ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
}

/** Whether a certificate states an extended key usage. */
export function hasExtendedUse(certificate: Certificate, id: string): boolean {
  const extension = certificate.extensions?.find(({ extnID }) => extnID === extendedKeyUsageId)
  return (extension?.parsedValue as { keyPurposes?: string[] } | undefined)?.keyPurposes?.includes(id) ?? false
}
