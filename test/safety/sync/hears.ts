// Whether a text came over a link, in whatever frame. Knows the kinds of frames that carry documents.
import type { RawPeer } from '../../support/raw-peer.ts'

/** Looks through everything that was heard. */
export function hears({ heard }: Pick<RawPeer, 'heard'>, text: string): boolean {
  const holds = (bytes: Uint8Array): boolean => Buffer.from(bytes).includes(text)
  return heard.some((frame) => {
    if (frame.kind === 'ENV') return frame.envelopes.some(({ body }) => holds(body))
    if (frame.kind === 'LIVE' || frame.kind === 'AWARE') return holds(frame.update)
    return 'bytes' in frame && holds(frame.bytes)
  })
}
