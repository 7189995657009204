// What deleting a file does to its row, to what names it and to its bytes.
import type { Clock } from '#main/kernel/clock.ts'
import type { Tx } from '#main/kernel/database.ts'
import type { FileRow } from '../store.ts'
import { deleteFile } from '../store.ts'
import type { ByteStore } from './byte-store.ts'
import type { Elsewhere } from './elsewhere.ts'
import { keepBytes } from './kept-bytes-store.ts'
import { dropFile } from './reference-store.ts'

/** Deletes a file. @param force its bytes go at once, whoever may name it meanwhile */
export type ForgetFile = (tx: Tx, file: FileRow, force: boolean) => void

/** Makes what deletes files. */
export function createForgetFile(parts: {
  readonly clock: Pick<Clock, 'now'>
  readonly bytes: Pick<ByteStore, 'free'>
  readonly elsewhere: Pick<Elsewhere, 'hasPeers'>
}): ForgetFile {
  const { clock, bytes, elsewhere } = parts
  return (tx, file, force) => {
    dropFile(tx, file.id)
    deleteFile(tx, file.id)
    const { sha256 } = file
    if (sha256 === null) return
    // Somebody who does not know of it may name the file meanwhile, on a machine that has not its bytes.
    if (!force && file.status === 'ready' && elsewhere.hasPeers()) keepBytes(tx, file, clock)
    else tx.whenOnDisk(() => bytes.free(sha256))
  }
}
