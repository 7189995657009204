// How far the newest change of a record has come: looks for its documents among what peers lack. Knows no HTTP.
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { docsOf } from '../write/genesis-body.ts'
import type { Running } from './running.ts'

/** Where the newest change of a record is. */
export interface RecordPlace {
  readonly state: 'here' | 'sent' | 'everywhere'
  /** Ids of the machines that lack it. */
  readonly missingOn: string[]
}

/** The most changed documents looked through per question; a machine that lacks more is taken to lack this one too. */
const mostLooked = 20_000
const bytesPerRead = 256 * 1024

/**
 * Works out where a record is. The relay counts as a place it was sent to; only machines count for `everywhere`.
 * @param object uid
 */
export function placeOfRecord(running: Running, object: string, record: string): RecordPlace {
  const { engine } = running
  const vector = engine.replica.vector()
  const peers = running
    .peers()
    .filter(({ state }) => state !== 'unpaired')
    .map(({ id, kind }) => ({ id, kind, acked: running.acked(id) }))
  const devices = peers.filter(({ kind }) => kind === 'device')
  if (peers.length === 0) return { state: 'here', missingOn: [] }
  let looked = 0
  const missing = new Set<string>()
  for (const [inc, last] of vector) {
    const lacking = peers.filter(({ acked }) => (acked.get(inc) ?? 0) < last)
    if (lacking.length === 0) continue
    const from = Math.min(...lacking.map(({ acked }) => acked.get(inc) ?? 0)) + 1
    const newest = newestOf(from, inc, last)
    for (const { id, acked } of lacking) if ((acked.get(inc) ?? 0) < newest) missing.add(id)
  }
  const missingOn = devices.filter(({ id }) => missing.has(id)).map(({ id }) => id)
  const isSomewhere = peers.some(({ id }) => !missing.has(id))
  return { state: !isSomewhere ? 'here' : missingOn.length > 0 ? 'sent' : 'everywhere', missingOn }

  /** The last change of the record in a part of a log; 0 for none. */
  function newestOf(from: number, inc: number, last: number): number {
    let newest = 0
    for (let next = from; next <= last;) {
      if (looked >= mostLooked) return last
      const { envelopes } = engine.replica.read({ inc, from: next, to: last }, bytesPerRead)
      if (envelopes.length === 0) break
      for (const { seq, body } of envelopes) {
        const docs = docsIn(body)
        if (docs.some((doc) => isOf(doc, object, record))) newest = seq
        looked += Math.max(docs.length, 1)
      }
      next = envelopes.at(-1)!.seq + 1
    }
    return newest
  }
}

/** The documents an envelope speaks of; none where it cannot be read, which is what kept it from being applied. */
function docsIn(body: Uint8Array): string[] {
  try {
    const decoded = decodeBody(body)
    return isOpaque(decoded) ? [decoded.doc] : docsOf(decoded)
  } catch {
    return []
  }
}

/** Whether a document is the record, a text of it or a part of its feed. */
function isOf(doc: string, object: string, record: string): boolean {
  const [kind, of, id] = doc.split('/')
  return (kind === 'r' || kind === 't' || kind === 'f') && of === object && id === record
}
