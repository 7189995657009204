// The keys of the chain: random, sealed by the secret store, kept beside the entries. A key that cannot be opened any
// more (the data came from another machine) is replaced; what it signed can then not be checked.
import { randomBytes } from 'node:crypto'
import type { Reads, Write } from '#main/kernel/database.ts'
import { SecretKeyMissing } from '#main/kernel/file-secrets.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { insertKey, readHead, readKeys } from '../store.ts'

/** The keys of one host. */
export interface ChainKeys {
  /** For new entries. */
  readonly current: Buffer
  /** The key an entry was signed with; undefined when it is lost. */
  of(seq: number): Buffer | undefined
}

/**
 * Opens the keys; makes one when there is none that can be opened.
 * @throws SecretKeyMissing when they were sealed with a key file that is gone
 */
export async function openKeys(parts: {
  read: Reads
  write: Write
  secrets: SecretStore
  at: string
}): Promise<ChainKeys> {
  const keys: { firstSeq: number; key: Buffer | undefined }[] = []
  for (const { firstSeq, sealed } of readKeys(parts.read)) {
    keys.push({ firstSeq, key: await openKey(parts.secrets, sealed) })
  }
  let current = keys.at(-1)?.key
  if (current === undefined) {
    current = randomBytes(32)
    const sealed = await parts.secrets.seal(current.toString('base64'))
    const firstSeq = readHead(parts.read).seq + 1
    await parts.write('audit.key', (tx) => insertKey(tx, { firstSeq, sealed }, parts.at))
    keys.push({ firstSeq, key: current })
  }
  return { current, of: (seq) => keys.findLast(({ firstSeq }) => firstSeq <= seq)?.key }
}

async function openKey(secrets: SecretStore, sealed: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from(await secrets.open(sealed), 'base64')
    return key.length === 32 ? key : undefined
  } catch (error) {
    // A key file that is only not in its place is asked for, before anything is sealed with another.
    if (error instanceof SecretKeyMissing) throw error
    // Sealed on another machine, or edited.
    return undefined
  }
}
