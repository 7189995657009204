// The document of one room: the text as Yjs, what was last read from the row, and how a change of either reaches the
// other. Where other machines have the text too, what is stored is their common document. Knows no socket, no right and no
// database.
import * as Y from 'yjs'
import { normalizeText } from '#shared/field-types/code-points.ts'
import { liveTextRoot, plainLines } from '#shared/live-text.ts'
import { mergedChanges, textChanges } from '#shared/text-changes.ts'
import type { TextChange } from '#shared/text-changes.ts'
import type { UpdateGate } from './update-gate.ts'
import { createUpdateGate } from './update-gate.ts'
import { deletionOf, missingFor, vectorOf } from './vectors.ts'

/** Bytes of updates after which a room is begun anew, so that deleted text does not pile up. */
const maxHistoryBytes = 8 * 1024 * 1024

/** The text at a moment, and how to get there from the text that was stored before it. */
export interface TextMark {
  readonly text: string
  readonly update: Uint8Array
}

/** A text that was written to the row. */
export interface SentMark extends TextMark {
  /** Whether the common document has taken its letters. */
  readonly isTaken: boolean
}

/** The document of a text on all machines. */
export interface CommonDocument {
  /** As it is committed here; null where there is none. @throws DocError */
  state(): Uint8Array | null
  /** Whether a client id was given to somebody in this room. */
  isOfRoom(clientId: number): boolean
  /** Told when others wrote as somebody in this room: the room cannot go on. */
  forged(): void
}

/** Where a change of the document comes from when nobody in the room made it: other machines know of it. */
export const fromElsewhere: unique symbol = Symbol('from elsewhere')

/** Who wrote an update. */
export interface Author {
  readonly clientId: number
  /**
   * Of a window that comes back after the host was started anew: whether a client id was given to anybody here. What it
   * holds of others is what the host has lost.
   */
  readonly isLeased?: (clientId: number) => boolean
}

/** The document of a room. */
export interface LiveDocument {
  readonly doc: Y.Doc
  /** The text as it is now. */
  text(): string
  /** Whether something is not stored. */
  readonly isDirty: boolean
  /** Whether letters are in it that the common document does not have, also such as were taken out again. */
  readonly isAhead: boolean
  /** Bytes of updates since it was made, and of the text it was made from. */
  readonly bytes: number
  readonly isWornOut: boolean
  /**
   * Applies the update of a client.
   * @returns whether the text changed
   * @throws sync_update_invalid, sync_update_too_large
   */
  apply(update: Uint8Array, author: Author, origin: unknown): boolean
  /** Whether an update builds on letters that are not here. @throws sync_update_invalid */
  lacks(update: Uint8Array): boolean
  /**
   * Applies letters of another machine, which nobody here may have written.
   * @returns `gap` when something before them is missing: nothing changed
   * @throws sync_update_invalid, sync_update_too_large
   */
  applyLive(update: Uint8Array, isLeased: (clientId: number) => boolean): 'taken' | 'gap'
  /**
   * Takes out letters of clients that are not in the common document from where a state vector ends.
   * @throws Error for bytes that are no state vector
   */
  forget(clientIds: readonly number[], vector: Uint8Array): void
  /** The text as it is about to be stored. */
  mark(): TextMark
  /**
   * Takes over what the row holds now: what others made of the text that was stored last. What was typed since stays.
   * @param sent what was written, when the row changed because of it
   */
  follow(rowText: string, sent?: SentMark): void
  close(): void
}

/** The client ids the host itself writes with: into the document, and into the copy of what is stored. */
export interface HostClientIds {
  readonly doc: number
  readonly base: number
}

/**
 * Makes a document of the text of a row, or of the document that it is committed to.
 * @param changed called with every update and where it comes from; undefined for one of the host
 * @param common of a text that other machines have too
 */
export function createLiveDocument(
  rowText: string,
  clientIds: HostClientIds,
  changed: (update: Uint8Array, origin: unknown) => void,
  common?: CommonDocument,
): LiveDocument {
  const doc = new Y.Doc()
  const shared = doc.getText(liveTextRoot)
  const start = common?.state() ?? null
  if (start !== null) Y.applyUpdate(doc, start)
  // After the load, which may have changed it (design of sync, section 1).
  doc.clientID = clientIds.doc
  if (common === undefined) shared.insert(0, plainLines(rowText))
  // The document as it was when it was last equal to the row. Of a text of this host alone, a change of the row is made
  // here and merged from here, so that it lands between the very letters it was made between.
  const base = new Y.Doc()
  const baseText = base.getText(liveTextRoot)
  Y.applyUpdate(base, Y.encodeStateAsUpdate(doc))
  let row = normalizeText(plainLines(rowText))
  const firstBytes = rowText.length * 2 + (start?.byteLength ?? 0)
  let bytes = firstBytes
  let hasCarriageReturn = false

  const change = (text: Y.Text, changes: readonly TextChange[]): void => {
    if (changes.length === 0) return
    text.doc!.transact(() => {
      for (const { at, remove, insert } of changes.toReversed()) {
        if (remove > 0) text.delete(at, remove)
        if (insert !== '') text.insert(at, insert)
      }
    })
  }

  /** Editors count every line end as one character: two would shift all places after them. */
  const removeCarriageReturns = (): void => {
    hasCarriageReturn = false
    const text = shared.toJSON()
    const found = [...text.matchAll(/\r\n?/g)]
    change(
      shared,
      found.map(({ 0: end, index }) => ({ at: index, remove: 1, insert: end === '\r' ? '\n' : '' })),
    )
  }

  removeCarriageReturns()
  const gate: UpdateGate = createUpdateGate(doc)
  shared.observe((event) => {
    hasCarriageReturn ||= event.delta.some(({ insert }) => typeof insert === 'string' && insert.includes('\r'))
  })
  doc.on('update', (update: Uint8Array, origin: unknown) => {
    bytes += update.byteLength
    if (origin === undefined || origin === null || origin === fromElsewhere) gate.follow(update)
    changed(update, origin ?? undefined)
  })

  const sinceBase = (): Uint8Array => Y.encodeStateAsUpdate(doc, Y.encodeStateVector(base))

  /** Takes over what is committed by now: exact letters, whoever wrote them. */
  const takeCommitted = (): void => {
    const state = common?.state() ?? null
    if (state === null) return
    Y.applyUpdate(base, state)
    const isForged = [...base.store.clients.keys()].some(
      (id) => common!.isOfRoom(id) && Y.getState(base.store, id) > Y.getState(doc.store, id),
    )
    if (isForged) {
      common!.forged()
      return
    }
    Y.applyUpdate(doc, state, fromElsewhere)
    if (hasCarriageReturn) removeCarriageReturns()
  }

  const followCommon = (next: string, sent: SentMark | undefined): void => {
    const normal = normalizeText(next)
    const isKnown = normal === row
    row = normal
    if (sent?.isTaken === true) Y.applyUpdate(base, sent.update)
    if (sent === undefined ? !isKnown : normal !== normalizeText(sent.text)) takeCommitted()
    // The record took it for no change: what it was given is as it was before.
    if (sent?.isTaken === false) change(shared, mergedChanges(sent.text, shared.toJSON(), next))
  }

  return {
    doc,
    text: () => shared.toJSON(),
    get isDirty() {
      return normalizeText(shared.toJSON()) !== row
    },
    get isAhead() {
      return common !== undefined && missingFor(doc, vectorOf(base)) !== null
    },
    get bytes() {
      return bytes
    },
    get isWornOut() {
      return bytes - firstBytes > maxHistoryBytes
    },
    apply(update, author, origin) {
      const { clientId: own, isLeased } = author
      if (!gate.admit(update, (id) => id === own || isLeased?.(id) === false)) return false
      const before = bytes
      Y.applyUpdate(doc, update, origin)
      if (hasCarriageReturn) removeCarriageReturns()
      return bytes !== before
    },
    lacks: (update) => gate.isAhead(update),
    applyLive(update, isLeased) {
      if (gate.isAhead(update)) return 'gap'
      if (gate.admit(update, (clientId) => !isLeased(clientId))) Y.applyUpdate(doc, update, fromElsewhere)
      if (hasCarriageReturn) removeCarriageReturns()
      return 'taken'
    },
    forget(clientIds, vector) {
      const known = Y.decodeStateVector(vector)
      for (const id of clientIds) {
        const from = Math.max(known.get(id) ?? 0, Y.getState(base.store, id))
        const to = Y.getState(doc.store, id)
        if (from < to) Y.applyUpdate(doc, deletionOf(id, from, to - from))
      }
    },
    mark() {
      // A letter that came live may have been taken out again in what is committed, with the row as it was.
      takeCommitted()
      return { text: shared.toJSON(), update: sinceBase() }
    },
    follow(given, sent) {
      const next = plainLines(given)
      if (common !== undefined) {
        followCommon(next, sent)
        return
      }
      const normal = normalizeText(next)
      if (sent !== undefined) Y.applyUpdate(base, sent.update)
      else if (normal === row) return
      row = normal
      if (normal === normalizeText(baseText.toJSON())) return
      if (normal === normalizeText(shared.toJSON())) {
        Y.applyUpdate(base, sinceBase())
        return
      }
      const before = Y.encodeStateVector(base)
      base.clientID = clientIds.base
      change(baseText, textChanges(baseText.toJSON(), next))
      Y.applyUpdate(doc, Y.encodeStateAsUpdate(base, before))
    },
    close() {
      gate.close()
      base.destroy()
      doc.destroy()
    },
  }
}
