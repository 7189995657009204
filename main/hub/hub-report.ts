// What a leader tells of its hub: its own counters, and what the store knows of the other nodes and of copies.
import type { HubNodeFacts, HubReport } from '#main/kernel/hub-facts.ts'
import { isPresent } from './follow-rules.ts'
import type { HubTime } from './hub-time.ts'
import type { Leadership } from './leadership.ts'
import type { SeenNode } from './store/hub-store.ts'
import { askDoubts } from './store/postgres-checks.ts'
import type { LogSize, PostgresStore } from './store/postgres-store.ts'

/** Measuring the log goes through its rows. */
const logSizeMs = 60_000

/** The nodes of a hub, without processes that were started again since. @param leader name of the one that leads */
export function nodesOf(nodes: readonly SeenNode[], leader: string | null, seq: number): readonly HubNodeFacts[] {
  return nodes
    .filter(
      (one) =>
        isPresent(one) ||
        one.node === leader ||
        !nodes.some(({ address, agoMs }) => address === one.address && agoMs < one.agoMs),
    )
    .map((one) => ({
      node: one.node,
      address: one.address,
      leads: one.node === leader,
      isHere: isPresent(one),
      // A leader says each second where it is, and is at the end.
      rowsBehind: one.node === leader ? 0 : Math.max(0, seq - one.seq),
      seenAgoMs: one.agoMs,
    }))
}

/** Makes the report of a leader. */
export function createHubReport(parts: {
  readonly store: Pick<PostgresStore, 'nodes' | 'snapshots' | 'logSize' | 'ask'>
  readonly node: string
  readonly leaseMs: number
  readonly leadership: Pick<Leadership, 'chain' | 'appends' | 'lease'>
  readonly time: HubTime
}): () => Promise<HubReport> {
  const { store, node, time } = parts
  const { chain, appends, lease } = parts.leadership
  let size: { readonly at: number; readonly log: Promise<LogSize> } | undefined
  const measured = (): Promise<LogSize> => {
    if (size === undefined || time.monotonic() - size.at > logSizeMs) {
      const log = store.logSize()
      size = { at: time.monotonic(), log }
      log.catch(() => (size = undefined))
    }
    return size.log
  }
  return async () => {
    const [nodes, snapshots, { bytes }] = await Promise.all([store.nodes(), store.snapshots(), measured()])
    // Not with the others: rows wait for a connection too.
    const doubts = await askDoubts(store)
    const { epoch, seq } = chain.stored()
    return {
      ...{ node, epoch, seq },
      isBehind: chain.isBehind(),
      leaseLeftMs: Math.max(0, parts.leaseMs - lease.ageMs()),
      appends: appends.figures(),
      nodes: nodesOf(nodes, node, seq),
      snapshots: snapshots.map((one) => ({ seq: one.seq, at: one.at, isVerified: one.verifiedBy !== null })),
      logBytes: bytes,
      unsafeSettings: doubts.map(({ setting }) => setting),
    }
  }
}
