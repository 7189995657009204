// Messages of a live text as bytes: what clients send, read without trust, and what they are sent. Knows no room and no
// right.
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { messagePermissionDenied } from 'y-protocols/auth'
import { messageYjsSyncStep1, messageYjsSyncStep2, messageYjsUpdate } from 'y-protocols/sync'
import * as Y from 'yjs'
import type { LiveTextNote } from '#shared/live-text.ts'
import { liveTextMessages } from '#shared/live-text.ts'
import { parseJsonBody } from '#main/kernel/json-body.ts'
import { syncError } from '../../errors.ts'

/** What one client says of itself: where its cursor is. Never stored. */
export interface AwarenessEntry {
  readonly clientId: number
  readonly clock: number
  /** Null: the client is gone. */
  readonly state: Readonly<Record<string, unknown>> | null
}

/** A message of a client. */
export type ClientMessage =
  | { readonly type: 'state'; readonly vector: Uint8Array }
  /** @property isAnswer whether it is all the host was found to lack, answered to {@link stateMessage} */
  | { readonly type: 'update'; readonly update: Uint8Array; readonly isAnswer: boolean }
  | { readonly type: 'awareness'; readonly entries: readonly AwarenessEntry[] }
  | { readonly type: 'query' }
  | { readonly type: 'store' }

/** The longest awareness message, in bytes (design of sync, section 8). */
const maxAwarenessBytes = 4 * 1024

/** Clients one awareness message may speak of: it is looked at for one of them. */
const maxAwarenessEntries = 64

/**
 * Reads a message.
 * @throws sync_update_invalid, sync_update_too_large
 */
export function readMessage(data: string | Uint8Array): ClientMessage {
  if (typeof data === 'string') throw syncError('sync_update_invalid', { reason: 'text' })
  try {
    const decoder = decoding.createDecoder(data)
    const message = readBody(decoder, decoding.readVarUint(decoder))
    if (message !== null && !decoding.hasContent(decoder)) return message
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'sync_update_too_large') throw error
    throw syncError('sync_update_invalid', { reason: 'malformed' })
  }
  throw syncError('sync_update_invalid', { reason: 'unknown' })
}

function readBody(decoder: decoding.Decoder, kind: number): ClientMessage | null {
  switch (kind) {
    case liveTextMessages.sync:
      return readSync(decoder, decoding.readVarUint(decoder))
    case liveTextMessages.awareness:
      return { type: 'awareness', entries: readAwareness(decoding.readVarUint8Array(decoder)) }
    case liveTextMessages.queryAwareness:
      return { type: 'query' }
    case liveTextMessages.note: {
      const note: unknown = readJson(decoder)
      return (note as { type?: unknown } | null)?.type === 'store' ? { type: 'store' } : null
    }
    default:
      return null
  }
}

function readJson(decoder: decoding.Decoder): unknown {
  return parseJsonBody(Buffer.from(decoding.readVarString(decoder)))
}

function readSync(decoder: decoding.Decoder, step: number): ClientMessage | null {
  const bytes = decoding.readVarUint8Array(decoder)
  if (step === messageYjsSyncStep1) return { type: 'state', vector: bytes }
  const isAnswer = step === messageYjsSyncStep2
  return isAnswer || step === messageYjsUpdate ? { type: 'update', update: bytes, isAnswer } : null
}

function readAwareness(bytes: Uint8Array): AwarenessEntry[] {
  if (bytes.byteLength > maxAwarenessBytes) throw syncError('sync_update_too_large', { limit: maxAwarenessBytes })
  const decoder = decoding.createDecoder(bytes)
  const count = decoding.readVarUint(decoder)
  if (count > maxAwarenessEntries) throw syncError('sync_update_invalid', { reason: 'awareness' })
  return Array.from({ length: count }, () => {
    const clientId = decoding.readVarUint(decoder)
    const clock = decoding.readVarUint(decoder)
    const state: unknown = readJson(decoder)
    if (state !== null && (typeof state !== 'object' || Array.isArray(state)))
      throw syncError('sync_update_invalid', { reason: 'awareness' })
    return { clientId, clock, state: state as AwarenessEntry['state'] }
  })
}

function message(kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder()
  encoding.writeVarUint(encoder, kind)
  write(encoder)
  return encoding.toUint8Array(encoder)
}

function syncMessage(step: number, bytes: Uint8Array): Uint8Array {
  return message(liveTextMessages.sync, (encoder) => {
    encoding.writeVarUint(encoder, step)
    encoding.writeVarUint8Array(encoder, bytes)
  })
}

/** Asks a client for what the host does not have. */
export const stateMessage = (doc: Y.Doc): Uint8Array => syncMessage(messageYjsSyncStep1, Y.encodeStateVector(doc))

/**
 * Gives a client what it does not have.
 * @throws sync_update_invalid when the vector is none
 */
export function missingMessage(doc: Y.Doc, vector: Uint8Array): Uint8Array {
  let update: Uint8Array
  try {
    update = Y.encodeStateAsUpdate(doc, vector)
  } catch {
    throw syncError('sync_update_invalid', { reason: 'vector' })
  }
  return syncMessage(messageYjsSyncStep2, update)
}

/** Hands an update on. */
export const updateMessage = (update: Uint8Array): Uint8Array => syncMessage(messageYjsUpdate, update)

/** Says where clients are; of no client it only shows that the host is there. */
export function awarenessMessage(entries: readonly AwarenessEntry[]): Uint8Array {
  return message(liveTextMessages.awareness, (encoder) => {
    const inner = encoding.createEncoder()
    encoding.writeVarUint(inner, entries.length)
    for (const { clientId, clock, state } of entries) {
      encoding.writeVarUint(inner, clientId)
      encoding.writeVarUint(inner, clock)
      encoding.writeVarString(inner, JSON.stringify(state))
    }
    encoding.writeVarUint8Array(encoder, encoding.toUint8Array(inner))
  })
}

/** Says that a change was refused. */
export function deniedMessage(reason: string): Uint8Array {
  return message(liveTextMessages.auth, (encoder) => {
    encoding.writeVarUint(encoder, messagePermissionDenied)
    encoding.writeVarString(encoder, reason)
  })
}

/** Tells what became of the text. */
export function noteMessage(note: LiveTextNote): Uint8Array {
  return message(liveTextMessages.note, (encoder) => encoding.writeVarString(encoder, JSON.stringify(note)))
}
