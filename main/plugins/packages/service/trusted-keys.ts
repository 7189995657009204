// The keys whose signatures are trusted, and what a signature is worth (D-130).
import type { PackageTrust } from '#shared/contracts/package-parts.ts'
import type { TrustedKey } from '#shared/contracts/packages.ts'
import { notFound, platformError, validationError } from '#shared/errors.ts'
import type { Authorizer } from '#main/kernel/authorize.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { RequestContext } from '#main/kernel/context.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { PluginHost } from '#main/kernel/plugin.ts'
import { packageError } from '../errors.ts'
import type { KeyRow } from '../store.ts'
import { allKeys, putKey } from '../store.ts'
import type { ArchiveFiles } from './archive-reader.ts'
import { publicKeyOf, signatureIn } from './signatures.ts'

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

/** What was revoked since a backup stays so when that is put back. @source D-420 */
export async function keepRevoked({ options, write }: Pick<PluginHost, 'options' | 'write'>): Promise<void> {
  const revoked = options.restored?.read(allKeys)?.filter((key) => key.revoked_at !== null) ?? []
  if (revoked.length === 0) return
  await write('packages.keep-revoked', (tx) => {
    for (const key of revoked) putKey(tx, key)
  })
}

/** Makes the keys. */
export function createTrustedKeys(parts: {
  read: Reads
  write: Write
  clock: Clock
  authorizer: () => Authorizer
  requireSigned: () => boolean
}): TrustedKeys {
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
      // Who is bound to what is signed does not say whose signature counts.
      const missing = ['manage_settings'].filter((right) => !parts.authorizer().hasSystemPermission(ctx, right))
      if (parts.requireSigned() && missing.length > 0)
        throw platformError('permission_denied', { permissions: missing })
      if (publicKeyOf(publicKey) === null) {
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
      const signature = signatureIn(files, requireNotRevoked)
      if (signature === null) return { trust: 'unsigned', publicKey: null }
      const { keyId, publicKey } = signature
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
