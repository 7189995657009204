// One epoch of one leader: its rows, its lease, and its end.
import type { Logger } from '#main/kernel/logger.ts'
import { createAppendCounter } from './append-figures.ts'
import type { AppendCounter } from './append-figures.ts'
import type { Taken } from './follower.ts'
import { pauseFor } from './hub-time.ts'
import type { HubTime } from './hub-time.ts'
import { createLease } from './lease.ts'
import type { Lease } from './lease.ts'
import { createRowChain, Fenced } from './row-chain.ts'
import type { NewRow, RowChain } from './row-chain.ts'
import type { HubStore } from './store/hub-store.ts'
import type { Position } from './store/position.ts'

/** What a leader works with. */
export interface LeadershipOptions {
  readonly store: HubStore
  readonly taken: Taken
  readonly leaseMs: number
  readonly time: HubTime
  readonly log: Logger
  /** Called once, when nothing may be answered any more. */
  readonly onEnd: (reason: Error) => void
  readonly patienceMs?: number
  readonly idleMs?: number
  /** Called before each row, which waits for it: what the row may depend on is stored first. */
  readonly beforeRow?: () => Promise<void>
}

/** The time of one leader. */
export interface Leadership {
  readonly chain: RowChain
  readonly appends: AppendCounter
  /** Whether reads may be answered: no other node can lead yet. */
  readonly lease: Pick<Lease, 'holds' | 'ageMs'>
  /**
   * Gives the workspace to another node. What is written from now on is not kept, and its writers hear so.
   * @returns false when the epoch is over already
   * @throws the store's error; the time of this leader is over then too
   */
  handOver(heir: string): Promise<boolean>
  /** Ends it; the lease runs out by itself. */
  end(): void
}

/** The workspace was given to another node on purpose. */
export class HandedOver extends Error {
  constructor() {
    super('This node has handed the workspace over.')
    this.name = 'HandedOver'
  }
}

/** The log of the store ends before a row that it had acknowledged. */
export class Forgotten extends Error {
  /** @param head what the store says now; null when it does not know the workspace any more */
  constructor(head: Position | null, stored: Position) {
    const end =
      head === null ? 'it does not know the workspace' : `its log ends at row ${head.seq} of epoch ${head.epoch}`
    super(
      `PostgreSQL has forgotten what it had acknowledged: ${end}, and row ${stored.seq} of epoch ${stored.epoch} was stored in it. Nothing more is answered here, and the file of this node, which has everything, is left as it is. Bring PostgreSQL back to its latest state and start the nodes again; where that cannot be done, begin the hub anew with this node's folder: cairn hub init ... --anew.`,
    )
    this.name = 'Forgotten'
  }
}

/** Whether a head is one that cannot be: epochs and rows only rise. */
export function hasForgotten(head: Position | null, stored: Position): boolean {
  if (head === null) return true
  return head.epoch < stored.epoch || (head.epoch === stored.epoch && head.seq < stored.seq)
}

/** Begins to lead. */
export function createLeadership(options: LeadershipOptions): Leadership {
  const { store, taken, leaseMs, time, log } = options
  const lease = createLease(time, leaseMs, taken.begun)
  const appends = createAppendCounter()
  let isSilent = false
  const append = async (row: NewRow): Promise<boolean> => {
    try {
      await options.beforeRow?.()
      const asked = time.monotonic()
      const answer = await lease.during(
        () => store.append(row),
        (what) => what === 'stored',
      )
      if (answer === 'stored') appends.stored(time.monotonic() - asked, row.body.length)
      if (isSilent) log.info({}, 'PostgreSQL answers again; writes go on.')
      isSilent = false
      if (answer === 'over') {
        const head = await store.head()
        if (hasForgotten(head, chain.stored())) chain.end(new Forgotten(head, chain.stored()))
      }
      return answer !== 'over'
    } catch (error) {
      appends.failed()
      if (!isSilent) log.error({ err: error }, 'A write could not be stored in the hub; it is sent again until it is.')
      isSilent = true
      throw error
    }
  }
  const chain: RowChain = createRowChain({
    from: { epoch: taken.epoch, seq: taken.seq },
    before: taken.hash,
    append,
    onEnd: options.onEnd,
    time,
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
    ...(options.idleMs === undefined ? {} : { idleMs: options.idleMs }),
  })

  let isGiving = false

  /** Rows renew the lease; where nobody writes this does. */
  const keepLease = async (): Promise<void> => {
    while (chain.ended() === undefined) {
      await pauseFor(time, leaseMs / 10)
      if (chain.ended() !== undefined || isGiving || lease.ageMs() < leaseMs / 3) continue
      try {
        const isMine = await lease.during(() => store.renew(taken.epoch), Boolean)
        if (!isMine) chain.end(new Fenced())
      } catch {
        // Asked again; reads end with the lease meanwhile, writes wait for their rows.
      }
    }
  }
  void keepLease()

  return {
    chain,
    appends,
    lease,
    async handOver(heir) {
      await chain.hold()
      // The heir may lead before the answer is here; a renewal meanwhile would say otherwise.
      isGiving = true
      lease.drop()
      try {
        const isGiven = await store.handOver(chain.stored(), heir)
        if (isGiven) chain.end(new HandedOver())
        isGiving = false
        chain.release()
        return isGiven
      } catch (error) {
        // It may still be done, long after this.
        chain.end(new HandedOver())
        throw error
      }
    },
    end: () => chain.end(new HandedOver()),
  }
}
