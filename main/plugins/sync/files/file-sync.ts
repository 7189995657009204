// Files between machines (D-322): a document for each complete one. Its bytes go another way (byte-lane.ts).
import type { PlatformEvent } from '#shared/events.ts'
import type { Clock } from '#main/kernel/clock.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { Tx, Write } from '#main/kernel/database.ts'
import type { Ids } from '#main/kernel/ids.ts'
import type { Logger } from '#main/kernel/logger.ts'
import type { EventListener, PluginHost } from '#main/kernel/plugin.ts'
import type { StorageService } from '#main/plugins/storage/api.ts'
import { formatDocName, parseDocName } from '#main/replication/core/doc-names.ts'
import type { DocName } from '#main/replication/core/doc-names.ts'
import type { BackfillSlice, BackfillWriter, DocKindHandler, DocWriter } from '../engine/docs.ts'
import { contextHere } from '../engine/owner-identity.ts'
import type { OwnerIdentity } from '../engine/owner-identity.ts'
import { seenOf } from '../metadata/limits.ts'
import { isBehind, readFlags, readNames } from '../store/doc-store.ts'
import { FILE_KEY, GONE_KEY, fileEntry, saidFile } from './file-entries.ts'

/** What it works with. */
export interface FileSyncParts {
  readonly docs: DocWriter
  /** Undefined on a host without files, and before that plugin is there. */
  readonly storage: () => StorageService | undefined
  readonly identity: OwnerIdentity
  readonly write: Write
  readonly clock: Pick<Clock, 'iso'>
  readonly ids: Pick<Ids, 'uuid'>
  readonly log: Logger
  /** Has a record judged once more. */
  readonly lookAgain: (tx: Tx, record: { readonly object: string; readonly record: string }) => void
  /** Has the document of a file projected again, also after a stop. */
  readonly waits: (tx: Tx, file: DocName) => void
  /** Ends that. */
  readonly placed: (tx: Tx, file: DocName) => void
  /** This machine; null while it does not take part. */
  readonly here: () => { readonly device: string; readonly isAdmin: boolean } | null
}

const filesPerSlice = 200

/** Files as a kind of documents. */
export interface FileSync {
  readonly handler: DocKindHandler
  listen(host: Pick<PluginHost, 'on'>): void
}

/** Makes the kind `file`. */
export function createFileSync(parts: FileSyncParts): FileSync {
  const { docs, storage, identity, here } = parts
  const nameOf = (file: string): DocName => ({ kind: 'file', file })
  const idOf = ({ payload }: PlatformEvent): string => (payload as { fileId: string }).fileId

  const uploaded: EventListener = (event, tx, ctx) => {
    const machine = here()
    if (machine === null || !docs.isRecording(ctx)) return
    const file = storage()?.travelling(tx, idOf(event))
    if (file === undefined) return
    const entry = fileEntry(identity.value(file), machine.device)
    docs.edit(tx, ctx, nameOf(file.id), (at) => at.set({ [FILE_KEY]: entry }))
  }

  const deleted: EventListener = (event, tx, ctx) => {
    if (!docs.isRecording(ctx)) return
    const force = (event.payload as { force?: boolean }).force === true
    docs.edit(tx, ctx, nameOf(idOf(event)), (at) => {
      // Of a file nobody was told of nothing is said.
      if (!at.register().has(FILE_KEY)) return
      at.set({ [GONE_KEY]: { at: parts.clock.iso(), force, ...(force ? { seen: seenOf(tx, at) } : {}) } })
    })
  }

  /** Who deleted it did not know of the records that name it here: it is there again, for all. */
  const bringBack = (tx: Tx, id: string): void => {
    if (here()?.isAdmin !== true) return
    tx.afterCommit(() => {
      parts
        .write('sync.file-kept', (next) => {
          const files = storage()
          const register = docs.read(next, nameOf(id))?.register
          if (files === undefined || register === undefined) return
          parts.placed(next, nameOf(id))
          const { file, gone } = saidFile(id, register)
          if (file === null || gone?.force === true) return
          const ctx = internalContext(parts.ids.uuid(), 'sync')
          // Nothing names it any more.
          if (files.recordsNaming(next, id).length === 0) {
            if (gone !== null) files.removeRemote(next, ctx, id, false)
            return
          }
          if (gone !== null)
            docs.edit(next, internalContext(parts.ids.uuid()), nameOf(id), (at) => at.set({ [GONE_KEY]: null }))
          files.placeRemote(next, ctx, identity.value(file))
        })
        .catch((error: unknown) => parts.log.error({ err: error }, 'A file could not be brought back for all.'))
    })
  }

  /** A record that names it came after its deletion. Should the host stop before it is back, its document is looked at again. */
  const missing = (tx: Tx, id: string): void => {
    const register = docs.read(tx, nameOf(id))?.register
    if (register !== undefined && saidFile(id, register).gone?.force === false) parts.waits(tx, nameOf(id))
    bringBack(tx, id)
  }

  /** Says that a file was deleted which has a document and no row. Whoever uploaded it may do that wherever it arrives. */
  const markGone = (tx: Tx, id: string, write: BackfillWriter): void => {
    if (storage()?.travelling(tx, id) !== undefined) return
    const register = docs.read(tx, nameOf(id))?.register
    const { file, gone } = register === undefined ? { file: null, gone: null } : saidFile(id, register)
    if (file === null || gone !== null) return
    const said = { at: parts.clock.iso(), force: false }
    write(nameOf(id), file.createdBy, (at) => at.set({ [GONE_KEY]: said }), { mend: true })
  }

  /** Files that were deleted while nothing was recorded. */
  const markAllGone = (tx: Tx, after: string, write: BackfillWriter): BackfillSlice => {
    const names = readNames(tx, 'b/', after, filesPerSlice)
    for (const { name, flags } of names) {
      const parsed = parseDocName(name)
      if (parsed?.kind === 'file' && !isBehind(flags)) markGone(tx, parsed.file, write)
    }
    return { next: names.length < filesPerSlice ? null : `!${names.at(-1)!.name}`, done: 0 }
  }

  return {
    handler: {
      kind: 'file',
      project(tx, ctx, { name, document }) {
        if (name.kind !== 'file') return 'done'
        const files = storage()
        // Asked again whenever metadata changes; a host without files keeps what it cannot show.
        if (files === undefined) return 'later'
        const { file, gone } = saidFile(name.file, document.register)
        const context = contextHere(ctx, identity)
        if (gone !== null) {
          const naming = files.recordsNaming(tx, name.file)
          if (gone.force) for (const place of naming) parts.lookAgain(tx, place)
          const isKept = !files.removeRemote(tx, context, name.file, gone.force) || (!gone.force && naming.length > 0)
          const machine = here()
          if (!isKept || machine?.isAdmin === false) return 'done'
          // Until it is back its document waits: a stop in between forgets nothing.
          bringBack(tx, name.file)
          return 'later'
        } else if (file !== null) files.placeRemote(tx, context, identity.value(file))
        return 'done'
      },
      backfill(tx, after, write) {
        const files = storage()
        const machine = here()
        if (files === undefined || machine === null) return { next: null, done: 0 }
        if (after?.startsWith('!') === true) return markAllGone(tx, after.slice(1), write)
        const ids = files.travellingIds(tx, after ?? '', filesPerSlice)
        for (const id of ids) {
          const file = files.travelling(tx, id)
          if (file === undefined) continue
          const entry = fileEntry(identity.value(file), machine.device)
          write(
            nameOf(id),
            'system',
            (at) => {
              if (!at.register().has(FILE_KEY)) at.set({ [FILE_KEY]: entry })
            },
            { mend: true },
          )
        }
        return { next: ids.length < filesPerSlice ? '!' : ids.at(-1)!, done: ids.length }
      },
      compare(tx, name, write) {
        if (name.kind !== 'file' || storage() === undefined) return
        const flags = readFlags(tx, formatDocName(name))
        if (flags !== undefined && !isBehind(flags)) markGone(tx, name.file, write)
      },
    },
    listen(host) {
      host.on('file.uploaded', uploaded)
      host.on('file.deleted', deleted)
      // A record that names it may come after its deletion.
      storage()?.onMissing(missing)
    },
  }
}
