// Identifiers: UUIDv7 in lower case, strictly increasing within the process (D-09), and random tokens.
import { randomBytes, randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'

/** Makes identifiers and secrets. */
export interface Ids {
  /** A new UUIDv7; each is greater than every one before it in this process. */
  uuid(): string
  /** `bytes` random bytes as base64url; 32 bytes = 256 bits = 43 characters. */
  token(bytes?: number): string
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text is an RFC 9562 UUID in lower case. */
export function isUuid(text: string): boolean {
  return uuidPattern.test(text)
}

/**
 * Makes the id source. The 12 bits after the version count up within one millisecond, and a clock that steps back
 * keeps the last millisecond, so order is creation order.
 * @source RFC 9562 section 6.2, method 1
 */
export function createIds(clock: Clock): Ids {
  const pool = Buffer.allocUnsafe(8 * 512)
  let digits = ''
  let used = 0
  let lastMs = 0
  let time = ''
  let counter = 0
  return {
    uuid() {
      const now = clock.now()
      counter += 1
      if (now > lastMs || counter > 0xfff) {
        lastMs = Math.max(now, lastMs + 1)
        counter = 0
        const text = lastMs.toString(16).padStart(12, '0')
        time = `${text.slice(0, 8)}-${text.slice(8)}`
      }
      if (used === digits.length) {
        digits = randomFillSync(pool).toString('hex')
        used = 0
      }
      const sequence = (0x7000 | counter).toString(16)
      const variant = ((pool[used / 2]! & 0x3f) | 0x80).toString(16)
      const tail = `${digits.slice(used + 2, used + 4)}-${digits.slice(used + 4, used + 16)}`
      used += 16
      return `${time}-${sequence}-${variant}${tail}`
    },
    token: (bytes = 32) => randomBytes(bytes).toString('base64url'),
  }
}
