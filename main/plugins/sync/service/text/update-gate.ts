// Judges an update of a client before it reaches the document of its room: size, author, kind of content, and whether it
// can be applied at all, which is tried on a copy. Knows no room and no right. @source safety S3, S5
import * as Y from 'yjs'
import { liveTextRoot, maxLiveTextLength, maxLiveUpdateBytes } from '#shared/live-text.ts'
import { syncError } from '../../errors.ts'

/** Parts one update may have. */
const maxStructs = 20_000

/** Tries updates. */
export interface UpdateGate {
  /**
   * Makes sure that an update changes the text alone, was written by who may have written it, and can be applied.
   * @param mayWrite whether something new may come from a client id
   * @returns false for an update that says nothing new
   * @throws sync_update_invalid, sync_update_too_large; the document is as it was
   */
  admit(update: Uint8Array, mayWrite: (clientId: number) => boolean): boolean
  /** Whether an update builds on something that is not in the document. @throws sync_update_invalid */
  isAhead(update: Uint8Array): boolean
  /** Follows a change that the host made itself. */
  follow(update: Uint8Array): void
  close(): void
}

/** Makes the gate of a document; the copy it tries updates on is as large as the document. */
export function createUpdateGate(doc: Y.Doc): UpdateGate {
  let copy = copyOf(doc)
  const invalid = (reason: string): Error => syncError('sync_update_invalid', { reason })

  const renew = (): void => {
    copy.destroy()
    copy = copyOf(doc)
  }

  /** Whether there is anything to apply. */
  const judge = (update: Uint8Array, mayWrite: (clientId: number) => boolean): boolean => {
    const { structs, ds } = Y.decodeUpdate(update)
    if (structs.length > maxStructs) throw syncError('sync_update_too_large', { limit: maxStructs, of: 'structs' })
    let added = 0
    for (const struct of structs) {
      const known = Y.getState(doc.store, struct.id.client)
      if (!mayWrite(struct.id.client)) {
        // What others wrote came from here: it may be repeated, and nothing more.
        if (struct.id.clock + struct.length <= known) continue
        throw invalid('author')
      }
      if (!(struct instanceof Y.Item)) throw invalid('content')
      const isText = struct.content instanceof Y.ContentString || struct.content instanceof Y.ContentDeleted
      if (!isText || struct.parentSub !== null) throw invalid('content')
      const parent: unknown = struct.parent
      if (typeof parent === 'string' ? parent !== liveTextRoot : parent !== null) throw invalid('place')
      added += Math.max(0, struct.id.clock + struct.length - Math.max(struct.id.clock, known))
    }
    if (doc.getText(liveTextRoot).length + added > maxLiveTextLength)
      throw syncError('sync_update_too_large', { limit: maxLiveTextLength, of: 'characters' })
    return structs.length > 0 || ds.clients.size > 0
  }

  return {
    isAhead(update) {
      let decoded: ReturnType<typeof Y.decodeUpdate>
      try {
        decoded = Y.decodeUpdate(update)
      } catch {
        throw invalid('malformed')
      }
      return lacks(doc, decoded)
    },
    admit(update, mayWrite) {
      if (update.byteLength > maxLiveUpdateBytes)
        throw syncError('sync_update_too_large', { limit: maxLiveUpdateBytes, of: 'bytes' })
      let isNew: boolean
      try {
        isNew = judge(update, mayWrite)
      } catch (error) {
        if (error instanceof Error && 'httpStatus' in error) throw error
        throw invalid('malformed')
      }
      if (!isNew) return false
      try {
        Y.applyUpdate(copy, update)
      } catch {
        renew()
        throw invalid('malformed')
      }
      if (copy.store.pendingStructs !== null || copy.store.pendingDs !== null) {
        renew()
        throw invalid('incomplete')
      }
      return true
    },
    follow: (update) => Y.applyUpdate(copy, update),
    close: () => copy.destroy(),
  }
}

function copyOf(doc: Y.Doc): Y.Doc {
  const copy = new Y.Doc()
  copy.getText(liveTextRoot)
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc))
  return copy
}

/** Whether something is missing that structs or deletions build on: clocks before them, letters beside them. */
function lacks(doc: Y.Doc, { structs, ds }: ReturnType<typeof Y.decodeUpdate>): boolean {
  const ends = new Map<number, number>()
  const end = (client: number): number => ends.get(client) ?? Y.getState(doc.store, client)
  for (const { id, length } of structs) {
    if (id.clock > end(id.client)) return true
    ends.set(id.client, Math.max(end(id.client), id.clock + length))
  }
  const isThere = (id: Y.ID | null): boolean => id === null || id.clock < end(id.client)
  for (const struct of structs) {
    if (struct instanceof Y.Item && !(isThere(struct.origin) && isThere(struct.rightOrigin))) return true
  }
  for (const [client, ranges] of ds.clients) if (ranges.some(({ clock, len }) => clock + len > end(client))) return true
  return false
}
