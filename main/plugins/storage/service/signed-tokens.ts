// Tokens of signed addresses: what they allow, until when, and proof that this host made them (D-189).
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { makeSealedKey, openSealedKey } from '#main/kernel/sealed-key.ts'
import { storageError } from '../errors.ts'
import { putKey, readKey } from '../store.ts'
import type { Lender } from './lenders.ts'

/** What a token allows. */
export type SignedOperation = 'download' | 'upload'

/** Makes and reads tokens. */
export interface SignedTokens {
  /**
   * @param expires milliseconds
   * @param by whose rights count when it is used
   */
  make(fileId: string, operation: SignedOperation, expires: number, by: Lender): string
  /** The file a token is for, and who lent it. @throws signed_url_invalid for another operation, an altered token and one whose time is over */
  open(token: string, operation: SignedOperation): { readonly fileId: string; readonly by: Lender | undefined }
}

const keyName = 'signed'
const maxTokenLength = 1_024

/**
 * The key tokens are signed with; made and kept, sealed, where there is none that can be opened. A start asks for it, so
 * that reading an address writes nothing.
 * @throws SecretKeyMissing when it was sealed with a key file that is gone
 */
export async function openSigningKey(parts: { read: Reads; write: Write; secrets: SecretStore }): Promise<Buffer> {
  const known = await openSealedKey(parts.secrets, readKey(parts.read, keyName))
  if (known !== undefined) return known
  const { key, sealed } = await makeSealedKey(parts.secrets)
  await parts.write('storage.key', (tx) => putKey(tx, keyName, sealed), { whenFull: true })
  return key
}

/** Makes the maker. */
export function createSignedTokens(key: Buffer, clock: Clock): SignedTokens {
  const sign = (payload: string): Buffer => createHmac('sha256', key).update(payload).digest()

  return {
    make(fileId, operation, expires, by) {
      const payload = Buffer.from(JSON.stringify({ fileId, operation, expires, by })).toString('base64url')
      return `${payload}.${sign(payload).toString('base64url')}`
    },
    open(token, operation) {
      const [payload = '', signature = '', ...rest] = token.slice(0, maxTokenLength).split('.')
      const given = Buffer.from(signature, 'base64url')
      const own = sign(payload)
      // A signature has one spelling: what decodes to the same bytes is another token.
      const isOwn =
        rest.length === 0 &&
        given.length === own.length &&
        timingSafeEqual(given, own) &&
        own.toString('base64url') === signature
      if (!isOwn) throw storageError('signed_url_invalid')
      const allowed = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as {
        fileId: string
        operation: string
        expires: number
        by?: Lender
      }
      const { fileId, by } = allowed
      if (allowed.operation !== operation || allowed.expires <= clock.now()) throw storageError('signed_url_invalid')
      return { fileId, by }
    },
  }
}
