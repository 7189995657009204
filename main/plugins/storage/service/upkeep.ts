// What goes by itself: uploads nobody ended, bytes nobody names, temporary files; and what a start finds (D-186).
import type { Clock } from '#main/kernel/clock.ts'
import type { Reads, Write } from '#main/kernel/database.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { FileRow } from '../store.ts'
import { deleteFile, filesWithBytes, lapsedFiles, putStatus, readFile } from '../store.ts'
import type { ByteStore } from './byte-store.ts'
import type { PartialFiles } from './partial-files.ts'
import {
  deleteUpload,
  lapsedUploads,
  deleteChunks,
  openUploads,
  putUploadStatus,
  reopenUploads,
} from './chunk-store.ts'
import { forgetKept, isKeptOver } from './kept-bytes-store.ts'
import { dropFile } from './reference-store.ts'

/** The upkeep of files. */
export interface Upkeep {
  /** Takes up what the end of the process has left: resolves at once, and goes on beside the host's work. */
  start(): Promise<void>
  /** Lets lapsed uploads go, then bytes nobody names and temporary files older than a day. */
  sweep(signal: AbortSignal): Promise<void>
  /** Ends the work of the start. */
  stop(): Promise<void>
}

/** What upkeep works with. */
export interface UpkeepParts {
  readonly read: Reads
  readonly write: Write
  readonly clock: Clock
  readonly log: Logger
  readonly bytes: ByteStore
  readonly partials: PartialFiles
}

const dayMs = 86_400_000
/** Ended uploads tell of themselves for so long after their time. */
const toldMs = 7 * dayMs
const filesPerSlice = 200

/** Makes the upkeep. */
export function createUpkeep({ read, write, clock, log, bytes, partials }: UpkeepParts): Upkeep {
  let running: Promise<void> = Promise.resolve()
  let stopped = false

  const sweep = async (olderThan: number): Promise<void> => {
    await partials.sweep(() => new Set(openUploads(read).map(({ id }) => id)))
    await bytes.sweep(olderThan)
  }

  const lapse = async (): Promise<void> => {
    const now = clock.now()
    for (const upload of lapsedUploads(read, now, ['in_progress', 'failed'])) {
      await write(
        'storage.lapse',
        (tx) => {
          putUploadStatus(tx, upload.id, 'expired')
          deleteChunks(tx, upload.id)
          deleteFile(tx, upload.file_id)
        },
        { whenFull: true },
      )
      await partials.remove(upload.id)
    }
    for (const { id } of lapsedUploads(read, now - toldMs, ['completed', 'expired']))
      await write('storage.forget', (tx) => deleteUpload(tx, id), { whenFull: true })
    for (const { id, sha256 } of lapsedFiles(read, now, filesPerSlice))
      await write(
        'storage.lapse',
        (tx) => {
          const file = readFile(tx, id)
          if (file === undefined || file.expires_at === null || file.expires_at > now) return
          dropFile(tx, id)
          deleteFile(tx, id)
          if (sha256 !== null) tx.whenOnDisk(() => bytes.free(sha256))
        },
        { whenFull: true },
      )
    if (isKeptOver(read, now))
      await write(
        'storage.lapse',
        (tx) => {
          const over = forgetKept(tx, now)
          tx.whenOnDisk(() => over.forEach((sha256) => bytes.free(sha256)))
        },
        { whenFull: true },
      )
  }

  /**
   * A file is ready exactly while its bytes are there: they may be gone with a folder, and back with a backup. Names are
   * compared folder by folder, so that the disk is asked 256 times however many files there are; a size that is wrong is
   * found by whoever reads the file.
   */
  const compare = async (): Promise<void> => {
    let lost = 0
    for (let at = 0; at < 256; at += 1) {
      const digits = at.toString(16).padStart(2, '0')
      // Rows first: bytes that arrive meanwhile lie in their place before anything names them.
      const files = filesWithBytes(read, digits)
      if (files.length === 0) continue
      const present = await bytes.namesWith(digits)
      const changes: { id: string; status: FileRow['status'] }[] = []
      for (const { id, sha256, size, status } of files) {
        if (stopped) return
        if (present.has(sha256!) === (status === 'ready')) continue
        const isThere = await bytes.has(sha256!, size)
        if (isThere !== (status === 'ready')) changes.push({ id, status: isThere ? 'ready' : 'lost' })
      }
      lost += changes.filter(({ status }) => status === 'lost').length
      if (changes.length > 0)
        await write('storage.compare', (tx) => {
          for (const { id, status } of changes) if (readFile(tx, id) !== undefined) putStatus(tx, id, status)
        })
    }
    if (lost > 0) log.warn({ files: lost }, 'Bytes of files are missing; a backup that has them brings the files back.')
  }

  return {
    start() {
      const startedAt = clock.now()
      running = (async () => {
        await compare()
        await lapse()
        if (!stopped) await sweep(startedAt)
      })().catch((error: unknown) => {
        if (!stopped) log.error({ err: error }, 'What the last end has left of files was not all taken up.')
      })
      return openUploads(read).length === 0
        ? Promise.resolve()
        : write('storage.reopen', (tx) => reopenUploads(tx), { whenFull: true })
    },
    async sweep(signal) {
      await running
      await lapse()
      signal.throwIfAborted()
      await sweep(clock.now() - dayMs)
    },
    async stop() {
      stopped = true
      await running
      await bytes.settled()
    },
  }
}
