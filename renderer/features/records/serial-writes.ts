// Owns writes that build on the value before them: one after the other, each on what the one before has left, however
// late the screen shows it. Knows no screen.
import type { GridRecord } from '../../components/grid/index.ts'
import type { RecordWrites } from './record-writes.ts'

/**
 * Writes `make(value of the field)` once all writes before have ended; rejects with what `read` or the host refused.
 * @param read the record as the screen has it by then
 */
export type SerialWrite = (read: () => GridRecord, field: string, make: (before: unknown) => unknown) => Promise<void>

/** Creates the writes of one mounted place. */
export function createSerialWrites(save: () => RecordWrites['save']): SerialWrite {
  let last: Promise<unknown> = Promise.resolve()
  /** The record of the last write, as the host answered it: a read that began before may still put an older one on screen. */
  let written: GridRecord | undefined

  return async (read, field, make) => {
    const turn = last.then(async () => {
      const shown = read()
      const record = written !== undefined && written.id === shown.id && isNewer(written, shown) ? written : shown
      written = await save()(field, make(record[field]), record)
    })
    last = turn.catch(() => undefined)
    return turn
  }
}

function isNewer(one: GridRecord, other: GridRecord): boolean {
  return String(one['updated_at']) > String(other['updated_at'])
}
