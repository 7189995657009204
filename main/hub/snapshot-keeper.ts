// When copies of the whole file are made, and when rows go that they stand for. A node that follows does it: its file is
// closed, and nobody waits for it.
import { rmSync } from 'node:fs'
import type { Logger } from '#main/kernel/logger.ts'
import type { HubTime } from './hub-time.ts'
import { createNodeFile } from './node-file.ts'
import type { NodeFile } from './node-file.ts'
import type { Position } from './store/position.ts'
import { copySnapshot, storeSnapshot } from './snapshots.ts'
import type { HubStore, Snapshot } from './store/hub-store.ts'

/** What it works with. */
export interface SnapshotKeeperOptions {
  readonly store: HubStore
  readonly file: NodeFile
  /** Path of the database; copies are made beside it. */
  readonly path: string
  readonly node: string
  readonly time: HubTime
  readonly log: Logger
  /** How many rows after the last snapshot a new one is made, and how old it may be. */
  readonly everyRows?: number
  readonly everyMs?: number
  /** How long rows are kept for going back in time. */
  readonly keepMs?: number
  /** How often it looks. */
  readonly lookMs?: number
}

const day = 24 * 60 * 60 * 1000

/** Makes the keeper; called by a follower whose file equals the log. */
export function createSnapshotKeeper(
  options: SnapshotKeeperOptions,
): (at: Position & { readonly hash: Buffer }) => void {
  const { store, file, path, node, time, log } = options
  const { everyRows = 50_000, everyMs = day, keepMs = 7 * day, lookMs = 60_000 } = options
  let lookedAt: number | undefined
  let isBusy = false
  let isDue = false

  /** Makes the file of a snapshot once more, beside the own one; it counts for others once its bytes are what they were. */
  const verify = async (snapshot: Snapshot): Promise<void> => {
    const copy = `${path}-verify`
    const scratch = createNodeFile(copy)
    try {
      await copySnapshot(store, snapshot, scratch)
      await store.verifySnapshot(snapshot.seq, node)
    } finally {
      scratch.close()
      for (const name of [copy, `${copy}-hub`]) rmSync(name, { force: true })
    }
  }

  /** @returns whether the file is to be copied at the next occasion */
  const look = async (at: Position): Promise<boolean> => {
    const [newest] = await store.snapshots()
    if (newest !== undefined && newest.verifiedBy === null && newest.madeBy !== node) await verify(newest)
    await store.trim(keepMs)
    if (newest === undefined) return true
    return at.seq !== newest.seq && (at.seq - newest.seq >= everyRows || newest.ageMs >= everyMs)
  }

  const keep = async (at: Position & { readonly hash: Buffer }): Promise<void> => {
    try {
      await storeSnapshot(store, `${path}-snapshot`, at, node)
    } finally {
      rmSync(`${path}-snapshot`, { force: true })
    }
  }

  const aside = (work: () => Promise<void>): void => {
    isBusy = true
    void work()
      .catch((error: unknown) => log.warn({ err: error }, 'A snapshot of the hub was not made; it is tried again.'))
      .finally(() => (isBusy = false))
  }

  return (at) => {
    if (isBusy) return
    if (isDue) {
      isDue = false
      // In one turn: the file goes on with the next row.
      file.copyTo(`${path}-snapshot`)
      aside(() => keep(at))
    } else if (lookedAt === undefined || time.monotonic() - lookedAt >= lookMs) {
      lookedAt = time.monotonic()
      aside(async () => void (isDue = await look(at)))
    }
  }
}
