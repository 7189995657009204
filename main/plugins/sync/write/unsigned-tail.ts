// The end of a log that nobody takes under its number any more: of another machine's in a copy of its database, what was
// written after the last signed end; of the own one, what others have something else for; of an unpaired machine's, what came
// here before that was heard of. What it says goes on under this machine's number. Knows the log, no document.
import type { Tx } from '#main/kernel/database.ts'
import type { EnvelopeBody, SealedEnvelope } from '#main/replication/core/types.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'
import {
  deleteEnvelopes,
  deleteHeads,
  putIncarnation,
  readEnvelopes,
  readHeadUpTo,
  readIncarnations,
} from '../store/log-store.ts'
import type { IncarnationRow } from '../store/log-store.ts'
import { chainStart } from '#main/replication/wire/chain.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import type { AppendOwn, DraftBody } from './own-log.ts'

/** Envelopes that are looked at together. */
const sliceEnvelopes = 256

/**
 * Ends the logs of other devices where their last signed end is, and writes what came after it into the own log. The updates
 * are the same bytes: where the other machine is alive and sends its own, merging them again changes nothing.
 * @returns how many envelopes were written anew
 */
export function reissueUnsigned(tx: Tx, device: string, append: AppendOwn): number {
  let count = 0
  for (const row of readIncarnations(tx)) {
    if (row.device === device || row.headSeq >= row.storedSeq) continue
    count += reissueBehind(tx, row, row.headSeq, append)
  }
  return count
}

/**
 * Ends a log at its last signed end up to a number, and writes what came after it into the own log, as `change` makes it.
 * What of it was good comes again from those who have it.
 * @param change null: it is left out
 * @returns how many envelopes were written anew
 */
export function reissueBehind(
  tx: Tx,
  row: IncarnationRow,
  seq: number,
  append: AppendOwn,
  change: (draft: DraftBody) => DraftBody | null = (draft) => draft,
): number {
  const { seq: headSeq, hash: chain } = readHeadUpTo(tx, row.inc, seq) ?? chainStart()
  const count = reissue(tx, { ...row, headSeq }, append, change)
  deleteEnvelopes(tx, row.inc, headSeq + 1)
  deleteHeads(tx, row.inc, headSeq + 1)
  const appliedSeq = Math.min(row.appliedSeq, headSeq)
  putIncarnation(tx, { ...row, storedSeq: headSeq, appliedSeq, chain, headSeq, headBytes: 0 })
  return count
}

/** Writes the end of a log, call by call. */
function reissue(
  tx: Tx,
  { inc, headSeq, storedSeq }: IncarnationRow,
  append: AppendOwn,
  change: (draft: DraftBody) => DraftBody | null,
): number {
  let count = 0
  let call: { readonly first: number; readonly drafts: DraftBody[] } = { first: 0, drafts: [] }
  const close = (): void => {
    append(tx, call.drafts)
    count += call.drafts.length
  }
  for (let seq = headSeq + 1; seq <= storedSeq;) {
    const slice = readEnvelopes(tx, inc, seq, sliceEnvelopes)
    if (slice.length === 0) break
    for (const envelope of slice) {
      const body = bodyOf(envelope)
      // What this version cannot read was not written by it, nor on the disk this is a copy of, or is damaged.
      if (body === null) continue
      const { group, ...draft } = body
      if (group.first !== call.first) {
        close()
        call = { first: group.first, drafts: [] }
      }
      const changed = change(draft)
      if (changed !== null) call.drafts.push(changed)
    }
    seq = slice.at(-1)!.seq + 1
  }
  close()
  return count
}

function bodyOf({ seal, body }: SealedEnvelope): EnvelopeBody | null {
  try {
    const decoded = seal === 0 ? decodeBody(body) : null
    return decoded === null || isOpaque(decoded) ? null : decoded
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}
