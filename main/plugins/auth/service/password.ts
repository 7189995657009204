// Hashes passwords with scrypt, off the event loop. Knows no account.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

const cost = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
const keyBytes = 64

/** A hash of the form `salt:key`, both hex. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await derive(password, salt)).toString('hex')}`
}

/** Whether a password belongs to a hash; takes as long when the hash is damaged. */
export async function verifyPassword(hash: string, password: string): Promise<boolean> {
  const [salt = '', key = ''] = hash.split(':')
  const expected = Buffer.from(key, 'hex')
  const derived = await derive(password, salt)
  return expected.length === derived.length && timingSafeEqual(expected, derived)
}

function derive(password: string, salt: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, keyBytes, cost, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}
