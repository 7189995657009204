// What the list of checksums and the signature of an archive say (D-130), and making both. Knows no trusted key.
import type { KeyObject } from 'node:crypto'
import { createHash, createPublicKey, sign, verify } from 'node:crypto'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import { packageError } from '../errors.ts'
import type { ArchiveFiles } from './archive-reader.ts'
import { artifactInvalid } from './archive-refusal.ts'

/** A good signature over the files of an archive; whose it is, is for who knows keys. */
export interface Signature {
  readonly keyId: string
  /** Base64 of the 32 bytes. */
  readonly publicKey: string
}

/** What files are signed with. */
export interface SigningKey {
  readonly keyId: string
  readonly privateKey: KeyObject
  /** ISO 8601. */
  readonly signedAt: string
}

const own: ReadonlySet<string> = new Set(['checksums.json', 'signature.json'])

/**
 * Makes sure that the files are those listed, and that the signature is over the list.
 * @param refuseKey throws for a key nothing is taken from
 * @returns null for an archive nobody signed
 * @throws checksum_mismatch, signature_invalid, artifact_invalid for a list that is none
 */
export function signatureIn(files: ArchiveFiles, refuseKey: (publicKey: string) => void): Signature | null {
  const sums = files.contents.get('checksums.json')
  const signature = files.contents.get('signature.json')
  if (sums === undefined) {
    if (signature !== undefined) throw packageError('signature_invalid', { reason: 'checksums_missing' })
    return null
  }
  const listed = listOf(sums)
  requireListed(files, listed.files)
  if (signature === undefined) return null
  const { keyId, publicKey, bytes } = signatureOf(signature)
  const key = publicKeyOf(publicKey)
  const isGood = key !== null && verify(null, Buffer.from(canonicalJson(listed.whole)), key, bytes)
  if (!isGood) throw packageError('signature_invalid', { reason: 'signature_wrong', keyId })
  refuseKey(publicKey)
  return { keyId, publicKey }
}

/** The key of 32 bytes in canonical base64; null when it is none. */
export function publicKeyOf(publicKey: string): KeyObject | null {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== 32 || raw.toString('base64') !== publicKey) return null
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' })
  } catch {
    // The bytes are no point of the curve.
    return null
  }
}

/** The public half of a key, as packages name it: base64 of the 32 bytes. */
export function publicHalf(key: KeyObject): string {
  const { x } = createPublicKey(key).export({ format: 'jwk' })
  return Buffer.from(x ?? '', 'base64url').toString('base64')
}

/** The files with the list of their checksums, and signed where there is a key. */
export function withChecksums(files: ReadonlyMap<string, Buffer>, key?: SigningKey): Map<string, Buffer> {
  const listed = new Map([...files].filter(([path]) => !own.has(path)))
  const sums = [...listed].map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')])
  const checksums = { algorithm: 'sha256', files: Object.fromEntries(sums) as Record<string, string> }
  listed.set('checksums.json', jsonFile(checksums))
  if (key === undefined) return listed
  const { keyId, privateKey, signedAt } = key
  const signature = sign(null, Buffer.from(canonicalJson(checksums)), privateKey).toString('base64')
  const publicKey = publicHalf(privateKey)
  return listed.set('signature.json', jsonFile({ algorithm: 'ed25519', keyId, publicKey, signature, signedAt }))
}

/** A value as a file of an archive. */
export function jsonFile(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

function listOf(bytes: Buffer): { whole: unknown; files: Readonly<Record<string, string>> } {
  const whole = jsonOf(bytes)
  const { algorithm, files } = whole
  if (algorithm !== 'sha256' || typeof files !== 'object' || files === null || Array.isArray(files)) {
    throw artifactInvalid('checksums_unreadable', { path: 'checksums.json' })
  }
  return { whole, files: files as Readonly<Record<string, string>> }
}

/** Every file but the list and the signature is listed, with what it holds. @throws checksum_mismatch */
function requireListed({ hashes }: ArchiveFiles, listed: Readonly<Record<string, string>>): void {
  const present = [...hashes.keys()].filter((path) => !own.has(path))
  const missing = Object.keys(listed).filter((path) => !own.has(path) && !hashes.has(path))
  const extra = present.filter((path) => !Object.hasOwn(listed, path))
  const altered = present.filter((path) => Object.hasOwn(listed, path) && listed[path] !== hashes.get(path))
  if (missing.length + extra.length + altered.length === 0) return
  const first = (paths: readonly string[]) => paths.slice(0, 20)
  throw packageError('checksum_mismatch', { missing: first(missing), extra: first(extra), altered: first(altered) })
}

function signatureOf(bytes: Buffer): { keyId: string; publicKey: string; bytes: Buffer } {
  const { algorithm, keyId, publicKey, signature } = jsonOf(bytes, 'signature_invalid')
  const isRead =
    algorithm === 'ed25519' &&
    typeof keyId === 'string' &&
    typeof publicKey === 'string' &&
    typeof signature === 'string'
  if (!isRead) throw packageError('signature_invalid', { reason: 'signature_unreadable' })
  return { keyId, publicKey, bytes: Buffer.from(signature, 'base64') }
}

function jsonOf(
  bytes: Buffer,
  code: 'artifact_invalid' | 'signature_invalid' = 'artifact_invalid',
): Record<string, unknown> {
  try {
    const value = JSON.parse(bytes.toString('utf8')) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Told below.
  }
  throw packageError(code, { reason: 'json_unreadable' })
}
