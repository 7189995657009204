// Ed25519 keys of devices as the 32 bytes that travel, and what devices sign: each message opens with its own words, so
// that a signature made for one purpose is worth nothing for another. Knows no frame and keeps no key.
import type { KeyObject } from 'node:crypto'
import { createPublicKey, sign, verify } from 'node:crypto'
import { hashBytes, signatureBytes } from './limits.ts'
import { WireError } from './wire-error.ts'

/** What a signature is for. */
export type SignedPurpose = 'head' | 'auth' | 'grant' | 'revoke' | 'narrow' | 'lease' | 'live'

/** The 32 bytes of the public half of a key pair; a private key is accepted too. */
export function rawPublicKey(key: KeyObject): Uint8Array {
  const half = key.type === 'private' ? createPublicKey(key) : key
  const { x } = half.export({ format: 'jwk' })
  if (half.asymmetricKeyType !== 'ed25519' || x === undefined)
    throw new WireError('malformed', 'The key of a device is an Ed25519 key.')
  return new Uint8Array(Buffer.from(x, 'base64url'))
}

/** The public key that 32 bytes stand for. @throws WireError */
export function publicKeyOf(raw: Uint8Array): KeyObject {
  if (raw.length !== hashBytes) throw new WireError('malformed', `The key of a device has ${raw.length} bytes.`)
  const x = Buffer.from(raw).toString('base64url')
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch {
    throw new WireError('malformed', 'The key of a device is no point of its curve.')
  }
}

/** Who can sign as a device without showing its private key. */
export interface Signer {
  /** Public key, 32 bytes. */
  readonly signKey: Uint8Array
  /** Ed25519 signature of the bytes, 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array
}

/** Signs with a private key. @throws WireError when it is none of Ed25519 */
export function signerOf(privateKey: KeyObject): Signer {
  return {
    signKey: rawPublicKey(privateKey),
    sign: (bytes) => new Uint8Array(sign(null, bytes, privateKey)),
  }
}

/** Signs the parts of a message. Every part but the last must be of a length that its purpose fixes. */
export function signMessage(signer: Signer, purpose: SignedPurpose, parts: readonly Uint8Array[]): Uint8Array {
  return signer.sign(messageOf(purpose, parts))
}

/** Whether a signature belongs to a message. Never throws, whatever the signature is. */
export function verifyMessage(
  publicKey: KeyObject,
  purpose: SignedPurpose,
  parts: readonly Uint8Array[],
  signature: Uint8Array,
): boolean {
  if (signature.length !== signatureBytes) return false
  try {
    return verify(null, messageOf(purpose, parts), publicKey, signature)
  } catch {
    return false
  }
}

function messageOf(purpose: SignedPurpose, parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(`cairn-sync-${purpose}-v1\n`), ...parts])
}

/** A number in eight bytes, the highest first: the same number is always the same bytes of a signed message. */
export function numberBytes(value: number): Uint8Array {
  const encoded = Buffer.alloc(8)
  encoded.writeBigUInt64BE(BigInt(value))
  return encoded
}
