// A node that does not lead: keeps its file in step with the log, and takes over once the lease of the leader is over.
import type { Logger } from '#main/kernel/logger.ts'
import { followsOn, isAtEnd, isLate, isOfTheLog, isPresent, mayTake } from './follow-rules.ts'
import { pauseFor } from './hub-time.ts'
import type { HubTime } from './hub-time.ts'
import { hasForgotten } from './leadership.ts'
import { momentOf } from './lease.ts'
import type { Moment } from './lease.ts'
import type { NodeFile } from './node-file.ts'
import { decodePageRow, hashOfRow, noRow } from './page-row.ts'
import type { Position } from './store/position.ts'
import { SealBroken } from './seal.ts'
import { copySnapshot } from './snapshots.ts'
import type { Head, HubStore, StoredRow } from './store/hub-store.ts'

/** What a follower works with. */
export interface FollowerOptions {
  readonly store: HubStore
  readonly file: NodeFile
  /** Name of this process, and where it answers. */
  readonly node: string
  readonly address: string
  readonly leaseMs: number
  readonly time: HubTime
  readonly log: Logger
  /** Called when the file equals the log as far as it was seen. */
  readonly onStep?: (at: Position & { readonly hash: Buffer }, head: Head) => void
}

/** An epoch that was taken, with the file at the end of the log. */
export interface Taken extends Position {
  /** SHA-256 of the last row. */
  readonly hash: Buffer
  /** Before the call that took it. */
  readonly begun: Moment
}

/** A node that follows. */
export interface Follower {
  /** Follows until this node leads, or `stop` was called. @throws HubStopped when a person has to look */
  follow(): Promise<Taken | null>
  /** How far its file is; null before it is anywhere. */
  at(): Position | null
  stop(): void
}

/** The hub cannot go on by itself without losing something; the message says what a person can do. */
export class HubStopped extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'HubStopped'
  }
}

type At = Position & { readonly hash: Buffer }

/** Rows come soon after each other while somebody writes. */
const busyPauseMs = 100
const retryPauseMs = 100
const seenEveryMs = 1_000
const settleEveryMs = 1_000

/** Makes a follower. */
export function createFollower(options: FollowerOptions): Follower {
  const { store, file, node, address, leaseMs, time, log } = options
  let at: At | null = null
  let isStopped = false
  let isSettled = true
  let settledAt = 0
  let seenAt: number | undefined

  const settle = (): void => {
    if (at === null || isSettled) return
    file.settle(at)
    isSettled = true
    settledAt = time.monotonic()
  }

  const apply = (row: StoredRow): boolean => {
    const changes = decodePageRow(row.body)
    if (at === null || !followsOn(at, row, changes.before)) return false
    file.apply(changes)
    at = { epoch: row.epoch, seq: row.seq, hash: hashOfRow(row.body) }
    isSettled = false
    if (time.monotonic() - settledAt > settleEveryMs) settle()
    return true
  }

  const copy = async (): Promise<At> => {
    at = null
    const [newest] = await store.snapshots()
    if (newest === undefined)
      throw new HubStopped(
        'The hub has no snapshot of this workspace. Run `hub init` with the folder of the workspace.',
      )
    log.info({ seq: newest.seq }, 'The file of the workspace is copied from the hub.')
    await copySnapshot(store, newest, file)
    if (newest.madeBy !== node) await store.verifySnapshot(newest.seq, node)
    const copied = { epoch: newest.epoch, seq: newest.seq, hash: newest.hash }
    file.settle(copied)
    isSettled = true
    return copied
  }

  /** Where to go on from: the file as it is, if the log knows it. */
  const find = async (head: Head): Promise<At> => {
    if (file.isKept()) throw kept()
    const place = file.place()
    if (place === null) return copy()
    if (place.hash !== null) {
      // It has rows of the log alone, and the head was asked since.
      if (place.seq > head.seq || hasForgotten(head, place)) throw forgotten(place, head)
      return { ...place, hash: place.hash }
    }
    if (place.seq === 0 && place.epoch === 0) return { ...place, hash: noRow }
    // A leader has at most one row on its way and one in making that the store does not know.
    const latest = { epoch: place.epoch, seq: Math.abs(place.seq) }
    if (hasForgotten(head, { ...latest, seq: latest.seq - 2 })) {
      file.keep()
      throw forgotten(latest, head)
    }
    const row = await store.rowAt(place.seq)
    if (!isOfTheLog(place, row)) {
      log.warn({ ...place }, 'This file has writes that were never acknowledged; it is copied anew.')
      return copy()
    }
    // After a loss of power the file may lack a part of its last row.
    file.apply(decodePageRow(row!.body))
    isSettled = false
    return { epoch: place.epoch, seq: place.seq, hash: hashOfRow(row!.body) }
  }

  /** Applies all rows up to the end of the log. */
  const catchUp = async (end: Position): Promise<boolean> => {
    let hasApplied = false
    while (at !== null && !isAtEnd(at, end.seq) && !isStopped) {
      const rows = await store.rows(at.seq)
      for (const row of rows) {
        if (apply(row)) continue
        // The row of this file was in the log once: another one is in its place.
        if (row.seq === at.seq + 1) throw forgotten(at, end)
        log.warn({ at: at?.seq, row: row.seq }, 'The log does not go on where this file is; it is copied anew.')
        at = await copy()
        break
      }
      if (rows.length === 0) at = await copy()
      hasApplied = true
    }
    return hasApplied
  }

  /** Reads to the end of the log of which it is the leader now; goes on for as long as nobody else has taken it. */
  const finish = async (taken: Position, begun: Moment): Promise<Taken | null> => {
    for (;;) {
      try {
        await catchUp(taken)
        if (at === null || !isAtEnd(at, taken.seq) || !(await store.renew(taken.epoch))) return null
        settle()
        return { ...taken, hash: at.hash, begun }
      } catch (error) {
        if (error instanceof HubStopped || isStopped) throw error
        await pauseFor(time, retryPauseMs)
      }
    }
  }

  /** A node that led and has just been started again is not as fast as one that has followed meanwhile: that one comes first. */
  const isForOthers = async (head: Head): Promise<boolean> =>
    head.address === address &&
    !isLate(head) &&
    (await store.nodes()).some((one) => one.address !== address && isPresent(one))

  const step = async (): Promise<{ taken: Taken | null; waitMs: number }> => {
    const before = at
    const head = await store.head()
    if (head === null)
      throw new HubStopped('PostgreSQL knows no such workspace. Run `hub init` with the folder of the workspace first.')
    // A copy made since may be ahead of an answer that was long on its way.
    if (before !== null && before.seq > head.seq) throw forgotten(before, head)
    at ??= await find(head)
    const isBusy = await catchUp(head)
    if (seenAt === undefined || time.monotonic() - seenAt > seenEveryMs) {
      seenAt = time.monotonic()
      settle()
      await store.seen(node, address, at.seq)
    }
    options.onStep?.(at, head)
    if (mayTake(head, at, node) && !(await isForOthers(head))) {
      const begun = momentOf(time)
      const epoch = await store.take(head.epoch, node, address)
      if (epoch !== null) return { taken: await finish(epoch, begun), waitMs: 0 }
    }
    const waitMs = isBusy ? busyPauseMs : Math.max(busyPauseMs, leaseMs / 10)
    // The end of the lease is not slept through.
    return { taken: null, waitMs: head.leaseLeftMs < 0 ? busyPauseMs : Math.min(waitMs, head.leaseLeftMs + 1) }
  }

  return {
    async follow() {
      let isSilent = false
      while (!isStopped) {
        try {
          const { taken, waitMs } = await step()
          if (isSilent) log.info({}, 'The hub answers again.')
          isSilent = false
          if (taken !== null) {
            file.lead()
            return taken
          }
          await pauseFor(time, waitMs)
        } catch (error) {
          if (error instanceof HubStopped || error instanceof SealBroken) throw error
          // It is asked ten times a second: said each time, it would push everything else out of the log.
          if (!isSilent) log.warn({ err: error }, 'The hub could not be asked; it is asked again until it answers.')
          isSilent = true
          await pauseFor(time, retryPauseMs)
        }
      }
      settle()
      file.close()
      return null
    },
    at: () => at,
    stop: () => void (isStopped = true),
  }
}

/** Whatever was stored once stays: a log that ends earlier has lost it. */
function forgotten(at: Position, head: Position): HubStopped {
  return new HubStopped(
    `The log of the hub ends at row ${head.seq} of epoch ${head.epoch}, this node has row ${at.seq} of epoch ${at.epoch}: PostgreSQL has forgotten rows it had acknowledged. Nothing was changed here. Bring PostgreSQL back to its latest state and start the nodes again; where that cannot be done, begin the hub anew with the folder of the node that has most: cairn hub init ... --anew.`,
  )
}

function kept(): HubStopped {
  return new HubStopped(
    'PostgreSQL had forgotten rows that this node has, so its file is left as it is and not replaced by what the hub has. To go on with this file, begin the hub anew: cairn hub init ... --anew. To give it up for what the hub has, move cairn.db and cairn.db-hub out of this folder.',
  )
}
