// Envelopes of a log as the calls they were written in, and what each does to which record. Reads and groups; merges nothing.
import type { EnvelopeBody, SealedEnvelope } from '#main/replication/core/types.ts'
import { decodeBody, isOpaque } from '#main/replication/wire/envelope-codec.ts'
import { targetOf } from '../refusals/refusal-doc.ts'
import type { Problem } from '../store/problem-store.ts'
import type { GenesisDoc } from '../write/genesis-body.ts'
import { unpackGenesis } from '../write/genesis-body.ts'

/** Why something lies aside; `doc` where its envelope cannot say it. */
export type Fault = Pick<Problem, 'kind' | 'reason' | 'detail'> & Partial<Pick<Problem, 'doc'>>

/** An envelope and what is in it; null, and why, for one that is sealed, of a newer version or damaged. */
export type Read =
  | { readonly envelope: SealedEnvelope; readonly body: EnvelopeBody; readonly fault?: undefined }
  | { readonly envelope: SealedEnvelope; readonly body: null; readonly fault: Fault }

/** The envelopes of a call that is applied as a whole, at most. */
export const wholeGroup = 1_000

/** Reads an envelope. */
export function readBody(envelope: SealedEnvelope): Read {
  const without = (fault: Fault): Read => ({ envelope, body: null, fault })
  if (envelope.seal !== 0) return without({ kind: 'parked', reason: 'unknown_kind', detail: 'The envelope is sealed.' })
  try {
    const body = decodeBody(envelope.body)
    if (!isOpaque(body)) return { envelope, body }
    const { doc, number } = body
    return without({ kind: 'parked', reason: 'unknown_kind', detail: `Kind ${number} of a newer version.`, doc })
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    return without({ kind: 'quarantine', reason: 'invalid', detail })
  }
}

/** The documents an envelope changes. @throws DocError, WireError for a damaged pack of documents */
export function docsIn({ kind, doc, author, update }: EnvelopeBody): readonly GenesisDoc[] {
  if (kind === 'genesis') return unpackGenesis(update)
  return update.length === 0 ? [] : [{ name: doc, author, update }]
}

/** Where the call that an envelope begins ends; its own number for what cannot be read, and for a call that is too large. */
export function groupEnd({ envelope: { seq }, body }: Read): number {
  if (body === null) return seq
  const { first, count } = body.group
  return count <= wholeGroup && first <= seq ? Math.max(first + count - 1, seq) : seq
}

/** The record an envelope is about, with its texts, or another document that is judged alone; null for a pack of many. */
export function aboutOf({ body }: Read): string | null {
  return body === null || body.kind === 'genesis' ? null : targetOf(body.doc)
}

/** The envelopes of a call in groups that are about one record each, with its texts. */
export function byTarget(call: readonly Read[]): readonly (readonly Read[])[] {
  return [...Map.groupBy(call, (read) => aboutOf(read) ?? read.envelope.seq).values()]
}
