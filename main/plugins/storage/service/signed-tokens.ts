// Tokens of signed addresses: what they allow, until when, and proof that this host made them (D-189).
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { storageError } from '../errors.ts'
import { putKey, readKey } from '../store.ts'

/** What a token allows. */
export type SignedOperation = 'download' | 'upload'

/** Makes and reads tokens. */
export interface SignedTokens {
  /** @param expires milliseconds */
  make(fileId: string, operation: SignedOperation, expires: number): Promise<string>
  /** The file a token is for. @throws signed_url_invalid for another operation, an altered token and one whose time is over */
  open(token: string, operation: SignedOperation): Promise<string>
}

/** What tokens are made with. */
export interface TokenParts {
  readonly read: Reads
  readonly write: Write
  readonly secrets: SecretStore
  readonly clock: Clock
}

const keyName = 'signed'
const maxTokenLength = 1_024

/** Makes the maker; the key is made with the first token, sealed, and kept. */
export function createSignedTokens({ read, write, secrets, clock }: TokenParts): SignedTokens {
  let key: Promise<Buffer> | undefined

  const open = async (): Promise<Buffer> => {
    const sealed = readKey(read, keyName)
    const known = sealed === undefined ? undefined : await openKey(secrets, sealed)
    if (known !== undefined) return known
    const fresh = randomBytes(32)
    const box = await secrets.seal(fresh.toString('base64'))
    await write('storage.key', (tx) => putKey(tx, keyName, box))
    return fresh
  }

  const keyOf = (): Promise<Buffer> => {
    key ??= open().catch((error: unknown) => {
      key = undefined
      throw error
    })
    return key
  }

  const sign = async (payload: string): Promise<Buffer> =>
    createHmac('sha256', await keyOf())
      .update(payload)
      .digest()

  return {
    async make(fileId, operation, expires) {
      const payload = Buffer.from(JSON.stringify({ fileId, operation, expires })).toString('base64url')
      return `${payload}.${(await sign(payload)).toString('base64url')}`
    },
    async open(token, operation) {
      const [payload = '', signature = '', ...rest] = token.slice(0, maxTokenLength).split('.')
      const given = Buffer.from(signature, 'base64url')
      const own = await sign(payload)
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
      }
      if (allowed.operation !== operation || allowed.expires <= clock.now()) throw storageError('signed_url_invalid')
      return allowed.fileId
    },
  }
}

async function openKey(secrets: SecretStore, sealed: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from(await secrets.open(sealed), 'base64')
    return key.length === 32 ? key : undefined
  } catch {
    // Sealed on another machine, or with a key that is gone: addresses made with it end.
    return undefined
  }
}
