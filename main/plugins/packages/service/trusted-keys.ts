// The keys whose signatures are trusted, and what a signature is worth (D-130).
import { createPublicKey, verify } from 'node:crypto'
import type { PackageTrust } from '#shared/contracts/package-parts.ts'
import type { TrustedKey } from '#shared/contracts/packages.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import { canonicalJson } from '#main/kernel/canonical-json.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { packageError } from '../errors.ts'
import type { KeyRow } from '../store.ts'
import { allKeys, putKey } from '../store.ts'
import type { ArchiveFiles } from './archive-reader.ts'
import { artifactInvalid } from './archive-refusal.ts'

/** Who signed an archive, as far as that is known. */
export interface Signing {
  readonly trust: Extract<PackageTrust, 'signed' | 'unsigned' | 'unknown_key'>
  /** Base64 of the 32 bytes; null for an unsigned one. */
  readonly publicKey: string | null
}

/** Trusted keys of one host. */
export interface TrustedKeys {
  list(): TrustedKey[]
  /** @throws validation_error, conflict for a key or an id that is known */
  add(ctx: RequestContext, given: { keyId: string; publicKey: string; label?: string | undefined }): Promise<TrustedKey>
  /** @throws resource_not_found */
  revoke(ctx: RequestContext, keyId: string): Promise<string>
  /**
   * Makes sure that the files are those listed, and judges the signature over the list.
   * @throws checksum_mismatch, signature_invalid, artifact_invalid for a list that is none
   */
  judge(files: ArchiveFiles): Signing
  /** Whether the key is trusted at this moment. */
  isTrusted(publicKey: string): boolean
  /** @throws signature_invalid for a key that was revoked */
  requireNotRevoked(publicKey: string | null): void
}

/** Makes the keys. */
export function createTrustedKeys(parts: { read: Reads; write: Write; clock: Clock }): TrustedKeys {
  const { read, write, clock } = parts
  const isTrusted = (publicKey: string): boolean =>
    allKeys(read).some((key) => key.public_key === publicKey && key.revoked_at === null)

  const requireNotRevoked = (publicKey: string | null): void => {
    const revoked = allKeys(read).find((key) => key.public_key === publicKey && key.revoked_at !== null)
    if (revoked !== undefined) throw packageError('signature_invalid', { reason: 'key_revoked', keyId: revoked.key_id })
  }

  return {
    isTrusted,
    requireNotRevoked,
    list: () => allKeys(read).map(shown),
    async add(ctx, { keyId, publicKey, label }) {
      if (keyOf(publicKey) === null) {
        const message = 'Expected base64 of the 32 bytes of an Ed25519 key.'
        throw validationError([{ field: 'publicKey', code: 'invalid_format', message }])
      }
      const row: KeyRow = {
        key_id: keyId,
        public_key: publicKey,
        label: label ?? null,
        created_at: clock.iso(),
        created_by: ctx.actor.id,
        revoked_at: null,
      }
      await write('packages.key', (tx) => {
        const known = allKeys(tx).find((key) => key.key_id === keyId || key.public_key === publicKey)
        if (known !== undefined) throw platformError('conflict', { reason: 'key_known', keyId: known.key_id })
        putKey(tx, row)
        tx.emit(ctx, { type: 'packages.key_trusted', payload: { keyId, publicKey } })
      })
      return shown(row)
    },
    revoke: (ctx, keyId) =>
      write('packages.key', (tx): string => {
        const key = allKeys(tx).find((one) => one.key_id === keyId)
        if (key === undefined) throw notFound('trusted_key', keyId)
        if (key.revoked_at !== null) return key.revoked_at
        const revokedAt = clock.iso()
        putKey(tx, { ...key, revoked_at: revokedAt })
        tx.emit(ctx, { type: 'packages.key_revoked', payload: { keyId } })
        return revokedAt
      }),
    judge(files) {
      const sums = files.contents.get('checksums.json')
      const signature = files.contents.get('signature.json')
      if (sums === undefined) {
        if (signature !== undefined) throw packageError('signature_invalid', { reason: 'checksums_missing' })
        return { trust: 'unsigned', publicKey: null }
      }
      const listed = listOf(sums)
      requireListed(files, listed.files)
      if (signature === undefined) return { trust: 'unsigned', publicKey: null }
      const { keyId, publicKey, bytes } = signatureOf(signature)
      const key = keyOf(publicKey)
      const isGood = key !== null && verify(null, Buffer.from(canonicalJson(listed.whole)), key, bytes)
      if (!isGood) throw packageError('signature_invalid', { reason: 'signature_wrong', keyId })
      requireNotRevoked(publicKey)
      const named = allKeys(read).find((one) => one.key_id === keyId)
      // Somebody else's name under one's own key.
      if (named !== undefined && (named.revoked_at !== null || named.public_key !== publicKey)) {
        throw packageError('signature_invalid', {
          reason: named.revoked_at === null ? 'key_differs' : 'key_revoked',
          keyId,
        })
      }
      return { trust: isTrusted(publicKey) ? 'signed' : 'unknown_key', publicKey }
    },
  }
}

function shown(row: KeyRow): TrustedKey {
  return {
    keyId: row.key_id,
    publicKey: row.public_key,
    ...(row.label === null ? {} : { label: row.label }),
    createdAt: row.created_at,
    revoked: row.revoked_at !== null,
    ...(row.revoked_at === null ? {} : { revokedAt: row.revoked_at }),
  }
}

/** The key of 32 bytes in canonical base64; null when it is none. */
function keyOf(publicKey: string) {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== 32 || raw.toString('base64') !== publicKey) return null
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' })
  } catch {
    // The bytes are no point of the curve.
    return null
  }
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
  const own = new Set(['checksums.json', 'signature.json'])
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
