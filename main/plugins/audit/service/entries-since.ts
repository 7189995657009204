// After a restore: the chain goes on behind the entries since the backup. Who restores one does not take back what they did.
import { readReplaced } from '#main/database/replaced-state.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import { entriesAfter, insertEntry, insertKey, readHash, readHead, readKeys } from '../store.ts'

/**
 * Brings the entries back that were made since the backup, and the keys they were signed with. Does nothing but at the first
 * start after a restore, and where the state before has another chain, or none that goes on from there.
 */
export async function keepEntries(parts: {
  readonly read: Reads
  readonly write: Write
  readonly dataDir: string
  readonly at: string
}): Promise<void> {
  const head = readHead(parts.read)
  const known = new Set(readKeys(parts.read).map(({ sealed }) => sealed))
  const since = readReplaced(parts.dataDir, (state) => {
    if (readHash(state, head.seq) !== head.hash) return { entries: [], keys: [] }
    return { entries: state.all(entriesAfter(head.seq, -1)), keys: readKeys(state) }
  })
  if (since == null || since.entries[0]?.seq !== head.seq + 1) return
  await parts.write('audit.keep-entries', (tx) => {
    for (const key of since.keys) if (!known.has(key.sealed)) insertKey(tx, key, parts.at)
    for (const entry of since.entries) insertEntry(tx, entry)
  })
}
