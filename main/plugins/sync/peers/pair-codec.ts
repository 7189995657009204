// Messages of pairing as frames: PAIR1 to PAIR4, PAIRSTEP and ERR. Knows no state of a pairing.
import type { PairCodec, PairingReason, PairMessage } from '#main/replication/channel/pairing.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { KnownFrame } from '#main/replication/wire/frames.ts'
import { WireError } from '#main/replication/wire/wire-error.ts'

const reasons: ReadonlySet<string> = new Set<PairingReason>([
  'code_invalid',
  'too_many_tries',
  'used',
  'expired',
  'not_matching',
  'cancelled',
  'protocol',
  'connection',
  'payload',
])

/** What an ERR says its tries with. */
const triesDetail = /^triesLeft=(\d{1,2})$/

/** Turns messages of pairing into frames and back. @throws WireError for a frame that is none of pairing */
export const framePairCodec: PairCodec = {
  encode: (message) => encodeFrame(frameOf(message)),
  decode: (bytes) => messageOf(bytes),
}

function frameOf(message: PairMessage): KnownFrame {
  switch (message.kind) {
    case 'commit':
      return { ...message, kind: 'PAIR1' }
    case 'challenge':
      return { ...message, kind: 'PAIR2' }
    case 'reveal':
      return { ...message, kind: 'PAIR3' }
    case 'payload':
      return { ...message, kind: 'PAIR4' }
    case 'confirmed':
      return { kind: 'PAIRSTEP', step: 1 }
    case 'received':
      return { kind: 'PAIRSTEP', step: 2 }
    case 'refused':
      return {
        kind: 'ERR',
        code: message.reason,
        ...(message.triesLeft === undefined ? {} : { detail: `triesLeft=${message.triesLeft}` }),
      }
  }
}

function messageOf(bytes: Uint8Array): PairMessage {
  const frame = decodeFrame(bytes)
  switch (frame.kind) {
    case 'PAIR1':
      return { ...frame, kind: 'commit' }
    case 'PAIR2':
      return { ...frame, kind: 'challenge' }
    case 'PAIR3':
      return { ...frame, kind: 'reveal' }
    case 'PAIR4':
      return { ...frame, kind: 'payload' }
    case 'PAIRSTEP':
      return { kind: frame.step === 1 ? 'confirmed' : 'received' }
    case 'ERR': {
      const tries = triesDetail.exec(frame.detail ?? '')?.[1]
      // A newer device may name a reason this one has no word for.
      const reason = reasons.has(frame.code) ? (frame.code as PairingReason) : 'protocol'
      return { kind: 'refused', reason, ...(tries === undefined ? {} : { triesLeft: Number(tries) }) }
    }
    default:
      throw new WireError('malformed', `A frame of the kind ${frame.kind} is none of pairing.`)
  }
}
