// The end of another machine's log in a copy of its database: it was written after the last signed end, so that nobody can
// sign it here and nobody would take it. What it says goes on under this machine's number. Knows the log, no document.
import type { Tx } from '#main/kernel/database.ts'
import { deleteEnvelopes, putIncarnation, readEnvelopes, readHeads, readIncarnations } from '../store/log-store.ts'
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
    count += reissue(tx, row, append)
    const chain = row.headSeq === 0 ? chainStart().hash : readHeads(tx, row.inc, row.headSeq, 1)[0]!.hash
    const appliedSeq = Math.min(row.appliedSeq, row.headSeq)
    deleteEnvelopes(tx, row.inc, row.headSeq + 1)
    putIncarnation(tx, { ...row, storedSeq: row.headSeq, appliedSeq, chain, headBytes: 0 })
  }
  return count
}

/** Writes the end of a log, call by call. */
function reissue(tx: Tx, { inc, headSeq, storedSeq }: IncarnationRow, append: AppendOwn): number {
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
      const body = envelope.seal === 0 ? decodeBody(envelope.body) : null
      // What this version cannot read was not written by it, nor on the disk this is a copy of.
      if (body === null || isOpaque(body)) continue
      const { group, ...draft } = body
      if (group.first !== call.first) {
        close()
        call = { first: group.first, drafts: [] }
      }
      call.drafts.push(draft)
    }
    seq = slice.at(-1)!.seq + 1
  }
  close()
  return count
}
