// The token with which a workspace is registered at a relay: kept as a digest alone. Knows two files, no relay.
import { randomBytes } from 'node:crypto'
import { readPrivateFile, writeFileAtomic } from '#main/kernel/atomic-file.ts'
import { hashToken } from '../admission.ts'

/** What a relay knows of its admin token. */
export interface AdminToken {
  readonly hash: Uint8Array
  /** The token itself, when it was made just now: nobody can tell it again later. */
  readonly made: string | undefined
  /** Keeps the digest where it is new. To be called once the relay runs, so that a failed start makes no token. */
  keep(): void
}

/** A shorter token could be guessed. */
const leastLength = 20

/**
 * Finds the admin token: the one a person gives in a file counts from now on, else the one kept, else a new one.
 * @param digestFile where the digest is kept
 * @param givenFile a private file with a token in its only line
 * @throws Error when the given file is not there or holds no token, or the digest is damaged
 */
export function openAdminToken(digestFile: string, givenFile?: string): AdminToken {
  const store = (hash: Uint8Array): void => writeFileAtomic(digestFile, `${Buffer.from(hash).toString('hex')}\n`)
  if (givenFile !== undefined) {
    const hash = hashToken(readToken(givenFile))
    return { hash, made: undefined, keep: () => store(hash) }
  }
  const kept = readPrivateFile(digestFile)?.trim()
  if (kept !== undefined) {
    if (!/^[0-9a-f]{64}$/.test(kept)) throw new Error(`${digestFile} is damaged. Give a token with --admin-token-file.`)
    return { hash: Buffer.from(kept, 'hex'), made: undefined, keep: () => undefined }
  }
  const made = randomBytes(32).toString('base64url')
  const hash = hashToken(made)
  return { hash, made, keep: () => store(hash) }
}

function readToken(file: string): string {
  const text = readPrivateFile(file)
  if (text === undefined) throw new Error(`There is no file ${file}.`)
  const token = text.trim()
  if (token.length < leastLength || /\s/.test(token))
    throw new Error(`${file} must hold one token of at least ${leastLength} characters.`)
  return token
}
