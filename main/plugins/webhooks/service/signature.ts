// Signatures of messages as the published "Standard Webhooks" have them, made and checked. Knows no webhook and no receiver.
import { createHash, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'

/** What is signed. */
export interface SignedMessage {
  readonly id: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly body: string | Uint8Array
}

const secretPrefix = 'whsec_'

/** A new secret: `whsec_` and 32 random bytes in base64. */
export function newSecret(randomToken: (bytes: number) => string): string {
  return secretPrefix + Buffer.from(randomToken(32), 'base64url').toString('base64')
}

/**
 * The signature of a message under each secret, separated by spaces.
 * @source D-193; standard-webhooks/spec, "Signature scheme"
 */
export function sign(secrets: readonly string[], message: SignedMessage): string {
  return secrets.map((secret) => `v1,${signatureOf(secret, message).toString('base64')}`).join(' ')
}

/** Whether one of several signatures, as {@link sign} writes them, is that of the message under the secret. */
export function isSigned(secret: string, message: SignedMessage, header: string): boolean {
  const wanted = signatureOf(secret, message)
  return header.split(' ').some((part) => {
    const [version, text] = part.split(',', 2)
    return version === 'v1' && text !== undefined && isSame(Buffer.from(text, 'base64'), wanted)
  })
}

/** Whether a hexadecimal HMAC-SHA256 is that of the body. */
export function isHexSigned(secret: string, body: Uint8Array, given: string): boolean {
  if (!/^[0-9a-f]{64}$/i.test(given)) return false
  return isSame(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest())
}

/** Compares two texts in a time that tells nothing of them. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

function signatureOf(secret: string, { id, timestamp, body }: SignedMessage): Buffer {
  const key = secret.startsWith(secretPrefix) ? Buffer.from(secret.slice(secretPrefix.length), 'base64') : secret
  // A key made beforehand takes half the time of bytes.
  return createHmac('sha256', createSecretKey(Buffer.from(key)))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest()
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}
