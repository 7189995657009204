// Random keys that the host makes for itself and keeps sealed in the database, beside what they protect.
import { randomBytes } from 'node:crypto'
import { SecretKeyMissing } from './file-secrets.ts'
import type { SecretStore } from './ports.ts'

/** Bytes of a key. */
const keyBytes = 32

/** Makes a key, and what is stored of it. */
export async function makeSealedKey(secrets: SecretStore): Promise<{ key: Buffer; sealed: string }> {
  const key = randomBytes(keyBytes)
  return { key, sealed: await secrets.seal(key.toString('base64')) }
}

/**
 * Opens a key; undefined where there is none that can be opened: sealed on another machine, or edited.
 * @throws SecretKeyMissing when it was sealed with a key file that is not in its place: that is asked for before
 * anything is sealed with another
 */
export async function openSealedKey(secrets: SecretStore, sealed: string | undefined): Promise<Buffer | undefined> {
  if (sealed === undefined) return undefined
  try {
    const key = Buffer.from(await secrets.open(sealed), 'base64')
    return key.length === keyBytes ? key : undefined
  } catch (error) {
    if (error instanceof SecretKeyMissing) throw error
    return undefined
  }
}
