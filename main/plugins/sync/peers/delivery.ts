// How far what was written here has come: which machines have the newest change of a record, and waiting until enough of
// them have everything on disk. Knows whom that is about, no frame and no HTTP.
import type { z } from 'zod'
import type { SyncBarrier, SyncRecordState } from '#shared/contracts/sync-parts.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { docsOf } from '../write/genesis-body.ts'
import { relayId } from './peer-store.ts'
import type { Running } from './running.ts'

/**
 * Waits until what this machine wrote is on disk elsewhere; resolves in time whatever happens.
 * @param devices on how many of them; one, or all of them for `all`, when left out
 */
export async function waitForPeers(
  running: Running,
  wish: { readonly on: 'relay' | 'any' | 'all'; readonly devices: number | undefined; readonly timeoutMs: number },
): Promise<z.output<typeof SyncBarrier>> {
  const { engine, incarnation, sessions } = running
  const began = performance.now()
  const isPrepared = await prepared(engine, wish.timeoutMs)
  const timeoutMs = wish.timeoutMs - Math.round(performance.now() - began)
  const position = { inc: incarnation.inc, seq: engine.replica.vector().get(incarnation.inc) ?? 0 }
  // All machines are meant; a relay is none of them.
  const ids = pairedPeers(running)
    .map(({ id }) => id)
    .filter((id) => (wish.on === 'relay' ? id === relayId : wish.on === 'any' || id !== relayId))
  // Who said so before it left needs not be asked.
  const had = ids.filter((id) => (running.acked(id).get(position.inc) ?? 0) >= position.seq)
  const asked = ids.filter((id) => !had.includes(id))
  const needed = (wish.devices ?? (wish.on === 'all' ? ids.length : 1)) - had.length
  const waitedMs = wish.timeoutMs - timeoutMs
  if (!isPrepared || needed <= 0 || asked.length < needed) {
    const reached = isPrepared && ids.length > 0 && needed <= 0
    return { reached, position, durableOn: had, missing: asked, waitedMs }
  }
  const found = await sessions.barrier(timeoutMs, asked, needed)
  return {
    reached: found.reached,
    position,
    durableOn: [...had, ...found.durableOn],
    missing: [...found.missing],
    waitedMs: waitedMs + found.waitedMs,
  }
}

/** Waits, no longer than `ms`, for documents of what was written while sync was off; answers whether they are made. */
async function prepared(engine: Running['engine'], ms: number): Promise<boolean> {
  const isDone = (): boolean => engine.state() !== 'preparing'
  if (isDone()) return true
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      leave()
      resolve()
    }
    const leave = engine.onChange(() => void (isDone() && end()))
    const timer = setTimeout(end, ms)
  })
  return isDone()
}

/** The most changed documents looked through per question; a machine that lacks more is taken to lack this one too. */
const mostLooked = 20_000
const bytesPerRead = 256 * 1024

/**
 * Looks for the documents of a record among what peers lack. The relay counts as a place it was sent to; only machines count
 * for `everywhere`.
 * @param object uid
 */
export function placeOfRecord(
  running: Running,
  object: string,
  record: string,
): Pick<z.output<typeof SyncRecordState>, 'state' | 'missingOn'> {
  const { replica } = running.engine
  const peers = pairedPeers(running).map(({ id, kind }) => ({ id, kind, acked: running.acked(id) }))
  if (peers.length === 0) return { state: 'here', missingOn: [] }
  let looked = 0
  const missing = new Set<string>()
  for (const [inc, last] of replica.vector()) {
    const lacking = peers.filter(({ acked }) => (acked.get(inc) ?? 0) < last)
    if (lacking.length === 0) continue
    const from = Math.min(...lacking.map(({ acked }) => acked.get(inc) ?? 0)) + 1
    const newest = newestOf(from, inc, last)
    for (const { id, acked } of lacking) if ((acked.get(inc) ?? 0) < newest) missing.add(id)
  }
  const missingOn = peers.filter(({ id, kind }) => kind === 'device' && missing.has(id)).map(({ id }) => id)
  const isSomewhere = peers.some(({ id }) => !missing.has(id))
  return { state: !isSomewhere ? 'here' : missingOn.length > 0 ? 'sent' : 'everywhere', missingOn }

  /** The last change of the record in a part of a log; 0 for none. */
  function newestOf(from: number, inc: number, last: number): number {
    let newest = 0
    for (let next = from; next <= last;) {
      if (looked >= mostLooked) return last
      const { envelopes } = replica.read({ inc, from: next, to: last }, bytesPerRead)
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

function pairedPeers(running: Running) {
  return running.peers().filter(({ state }) => state !== 'unpaired')
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
