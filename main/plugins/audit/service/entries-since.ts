// After a restore: the chain goes on behind the entries since the backup. Who restores one does not take back what they did.
import type { Reads, Write } from '#main/kernel/database.ts'
import type { ReplacedState, Restored } from '#main/kernel/restore-note.ts'
import { deleteThrough, entriesAfter, insertEntry, insertKey, readCut, readHash, readHead, readKeys } from '../store.ts'
import type { EntryRow, Head } from './entry.ts'

/** Entries of the state before that come after those of the backup; `cut`: what came before them is let go of there. */
interface Since {
  readonly entries: readonly EntryRow[]
  readonly cut: boolean
  readonly keys: ReturnType<typeof readKeys>
}

/**
 * Brings the entries back that were made since the backup, and the keys they were signed with. Does nothing
 * where the state before has another chain, or none that goes on from there.
 */
export async function keepEntries(parts: {
  readonly read: Reads
  readonly write: Write
  readonly restored: Restored
  readonly at: string
}): Promise<void> {
  const head = readHead(parts.read)
  const known = new Set(readKeys(parts.read).map(({ sealed }) => sealed))
  const since = parts.restored.read((state) => entriesSince(state, head, known))
  const first = since?.entries[0]
  if (since == null || first === undefined) return
  await parts.write('audit.keep-entries', (tx) => {
    for (const key of since.keys) if (!known.has(key.sealed)) insertKey(tx, key, parts.at)
    for (const entry of since.entries) insertEntry(tx, entry)
    if (since.cut) deleteThrough(tx, first.seq - 1)
  })
}

function entriesSince(state: ReplacedState, head: Head, known: ReadonlySet<string>): Since {
  const keys = readKeys(state)
  const entries = state.all(entriesAfter(head.seq, -1))
  const first = entries[0]?.seq ?? 0
  if (readHash(state, head.seq) === head.hash && first === head.seq + 1) return { entries, keys, cut: false }
  // The backup is older than what is kept: nothing links the two but the keys, and the entry that says what went.
  const ofSameChain = [...known].every((key) => keys.some(({ sealed }) => sealed === key))
  const cut = ofSameChain && first > head.seq + 1 && readCut(state, first - 1) !== undefined
  return { entries: cut ? entries : [], keys, cut }
}
