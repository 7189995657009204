// Copies of the whole file in the store: what a new node begins with, and what lets older rows go.
import { closeSync, openSync, readSync } from 'node:fs'
import { hashFile } from '#main/database/file-check.ts'
import type { NodeFile } from './node-file.ts'
import type { Position } from './store/position.ts'
import type { HubStore, Snapshot } from './store/hub-store.ts'

/** Bytes of a part before it is compressed. */
export const snapshotPartBytes = 1024 * 1024

/** Makes a node's file the snapshot. @throws Error when it is not whole; the file then counts as none */
export async function copySnapshot(store: HubStore, snapshot: Snapshot, file: NodeFile): Promise<void> {
  file.beginCopy()
  for (let part = 0; part < snapshot.parts; part += 1)
    file.writeCopy(await store.snapshotPart(snapshot.seq, part), part * snapshotPartBytes)
  if (file.digest() !== snapshot.digest)
    throw new Error(`The snapshot at row ${snapshot.seq} is not what was stored; it is not used.`)
}

/** Keeps a closed file that nobody changes meanwhile as the snapshot of a row. */
export async function storeSnapshot(
  store: HubStore,
  path: string,
  at: Position & { readonly hash: Buffer },
  madeBy: string,
): Promise<void> {
  const { sha256: digest } = hashFile(path)
  const descriptor = openSync(path, 'r')
  try {
    let parts = 0
    for (;;) {
      const bytes = Buffer.allocUnsafe(snapshotPartBytes)
      const length = readSync(descriptor, bytes, 0, snapshotPartBytes, parts * snapshotPartBytes)
      if (length === 0) break
      await store.addSnapshotPart(at.seq, parts, bytes.subarray(0, length))
      parts += 1
    }
    await store.addSnapshot({ epoch: at.epoch, seq: at.seq, hash: at.hash, digest, parts, madeBy })
  } finally {
    closeSync(descriptor)
  }
}
