// Lays the envelopes of one incarnation into frames: as full as they may be, cut where a head stands, the large ones in
// pieces. Knows nothing of what envelopes hold.
import type { Head, SealedEnvelope } from '../core/types.ts'
import { encodeEnvelope, envelopeSize } from './envelope-codec.ts'
import type { FrameOf } from './frames.ts'
import { frameLimit, runLimitCount } from './limits.ts'
import { cutPieces } from './pieces.ts'

/** Bytes of envelopes in one frame: the rest is for the head and the lengths. */
export const packedBytes = frameLimit - 1024

/** Bytes that say how long an envelope is. */
const lengthBytes = 3

/**
 * The frames that carry a run. Heads that a frame need not end with are left out: the next one vouches for the same
 * envelopes. No more than 256 envelopes go without a head where there is one among them.
 * @param envelopes of one incarnation, by rising sequence number without a gap; the last one has its head in `heads`
 */
export function packRun(
  envelopes: readonly SealedEnvelope[],
  heads: Iterable<Head>,
): readonly FrameOf<'ENV' | 'ENVPART'>[] {
  const bySequence = new Map([...heads].map((head) => [head.seq, head]))
  const frames: FrameOf<'ENV' | 'ENVPART'>[] = []
  let open: SealedEnvelope[] = []
  let openBytes = 0
  /** Sends what is open up to its last head, or all of it where it has none. */
  const close = (): void => {
    const last = open.findLastIndex(({ seq }) => bySequence.has(seq))
    const end = last === -1 ? open.length : last + 1
    const sent = open.slice(0, end)
    const head = bySequence.get(sent.at(-1)?.seq ?? 0)
    if (sent.length > 0) frames.push({ kind: 'ENV', envelopes: sent, ...(head && { head }) })
    open = open.slice(end)
    openBytes = open.reduce((sum, envelope) => sum + envelopeSize(envelope) + lengthBytes, 0)
  }
  const closeAll = (): void => {
    while (open.length > 0) close()
  }

  for (const envelope of envelopes) {
    const size = envelopeSize(envelope) + lengthBytes
    if (size > packedBytes) {
      closeAll()
      for (const piece of cutPieces(encodeEnvelope(envelope))) frames.push({ kind: 'ENVPART', ...piece })
      const head = bySequence.get(envelope.seq)
      if (head) frames.push({ kind: 'ENV', envelopes: [], head })
      continue
    }
    while (open.length > 0 && (openBytes + size > packedBytes || open.length >= runLimitCount)) close()
    open.push(envelope)
    openBytes += size
  }
  closeAll()
  return frames
}
