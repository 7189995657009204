// The code a person types to approve a device.
import { randomInt } from 'node:crypto'

/** Consonants that cannot be mistaken for one another and make no words (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/** Eight letters as they are stored: without the dash. @source D-36 */
export function createUserCode(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]!).join('')
}

/** The code as people see it: `XXXX-XXXX`. */
export function printUserCode(code: string): string {
  return code.length === 8 ? `${code.slice(0, 4)}-${code.slice(4)}` : code
}
