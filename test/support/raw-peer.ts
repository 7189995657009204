// A peer that says what a test wants, frame by frame, over a real link; and hears everything. Knows the wire, keeps no
// order of frames.
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { decodeFrame, encodeFrame } from '#main/replication/wire/frame-codec.ts'
import type { Frame, FrameOf, KnownFrame } from '#main/replication/wire/frames.ts'
import { protocols } from '#main/replication/wire/frames.ts'
import { proveChannel } from '#main/replication/wire/proofs.ts'
import type { MemoryReplica } from './memory-replica.ts'

/** What a machine must have to speak for itself. */
export type SpeakingMachine = Pick<MemoryReplica, 'identity' | 'vector' | 'signer'>

/** The peer. */
export interface RawPeer {
  readonly link: PeerLink
  readonly heard: readonly Frame[]
  of<K extends KnownFrame['kind']>(kind: K): Extract<KnownFrame, { readonly kind: K }>[]
  say(...frames: readonly Frame[]): void
  /** Sends bytes that need not be a frame. */
  sayBytes(bytes: Uint8Array): void
  hello(change?: Partial<FrameOf<'HELLO'>>): FrameOf<'HELLO'>
  auth(change?: Partial<FrameOf<'AUTH'>>): FrameOf<'AUTH'>
}

/** Makes a peer that holds the keys and the log of a machine. */
export function createRawPeer(link: PeerLink, replica: SpeakingMachine): RawPeer {
  const heard: Frame[] = []
  link.onMessage((message) => void heard.push(decodeFrame(new Uint8Array(message))))
  return {
    link,
    heard,
    of: <K extends KnownFrame['kind']>(kind: K) =>
      heard.filter((frame): frame is Extract<KnownFrame, { readonly kind: K }> => frame.kind === kind),
    say(...frames) {
      for (const frame of frames) link.offer(encodeFrame(frame))
    },
    sayBytes: (bytes) => void link.offer(bytes),
    hello(change) {
      const { workspace, epoch, device, inc } = replica.identity()
      return {
        kind: 'HELLO',
        protoMin: protocols.min,
        protoMax: protocols.max,
        ws: workspace,
        epoch,
        device,
        inc,
        time: Date.now(),
        appVersion: '1.0.0',
        schemaRev: 0,
        vector: replica.vector(),
        ...change,
      }
    },
    auth(change) {
      const side = link.direction === 'out' ? 'client' : 'server'
      return { ...proveChannel(replica.signer, link.secret('cairn-sync-auth'), side), ...change }
    },
  }
}
