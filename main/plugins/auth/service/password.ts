// Hashes passwords with scrypt, off the event loop. Knows no account.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import type { ScryptOptions } from 'node:crypto'
import { normalForm } from '#shared/normal-form.ts'

const standardCost = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
const keyBytes = 64

/** Makes hashes of passwords and judges them. */
export interface Passwords {
  /** A hash of the form `salt:key`, both hex. */
  hash(password: string): Promise<string>
  /** Whether a password belongs to a hash; takes as long when the hash is damaged. */
  verify(hash: string, password: string): Promise<boolean>
}

/** Makes the hashing. @param cost of scrypt, which a hash does not tell: less than the standard is for throw-away data */
export function createPasswords(cost: ScryptOptions = standardCost): Passwords {
  const derive = (password: string, salt: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      scrypt(normalForm(password, 'NFKC'), salt, keyBytes, cost, (error, key) => {
        if (error === null) resolve(key)
        else reject(error)
      })
    })
  return {
    async hash(password) {
      const salt = randomBytes(16).toString('hex')
      return `${salt}:${(await derive(password, salt)).toString('hex')}`
    },
    async verify(hash, password) {
      const [salt = '', key = ''] = hash.split(':')
      const expected = Buffer.from(key, 'hex')
      const derived = await derive(password, salt)
      return expected.length === derived.length && timingSafeEqual(expected, derived)
    },
  }
}
