// Sealed keyset cursors: opaque, authenticated, bound to the query they came from. Knows no SQL.
import type { KeyObject } from 'node:crypto'
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'
import { invalidQuery } from '#shared/errors.ts'
import type { SqlValue } from '#shared/field-types/field-schema.ts'

const version = 1
const ivBytes = 12
const tagBytes = 16

/** The key cursors of one database are sealed with. */
export type CursorKey = KeyObject

/** Makes the key from 32 secret bytes that are kept beside the data. Made once: it costs ten times as much as sealing. */
export function createCursorKey(bytes: Uint8Array): CursorKey {
  return createSecretKey(bytes)
}

/**
 * Seals the sort values of the last row of a page, given as JSON. `binding` names the query: object, filter, sort,
 * search, mode, user.
 */
export function sealCursor(key: CursorKey, binding: string, values: string): string {
  const iv = nextIv()
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  cipher.setAAD(Buffer.from(binding))
  const sealed = cipher.update(values, 'utf8')
  return Buffer.concat([Buffer.of(version), iv, sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

const ivPool = Buffer.alloc(ivBytes * 512)
let ivUsed = ivPool.length

/** Twelve random bytes that were never used; drawn by the page, because one draw costs as much as the sealing. */
function nextIv(): Buffer {
  if (ivUsed === ivPool.length) {
    randomFillSync(ivPool)
    ivUsed = 0
  }
  ivUsed += ivBytes
  return ivPool.subarray(ivUsed - ivBytes, ivUsed)
}

/**
 * Opens a cursor.
 * @throws invalid_query when it is damaged, from another database, or from another query (D-75)
 */
export function openCursor(key: CursorKey, binding: string, cursor: string): SqlValue[] {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length < 1 + ivBytes + tagBytes + 2 || bytes[0] !== version || cursor.length > 20_000) throw notOurs()
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 1 + ivBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(binding))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    const text = decipher.update(bytes.subarray(1 + ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
    return JSON.parse(text) as SqlValue[]
  } catch {
    // Whatever is wrong with it, the answer is the same: it does not belong to this query.
    throw notOurs()
  }
}

function notOurs() {
  return invalidQuery('cursor', 'The cursor does not belong to this query.', { path: '' })
}
