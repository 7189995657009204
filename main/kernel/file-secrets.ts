// The headless secret store: AES-256-GCM under a key in a private file of the data folder. It protects copies of the
// database that travel without the key file, not against whoever can read the folder.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readPrivateFile, writeFileAtomic } from './atomic-file.ts'
import type { SecretStore } from './ports.ts'

const version = 'f1'
const nonceBytes = 12
const tagBytes = 16

/** Makes the store; the key file is created with mode 0600 when the first secret is sealed. */
export function createFileSecrets(keyFile: string): SecretStore {
  let key: Buffer | undefined
  const load = (create: boolean): Buffer => {
    if (key !== undefined) return key
    const text = readPrivateFile(keyFile)
    if (text !== undefined) {
      key = Buffer.from(text.trim(), 'base64')
    } else if (create) {
      const fresh = randomBytes(32)
      writeFileAtomic(keyFile, `${fresh.toString('base64')}\n`)
      // Only now: nothing may be sealed with a key that is not on disk.
      key = fresh
    }
    if (key?.length !== 32) throw new Error('The key file of the secret store is missing or damaged.')
    return key
  }
  return {
    backend: 'file',
    seal(plain) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', load(true), nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Promise.resolve(`${version}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`)
    },
    open(sealed) {
      const [mark, text] = sealed.split('.')
      if (mark !== version || text === undefined) throw new Error('The sealed value has an unknown form.')
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', load(false), bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
      return Promise.resolve(plain.toString('utf8'))
    },
  }
}
