// A report of the hub as the contract has it.
import type { HubStatus } from '#shared/contracts/hub.ts'
import type { HubReport } from '#main/kernel/hub-facts.ts'

const isoOf = (at: number): string => new Date(at).toISOString()

/** @param now milliseconds since 1970 */
export function statusOf(report: HubReport, now: number): HubStatus {
  const newest = report.snapshots[0]
  const oldest = report.snapshots.at(-1)
  return {
    node: report.node,
    epoch: report.epoch,
    row: report.seq,
    nodes: report.nodes.map(({ node, address, leads, isHere, rowsBehind, seenAgoMs }) => ({
      node,
      address,
      state: leads ? 'leads' : isHere ? 'follows' : 'gone',
      rowsBehind,
      seenAt: isoOf(now - seenAgoMs),
    })),
    snapshot:
      newest === undefined ? null : { row: newest.seq, madeAt: isoOf(newest.at), isVerified: newest.isVerified },
    restorableFrom: oldest === undefined ? null : isoOf(oldest.at),
    logBytes: report.logBytes,
    unsafeSettings: [...report.unsafeSettings],
  }
}
