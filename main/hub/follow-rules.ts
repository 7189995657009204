// The decisions of a follower, without any of its work.
import type { Head, SeenNode, StoredRow } from './store/hub-store.ts'
import type { Place } from './node-file.ts'
import type { Position } from './store/position.ts'

/** Whether a row is the one after the last that was applied. @param before the hash the row names */
export function followsOn(at: Position & { readonly hash: Buffer }, row: Position, before: Buffer): boolean {
  return row.seq === at.seq + 1 && row.epoch >= at.epoch && before.equals(at.hash)
}

/**
 * Whether a file that speaks for itself is the leader's as the log has it. A leader that ended may have committed what the
 * log never got; another epoch has its own row there then, or none.
 */
export function isOfTheLog(place: Place, row: StoredRow | null): boolean {
  return row !== null && row.epoch === place.epoch && row.seq === place.seq
}

/** Whether a file has all rows up to the end of the log. */
export function isAtEnd(at: Position, end: number): boolean {
  return at.seq >= end
}

/** Whether a follower that has applied this much may try to lead. */
export function mayTake(head: Head, at: Position, node: string): boolean {
  return head.leaseLeftMs < 0 && isAtEnd(at, head.seq) && (head.heir === null || head.heir === node || isLate(head))
}

/** How long whoever comes first is waited for. Of an heir the store itself waits for a lease. */
const heirPatienceMs = 500

/** Whether whoever comes first has not come. */
export function isLate(head: Head): boolean {
  return head.leaseLeftMs < -heirPatienceMs
}

/** A node that follows says so each second. */
const presentMs = 5_000

/** Whether a node was seen lately. */
export function isPresent({ agoMs }: SeenNode): boolean {
  return agoMs < presentMs
}
