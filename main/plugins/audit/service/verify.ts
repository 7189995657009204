// Checks the chain from its beginning to its end, a slice of entries after the other.
import type { z } from 'zod'
import type { AuditBreakReason } from '#shared/contracts/audit.ts'
import type { Reads } from '#main/kernel/database.ts'
import { entriesAfter, readCut, readHash } from '../store.ts'
import type { AuditVerification } from '../api.ts'
import type { Anchor } from './anchor.ts'
import type { EntryRow, Head } from './entry.ts'
import { entryHash, genesis } from './entry.ts'
import type { ChainKeys } from './keys.ts'

/** Why a chain is broken at an entry. */
type BreakReason = z.output<typeof AuditBreakReason>

/** What a check works with. */
export interface VerifyParts {
  readonly read: Reads
  readonly keys: Pick<ChainKeys, 'of'>
  readonly anchor: Pick<Anchor, 'read'>
  /** The end of what was committed. */
  readonly head: () => Head
}

const sliceSize = 500

/** Checks everything that is committed when it begins. */
export async function verifyChain(parts: VerifyParts): Promise<AuditVerification> {
  const { read, keys } = parts
  const end = parts.head()
  const kept = parts.anchor.read()
  let before: Head | undefined
  let checked = 0
  const broken = (seq: number, reason: BreakReason): AuditVerification => ({
    valid: false,
    checked,
    head: end,
    firstBroken: { seq, reason },
  })
  const slices = read.slices<EntryRow>((last) => entriesAfter(last?.seq ?? 0, sliceSize))
  for await (const slice of slices) {
    for (const entry of slice) {
      before ??= beginningOf(read, entry)
      if (before === undefined) return broken(entry.seq, 'cut')
      const reason = reasonOf(entry, before, keys.of(entry.seq))
      if (reason !== null) return broken(reason === 'missing' ? before.seq + 1 : entry.seq, reason)
      before = entry
      checked += 1
    }
  }
  const reached = before ?? genesis
  if (reached.seq < end.seq) return broken(reached.seq + 1, 'end_missing')
  if (readHash(read, end.seq) !== end.hash) return broken(end.seq, 'changed')
  if (typeof kept !== 'object') return broken(reached.seq, 'anchor_lost')
  if (readHash(read, kept.seq) !== kept.hash) return broken(Math.min(kept.seq, reached.seq), 'gap')
  return { valid: true, checked, head: { seq: reached.seq, hash: reached.hash } }
}

/** What the first entry follows: the beginning, or the end of a recorded cut; undefined when neither is there. */
function beginningOf(read: Pick<Reads, 'get'>, first: EntryRow): Head | undefined {
  if (first.seq === 1) return genesis
  const details = readCut(read, first.seq - 1)
  if (details === undefined) return undefined
  const { end } = JSON.parse(details) as { end?: unknown }
  return typeof end === 'string' ? { seq: first.seq - 1, hash: end } : undefined
}

function reasonOf(entry: EntryRow, before: Head, key: Buffer | undefined): BreakReason | null {
  if (entry.seq !== before.seq + 1) return 'missing'
  if (entry.prev !== before.hash) return 'link'
  if (key === undefined) return 'key_lost'
  const { hash, ...rest } = entry
  if (hashOf(key, rest) !== hash) return 'changed'
  if (entry.kind === 'audit.gap') return 'gap'
  return entry.kind === 'audit.anchor_lost' ? 'anchor_lost' : null
}

/** Text that no entry of ours can hold, for example a lone surrogate, has no hash. */
function hashOf(key: Buffer, entry: Omit<EntryRow, 'hash'>): string | null {
  try {
    return entryHash(key, entry)
  } catch {
    return null
  }
}
