// Logs that nobody goes on with: what is there of their last call is all of it there will be.
import type { Tx } from '#main/kernel/database.ts'
import { readFormer } from '#main/replication/core/former-logs.ts'
import type { EnvelopeBody, Hlc } from '#main/replication/core/types.ts'
import type { Devices } from '../engine/replica.ts'
import { readEnvelope, readIncarnations } from '../store/log-store.ts'
import type { IncarnationRow } from '../store/log-store.ts'
import type { Read } from './calls.ts'
import { readBody } from './calls.ts'

/**
 * Whether the rest of a call is not waited for: its machine is unpaired and what counts of its log is here, or it writes
 * under another number by now. Of two logs the later one began by naming the other; where neither does, because the machine
 * had lost the other one, the stamps tell. Should the rest come all the same, it is applied then.
 */
export function isEnded(
  tx: Pick<Tx, 'all' | 'get'>,
  devices: Pick<Devices, 'find'>,
  row: Pick<IncarnationRow, 'inc' | 'device' | 'storedSeq'>,
  next: Read,
): boolean {
  const writer = devices.find(row.device)
  if (writer?.isRevoked === true && row.storedSeq >= (writer.seen?.[row.inc] ?? 0)) return true
  const bodyAt = (inc: number, seq: number): EnvelopeBody | undefined => {
    const found = readEnvelope(tx, inc, seq)
    return found === undefined ? undefined : (readBody(found).body ?? undefined)
  }
  const formerOf = (inc: number): readonly unknown[] => readFormer(bodyAt(inc, 1)?.facts ?? [])
  const begun = next.body?.hlc
  return readIncarnations(tx).some(({ inc, device, storedSeq }) => {
    if (inc === row.inc || device !== row.device) return false
    if (formerOf(inc).includes(row.inc)) return true
    const stamp = formerOf(row.inc).includes(inc) ? undefined : bodyAt(inc, storedSeq)?.hlc
    return stamp !== undefined && begun !== undefined && isLater(stamp, begun)
  })
}

function isLater(one: Hlc, other: Hlc): boolean {
  return one.ms === other.ms ? one.ctr > other.ctr : one.ms > other.ms
}
