// A database whose log is followed page by page into a second, closed file, without PostgreSQL: rows are kept in memory
// and applied as a standby would.
import { copyFileSync } from 'node:fs'
import { createDatabase } from '#main/database/create-database.ts'
import type { HostDatabase } from '#main/database/create-database.ts'
import { hashFile } from '#main/database/file-check.ts'
import type { OpenLog } from '#main/database/log-sync.ts'
import { openWriter } from '#main/database/open.ts'
import { createManualClock } from '#main/kernel/clock.ts'
import { createEventBus } from '#main/kernel/events.ts'
import { createLogger } from '#main/kernel/logger.ts'
import type { ProcessSpawner } from '#main/kernel/ports.ts'
import { createLeaderLog } from '#main/hub/leader-log.ts'
import { machineTime } from '#main/hub/hub-time.ts'
import { openPageFile } from '#main/hub/page-file.ts'
import { decodePageRow, hashOfRow, noRow } from '#main/hub/page-row.ts'
import { makePosition } from '#main/hub/store/position.ts'
import type { Position } from '#main/hub/store/position.ts'
import { createRowChain } from '#main/hub/row-chain.ts'
import type { NewRow } from '#main/hub/row-chain.ts'
import { forkSpawner } from '#main/workers/fork-spawner.ts'

/** The leader, its rows, and the copy. */
export interface FollowedDatabase {
  readonly database: HostDatabase
  readonly rows: NewRow[]
  /** Why it stopped answering; undefined while it does. */
  ended(): Error | undefined
  stored(): Position
  /** Closes the database, folded, and answers the digests of its file and of the copy after all rows. */
  digests(): Promise<{ readonly leader: string; readonly copy: string }>
}

/** Makes the file both begin with. @param sql statements that make its tables */
export function makeFollowedFile(file: string, sql: string): void {
  const connection = openWriter(file)
  connection.exec(sql)
  makePosition(connection)
  connection.close()
  copyFileSync(file, `${file}.copy`)
}

/**
 * Opens a file of {@link makeFollowedFile}, from the beginning or where the last one that had it open stopped.
 * @param append keeps a row; by default it is kept at once
 * @param prepare what is done with the file before it is opened
 * @param spawn starts the processes that write beside it
 */
export async function openFollowed(
  file: string,
  from: { readonly position: Position; readonly before: Buffer } = { position: { epoch: 1, seq: 0 }, before: noRow },
  append: (row: NewRow) => Promise<boolean> = () => Promise.resolve(true),
  prepare: (openLog: OpenLog) => Promise<unknown> = () => Promise.resolve(),
  spawn: ProcessSpawner = forkSpawner,
): Promise<FollowedDatabase & { readonly before: () => Buffer }> {
  const rows: NewRow[] = []
  let reason: Error | undefined
  const chain = createRowChain({
    time: machineTime,
    from: from.position,
    before: from.before,
    append: async (row) => {
      const isStored = await append(row)
      if (isStored && row.seq > (rows.at(-1)?.seq ?? from.position.seq)) rows.push(row)
      return isStored
    },
    onEnd: (why) => (reason = why),
    patienceMs: 2_000,
    idleMs: 50,
    retryMs: 5,
  })
  const leader = createLeaderLog(file, chain)
  const log = createLogger({ destination: { write: () => undefined } })
  const clock = createManualClock(0)
  const bus = createEventBus({ clock, log })
  await prepare(leader.open)
  const database = await createDatabase({ file, bus, clock, log, ports: { spawn }, openLog: leader.open })
  return {
    database,
    rows,
    ended: () => reason,
    stored: () => ({ epoch: chain.stored().epoch, seq: chain.stored().seq }),
    before: () => chain.stored().hash,
    async digests() {
      await database.close()
      const copy = openPageFile(`${file}.copy`)
      let { before } = from
      for (const row of rows) {
        const changes = decodePageRow(row.body)
        if (!changes.before.equals(before)) throw new Error(`Row ${row.seq} does not follow the one before it.`)
        before = hashOfRow(row.body)
        copy.apply(changes)
      }
      copy.close()
      return { leader: hashFile(file).sha256, copy: hashFile(`${file}.copy`).sha256 }
    },
  }
}
