// The arithmetic of pairing: the code, its proof, the commitment and the number two people compare. All of it from
// node:crypto; knows no message and no state.
import { createHash, createHmac, hkdfSync, randomInt, timingSafeEqual } from 'node:crypto'

/** A new code of seven digits. */
export function makeCode(): string {
  return String(randomInt(10_000_000)).padStart(7, '0')
}

/** A code as a person typed it, without spaces and dashes; undefined when it is not seven digits. */
export function parseCode(text: string): string | undefined {
  const digits = text.replaceAll(/[\s-]/g, '')
  return /^\d{7}$/.test(digits) ? digits : undefined
}

/** Proves over this TLS session, and no other, that one was told the code. */
export function proofOf(secret: Uint8Array, code: string): Uint8Array {
  return new Uint8Array(createHmac('sha256', secret).update(code).digest())
}

/** What binds a side to a nonce before it shows it. */
export function commitmentOf(nonce: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(nonce).digest())
}

/** Compares two digests in the same time wherever they differ. */
export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return a.byteLength === b.byteLength && timingSafeEqual(a, b)
}

/**
 * The six digits both screens show. Whoever sits between the two devices has another TLS session with each of them, and
 * because the joiner is bound to its nonce before it sees the other one, no search finds two nonces that give the same
 * digits: one chance in a million per try is left.
 */
export function comparisonOf(secret: Uint8Array, inviterNonce: Uint8Array, joinerNonce: Uint8Array): string {
  const input = Buffer.concat([secret, inviterNonce, joinerNonce])
  // 64 bits before the remainder: the first digits are no likelier than the others.
  const bits = Buffer.from(hkdfSync('sha256', input, Buffer.alloc(0), 'cairn-comparison', 8)).readBigUInt64BE()
  return String(bits % 1_000_000n).padStart(6, '0')
}
