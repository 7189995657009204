// Logs that nobody goes on with: what is there of their last call is all of it there will be.
import type { Tx } from '#main/kernel/database.ts'
import type { Hlc } from '#main/replication/core/types.ts'
import type { Devices } from '../engine/replica.ts'
import { readEnvelope, readIncarnations } from '../store/log-store.ts'
import type { IncarnationRow } from '../store/log-store.ts'
import type { Read } from './calls.ts'
import { readBody } from './calls.ts'

/**
 * Whether the rest of a call is not waited for: its machine is unpaired and what counts of its log is here, or it writes
 * under another number by now, whose log is later than the call. Should the rest come all the same, it is applied then.
 */
export function isEnded(
  tx: Pick<Tx, 'all' | 'get'>,
  devices: Pick<Devices, 'find'>,
  row: Pick<IncarnationRow, 'inc' | 'device' | 'storedSeq'>,
  next: Read,
): boolean {
  const writer = devices.find(row.device)
  if (writer?.isRevoked === true && row.storedSeq >= (writer.seen?.[row.inc] ?? 0)) return true
  const begun = next.body?.hlc
  if (begun === undefined) return false
  return readIncarnations(tx).some(({ inc, device, storedSeq }) => {
    if (inc === row.inc || device !== row.device) return false
    const last = readEnvelope(tx, inc, storedSeq)
    const stamp = last === undefined ? undefined : readBody(last).body?.hlc
    return stamp !== undefined && isLater(stamp, begun)
  })
}

function isLater(one: Hlc, other: Hlc): boolean {
  return one.ms === other.ms ? one.ctr > other.ctr : one.ms > other.ms
}
