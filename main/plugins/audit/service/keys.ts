// The keys of the chain: random, sealed by the secret store, kept beside the entries. A key that cannot be opened any
// more (the data came from another machine) is replaced; what it signed can then not be checked.
import type { Reads, Write } from '#main/kernel/database.ts'
import type { SecretStore } from '#main/kernel/ports.ts'
import { makeSealedKey, openSealedKey } from '#main/kernel/sealed-key.ts'
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
    keys.push({ firstSeq, key: await openSealedKey(parts.secrets, sealed) })
  }
  let current = keys.at(-1)?.key
  if (current === undefined) {
    const made = await makeSealedKey(parts.secrets)
    const firstSeq = readHead(parts.read).seq + 1
    await parts.write('audit.key', (tx) => insertKey(tx, { firstSeq, sealed: made.sealed }, parts.at))
    current = made.key
    keys.push({ firstSeq, key: current })
  }
  return { current, of: (seq) => keys.findLast(({ firstSeq }) => firstSeq <= seq)?.key }
}
