// What machines tell each other of files, and what becomes of it here. Knows rows and rights, nothing of machines.
import type { Reads } from '#main/kernel/database.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { StorageService } from '../api.ts'
import type { FileRow } from '../store.ts'
import { completeFiles, filesElsewhere, insertFile, readFile } from '../store.ts'
import type { ByteStore } from './byte-store.ts'
import type { FileAccess } from './file-access.ts'
import type { Files } from './files.ts'
import { takeKept } from './kept-bytes-store.ts'
import type { ForgetFile } from './forget-file.ts'
import type { FileReferences } from './references.ts'

/** What travels of files. */
export type TravellingFiles = Pick<
  StorageService,
  | 'travelling'
  | 'travellingIds'
  | 'placeRemote'
  | 'removeRemote'
  | 'recordsNaming'
  | 'isReadable'
  | 'openBytes'
  | 'elsewhere'
>

const system = internalContext('storage')

/** Makes it. */
export function createTravellingFiles(parts: {
  readonly read: Reads
  readonly bytes: ByteStore
  readonly files: Pick<Files, 'announceReady'>
  readonly access: FileAccess
  readonly references: FileReferences
  readonly forgetFile: ForgetFile
}): TravellingFiles {
  const { read, bytes, files, access, references, forgetFile } = parts
  return {
    travelling(from, fileId) {
      const file = readFile(from, fileId)
      if (file === undefined || !isComplete(file)) return undefined
      const { id, scope, bucket, name, extension, size, home } = file
      return {
        ...{ id, scope, bucket, name, extension, size, home },
        organizationId: file.organization_id,
        mimeType: file.mime_type,
        sha256: file.sha256,
        metadata: JSON.parse(file.metadata) as Record<string, unknown>,
        createdBy: file.created_by,
        createdAt: file.created_at,
      }
    },
    travellingIds: (from, after, limit) => completeFiles(from, after, limit).map(({ id }) => id),
    placeRemote(tx, ctx, file) {
      if (readFile(tx, file.id) !== undefined) return
      const { id, scope, bucket, name, extension, size, sha256, home } = file
      const row: FileRow = {
        ...{ id, scope, bucket, name, extension, size, sha256, home },
        organization_id: file.organizationId,
        mime_type: file.mimeType,
        // Not even where equal bytes are here for another file: whoever knows a checksum has not shown that they have the bytes.
        status: takeKept(tx, { id, sha256 }) ? 'ready' : 'away',
        metadata: JSON.stringify(file.metadata),
        created_by: file.createdBy,
        created_at: file.createdAt,
        updated_at: file.createdAt,
        expires_at: null,
        key_id: null,
      }
      insertFile(tx, row)
      files.announceReady(tx, ctx, row)
    },
    removeRemote(tx, ctx, fileId, force) {
      const file = readFile(tx, fileId)
      if (file === undefined) return true
      if (!force && references.dependents(tx, system, fileId).count > 0) return false
      forgetFile(tx, file, force)
      tx.emit(ctx, { type: 'file.deleted', payload: { fileId, name: file.name } })
      return true
    },
    recordsNaming: references.recordsNaming,
    isReadable(from, ctx, fileId) {
      const file = readFile(from, fileId)
      if (file === undefined || !isComplete(file)) return false
      return ctx === null ? file.scope === 'public' : access.mayRead(from, ctx, file)
    },
    async openBytes(fileId) {
      const file = readFile(read, fileId)
      return file?.status === 'ready' && file.sha256 !== null ? bytes.open(file.sha256, file.size) : undefined
    },
    elsewhere: (below, limit) =>
      filesElsewhere(read, below === null ? null : { created_at: below.createdAt, id: below.id }, limit)
        .filter(isComplete)
        .map(({ id, sha256, size, home, created_at: createdAt }) => ({ id, sha256, size, home, createdAt })),
  }
}

/** Whether a file is whole somewhere. */
function isComplete(file: FileRow): file is FileRow & { readonly sha256: string } {
  return file.sha256 !== null && (file.status === 'ready' || file.status === 'away' || file.status === 'lost')
}
