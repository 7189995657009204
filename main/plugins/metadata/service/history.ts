// The history of items as hash chains: every event's hash covers the one before it (D-108).
import type { RequestContext } from '#main/kernel/context.ts'
import type { Tx } from '#main/kernel/database.ts'
import { canonicalHash } from '#main/kernel/canonical-json.ts'
import type { MetadataItem } from '../api.ts'
import type { HistoryEntry, HistoryOp } from '../store.ts'
import { appendHistory, lastHistoryHash } from '../store.ts'

/** Appends what happened to an item; a deletion keeps no body. */
export function recordHistory(
  tx: Tx,
  ctx: RequestContext,
  op: HistoryOp,
  item: MetadataItem,
  ts: string,
  message?: string,
): void {
  const { type, name, uid, version } = item
  const entry = {
    op,
    type,
    name,
    uid,
    version,
    parentHash: lastHistoryHash(tx, item),
    actor: ctx.actor,
    message: message ?? null,
    ts,
    source: ctx.source,
    item: op === 'delete' ? null : (item.item as Record<string, unknown>),
  }
  appendHistory(tx, { ...entry, hash: historyHash(entry) })
}

/** The hash of an event: SHA-256 over the canonical form of all it says, the hash before it included. */
export function historyHash(entry: Omit<HistoryEntry, 'seq' | 'hash'>): string {
  const { op, type, name, uid, version, parentHash, actor, message, ts, source, item } = entry
  return canonicalHash({ op, type, name, uid, version, parentHash, actor, message, ts, source, item })
}
