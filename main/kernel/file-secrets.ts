// The headless secret store: AES-256-GCM under a key in a private file of the data folder. It protects copies of the
// database that travel without the key file, not against whoever can read the folder.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import path from 'node:path'
import { readPrivateFile, writeFileAtomic } from './atomic-file.ts'
import type { SecretStore } from './ports.ts'

const version = 'f1'
const nonceBytes = 12
const tagBytes = 16

/** Values were sealed with a key file that is not there any more; the message says what to do. */
export class SecretKeyMissing extends Error {
  constructor(keyFile: string) {
    super(
      [
        `The file ${keyFile} is missing, and secrets of this workspace are sealed with it: passwords of mail and sign-in services, addresses of notices, secret fields of records, the keys of the audit. Nothing was changed.`,
        'Put it back from a copy of the data folder; backups do not hold it. Everything else can be read without it.',
        `To go on without it, for good: npm run cairn -- new-key --data "${path.dirname(keyFile)}". What was sealed has to be entered again.`,
      ].join('\n'),
    )
    this.name = 'SecretKeyMissing'
  }
}

/**
 * Makes a key where there is none, so that a workspace whose key is lost goes on without what was sealed with it.
 * @returns false when there is one
 */
export function makeSecretKey(keyFile: string): boolean {
  if (readPrivateFile(keyFile) !== undefined) return false
  writeFileAtomic(keyFile, `${randomBytes(32).toString('base64')}\n`)
  return true
}

/** Makes the store; the key file is created with mode 0600 when the first secret is sealed. */
export function createFileSecrets(keyFile: string): SecretStore {
  let key: Buffer | undefined
  const load = (create: boolean): Buffer => {
    if (key !== undefined) return key
    if (create) makeSecretKey(keyFile)
    const text = readPrivateFile(keyFile)
    if (text === undefined) throw new SecretKeyMissing(keyFile)
    const read = Buffer.from(text.trim(), 'base64')
    if (read.length !== 32)
      throw new Error(`The key file ${keyFile} is damaged. Put it back from a copy of the data folder.`)
    key = read
    return key
  }
  return {
    backend: 'file',
    async seal(plain) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', load(true), nonce)
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`
    },
    async open(sealed) {
      const [mark, text] = sealed.split('.')
      if (mark !== version || text === undefined) throw new Error('The sealed value has an unknown form.')
      const bytes = Buffer.from(text, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', load(false), bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const plain = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
      return plain.toString('utf8')
    },
  }
}
