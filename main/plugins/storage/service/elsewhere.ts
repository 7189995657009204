// Files whose bytes are on other machines: who is asked for them, and what is said while nobody can be.
import type { FilePlace } from '#shared/contracts/storage.ts'
import { PlatformError, baseErrors } from '#shared/errors.ts'
import type { FilePeers } from '../api.ts'
import { storageError } from '../errors.ts'
import type { FileRow } from '../store.ts'

/** The way to bytes that are not here. */
export interface Elsewhere {
  setPeers(peers: FilePeers | null): void
  /** Whether there are other machines that may know files of this one. */
  hasPeers(): boolean
  /** Where the bytes of a file are, as it is shown. */
  placeOf(file: FileRow): FilePlace
  /**
   * Brings the bytes of a file, however long it takes.
   * @param local nobody is asked, so none come
   * @throws service_unavailable while nobody who has them is connected; file_not_found for those nobody else may have;
   *   storage_quota_exceeded
   */
  bring(file: FileRow, local: boolean): Promise<void>
}

/** Makes the way; nobody is asked before machines are set. */
export function createElsewhere(): Elsewhere {
  let peers: FilePeers | null = null
  return {
    setPeers: (next) => void (peers = next),
    hasPeers: () => peers !== null,
    placeOf({ id, status, home }) {
      const isHere = status !== 'away'
      return {
        here: isHere,
        receivedBytes: isHere ? null : (peers?.progress(id) ?? null),
        machine: isHere || home === null ? null : (peers?.nameOf(home) ?? null),
      }
    },
    async bring({ id, status, home }, local) {
      const brought = local ? 'nobody' : ((await peers?.bring(id)) ?? 'nobody')
      if (brought === 'here') return
      if (status === 'lost' || brought === 'missing')
        throw storageError('file_not_found', { fileId: id, reason: 'bytes_missing' })
      const machine = home === null || brought === 'lacking' ? null : (peers?.nameOf(home) ?? null)
      const what = machine === null ? 'another machine' : `"${machine}"`
      const message =
        brought === 'refused'
          ? `The bytes of this file are on ${what}; no connected machine gave them. What is known of the file stays here. Open it again later.`
          : `The bytes of this file are on ${what}, which is not connected. What is known of the file stays here. Start that machine, then open the file again.`
      const reason = brought === 'refused' ? 'file_refused' : 'file_elsewhere'
      // Trying again helps once somebody has started the machine.
      const definition = { ...baseErrors.service_unavailable, message, retryable: false }
      throw new PlatformError('service_unavailable', definition, { reason, fileId: id, machine })
    },
  }
}
