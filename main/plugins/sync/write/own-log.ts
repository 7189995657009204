// Appends to the log of this machine's incarnation inside the transaction of the rows: numbers without gaps, the hash
// chain, heads where runs would grow too long. A rollback takes all of it back, since nothing of it is in memory.
import type { Tx } from '#main/kernel/database.ts'
import { withFormer } from '#main/replication/core/former-logs.ts'
import type { EnvelopeBody, SealedEnvelope } from '#main/replication/core/types.ts'
import { chainStart, headDueBefore, nextHash, signHead } from '#main/replication/wire/chain.ts'
import type { Signer } from '#main/replication/wire/device-key.ts'
import { encodeBody, envelopeSize } from '#main/replication/wire/envelope-codec.ts'
import type { LogState } from '../engine/log-state.ts'
import { insertEnvelope, insertHead, putIncarnation, readIncarnation, readIncarnations } from '../store/log-store.ts'
import type { IncarnationRow } from '../store/log-store.ts'

/** Who writes, into which workspace. */
export interface OwnLogParts {
  readonly workspace: Uint8Array
  readonly epoch: number
  readonly device: string
  readonly inc: number
  readonly signer: Signer
  readonly state: LogState
}

/** A body before it has its place in the log. */
export type DraftBody = Omit<EnvelopeBody, 'group'>

/**
 * Appends the envelopes of one job.
 * @param isGroup receivers apply them as one; default true
 * @throws WireError for a body that is too large
 */
export type AppendOwn = (tx: Tx, drafts: readonly DraftBody[], isGroup?: boolean) => void

/**
 * Stores signed ends of the logs of this device: whoever opens a copy of the database under another key can pass them on,
 * which nobody could sign there.
 */
export function signOwnEnds(tx: Tx, { workspace, device, signer }: Omit<OwnLogParts, 'epoch' | 'inc' | 'state'>): void {
  for (const row of readIncarnations(tx)) {
    if (row.device !== device || row.headSeq >= row.storedSeq) continue
    insertHead(tx, signHead(signer, workspace, row.inc, { seq: row.storedSeq, hash: row.chain }))
    putIncarnation(tx, { ...row, headSeq: row.storedSeq, headBytes: 0 })
  }
}

/** Makes the appender of this machine's log. */
export function createOwnLog(parts: OwnLogParts): AppendOwn {
  const { workspace, epoch, device, inc, signer, state } = parts
  return (tx, drafts, isGroup = true) => {
    if (drafts.length === 0) return
    const row = readIncarnation(tx, inc)
    let { storedSeq, chain, headSeq, headBytes } = row ?? {
      storedSeq: 0,
      chain: chainStart().hash,
      headSeq: 0,
      headBytes: 0,
    }
    const former = storedSeq > 0 ? [] : readIncarnations(tx).filter((one) => one.device === device && one.inc !== inc)
    const whole = { first: storedSeq + 1, count: drafts.length }
    for (const draft of drafts) {
      const group = isGroup ? whole : { first: storedSeq + 1, count: 1 }
      const envelope: SealedEnvelope = {
        inc,
        seq: storedSeq + 1,
        epoch,
        seal: 0,
        body: encodeBody(storedSeq > 0 ? { ...draft, group } : begun(draft, group, former)),
      }
      const size = envelopeSize(envelope)
      if (headDueBefore({ count: storedSeq - headSeq, bytes: headBytes }, size)) {
        insertHead(tx, signHead(signer, workspace, inc, { seq: storedSeq, hash: chain }))
        headSeq = storedSeq
        headBytes = 0
      }
      insertEnvelope(tx, envelope)
      chain = nextHash(chain, workspace, envelope)
      storedSeq += 1
      headBytes += size
    }
    // What came back from others and is not applied yet still has to be; what was written here behind it is no news then.
    const appliedSeq = row !== undefined && row.appliedSeq < row.storedSeq ? row.appliedSeq : storedSeq
    putIncarnation(tx, { inc, device, storedSeq, appliedSeq, chain, headSeq, headBytes })
    tx.afterCommit(() => state.committed(inc, storedSeq, appliedSeq))
    tx.whenOnDisk(() => state.onDisk(inc, storedSeq))
  }
}

/** The first envelope of a log says which others its machine wrote before. */
function begun(draft: DraftBody, group: EnvelopeBody['group'], former: readonly IncarnationRow[]): EnvelopeBody {
  const facts = withFormer(
    draft.facts,
    former.map(({ inc }) => inc),
  )
  return { ...draft, group, facts }
}
