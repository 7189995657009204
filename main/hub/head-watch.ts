// What a leader looks at again and again: whether the store still has what it acknowledged, and whether somebody asked for
// another node to lead.
import type { Logger } from '#main/kernel/logger.ts'
import { machineTime, pauseFor } from './hub-time.ts'
import { isPresent } from './follow-rules.ts'
import { Forgotten, hasForgotten } from './leadership.ts'
import type { Leadership } from './leadership.ts'
import type { SeenNode } from './store/hub-store.ts'
import type { PostgresStore } from './store/postgres-store.ts'

/** Whoever asks for a handover waits for it. */
const lookMs = 250
/** How often a node that leads says so, and stores the anchor. */
const sayMs = 1_000
/** How often a node that hands over looks who leads. */
const nextLookMs = 50
/** The node other than this one that has most of the log and was seen lately; null when there is none. */
export function heirOf(nodes: readonly SeenNode[], node: string | null): string | null {
  const present = nodes.filter((one) => one.node !== node && isPresent(one))
  return present.toSorted((a, b) => b.seq - a.seq || a.agoMs - b.agoMs)[0]?.node ?? null
}

/** Who leads after a node. */
export interface NextLeader {
  /** Where it answers; null until it leads. */
  address(): string | null
  /** Nobody leads after this node after all. */
  end(): void
}

/**
 * Asks who leads after a node that hands over, until somebody does or it is ended.
 * @param own address of the node that hands over
 */
export function watchNext(
  { store, node }: { store: Pick<PostgresStore, 'head'>; node: string },
  own: string,
): NextLeader {
  let next: string | null = null
  let isOver = false
  void (async () => {
    while (!isOver && next === null) {
      // A store that does not answer now does so later: whoever waits in the door is to be led there.
      const head = await store.head().catch(() => null)
      if (head !== null && head.node !== node && head.address !== own) next = head.address
      else await pauseFor(machineTime, nextLookMs)
    }
  })()
  return { address: () => next, end: () => void (isOver = true) }
}

/** Begins to look; it ends with the time of the leader. */
export function watchHead(parts: {
  readonly store: Pick<PostgresStore, 'head' | 'seen'>
  readonly node: string
  readonly address: string
  readonly leadership: Leadership
  readonly storeAnchor: () => Promise<void>
  /** Called before a handover; what it answers is called when there was none after all. */
  readonly drain: () => Promise<() => void>
  readonly log: Logger
}): void {
  const { store, node, address, leadership, log } = parts
  const { chain } = leadership
  let saidAt = -Infinity

  const look = async (): Promise<void> => {
    const stored = chain.stored()
    const head = await store.head()
    if (hasForgotten(head, stored)) chain.end(new Forgotten(head, stored))
    else if (head!.epoch === stored.epoch && head!.heir !== null && head!.heir !== node) {
      log.info({ heir: head!.heir }, 'Another node is to lead; the workspace is handed over.')
      const resume = await parts.drain()
      if (!(await leadership.handOver(head!.heir))) resume()
    }
    if (chain.ended() !== undefined || machineTime.monotonic() - saidAt < sayMs) return
    saidAt = machineTime.monotonic()
    await store.seen(node, address, chain.stored().seq)
    if (!chain.isBehind()) await parts.storeAnchor()
  }

  void (async () => {
    while (chain.ended() === undefined) {
      // Those who wait for rows notice a store that does not answer.
      await look().catch(() => undefined)
      await pauseFor(machineTime, lookMs)
    }
  })()
}
