// The first words of both sides: who they are, of which workspace, and that they hold the key they say. Knows the frames
// and the roster; what follows an agreement is not its business.
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import type { ReplicaIdentity } from '../engine/replica.ts'
import type { Frame, FrameOf } from '#main/replication/wire/frames.ts'
import { protocols } from '#main/replication/wire/frames.ts'
import { isChannelProven, proveChannel } from '#main/replication/wire/proofs.ts'
import type { PeerKind, PeerRoster, SessionParts } from './types.ts'

/** Label of the keying material that AUTH signs. */
const authLabel = 'cairn-sync-auth'

/** Why two sides do not go on. */
export type GreetingRefusal =
  /** The peer belongs to another workspace. */
  | 'workspace'
  /** The workspace was rebuilt on one side: nothing is merged until a person decides. */
  | 'sync_epoch_mismatch'
  | 'protocol_unsupported'
  /** It is another device than the link was opened to, or none of the roster. */
  | 'device_unknown'
  | 'device_revoked'
  /** It does not hold the key that the roster has for it, or its certificate is another device's. */
  | 'signature_invalid'

/** What this side says first. */
export function greetingFrames(parts: SessionParts): readonly Frame[] {
  const { link, keys, replica, clock, token } = parts
  const { workspace, epoch, device, inc } = replica.identity()
  const hello: FrameOf<'HELLO'> = {
    kind: 'HELLO',
    protoMin: protocols.min,
    protoMax: protocols.max,
    ws: workspace,
    epoch,
    device,
    inc,
    time: clock.now(),
    appVersion: parts.appVersion.slice(0, 64),
    schemaRev: parts.schemaRev?.() ?? 0,
    vector: replica.vector(),
  }
  const auth = proveChannel(keys, link.secret(authLabel), link.direction === 'out' ? 'client' : 'server')
  return [hello, { ...auth, ...(token !== undefined && { token }) }]
}

/** What is wrong with the peer's HELLO; undefined when nothing is. */
export function judgeHello(
  hello: FrameOf<'HELLO'>,
  own: ReplicaIdentity,
  expected: { readonly kind: PeerKind; readonly peer: string },
): GreetingRefusal | undefined {
  if (Buffer.compare(hello.ws, own.workspace) !== 0) return 'workspace'
  if (hello.protoMin > protocols.max || hello.protoMax < protocols.min) return 'protocol_unsupported'
  if (hello.epoch !== own.epoch) return 'sync_epoch_mismatch'
  if (expected.kind === 'device' && hello.device !== expected.peer) return 'device_unknown'
  return undefined
}

/** The protocol both sides speak. */
export function commonProtocol(hello: FrameOf<'HELLO'>): number {
  return Math.min(hello.protoMax, protocols.max)
}

/** What is wrong with the proof of the device that said HELLO; undefined when nothing is. */
export function judgeAuth(
  auth: FrameOf<'AUTH'>,
  device: string,
  against: { readonly link: Pick<PeerLink, 'peer' | 'direction' | 'secret'>; readonly roster: PeerRoster },
): GreetingRefusal | undefined {
  const { link, roster } = against
  const entry = roster.find(device)
  if (entry === undefined) return 'device_unknown'
  if (entry.isRevoked) return 'device_revoked'
  const isOwnKey = Buffer.compare(entry.signKey, auth.key) === 0 && entry.fingerprint === link.peer
  const side = link.direction === 'out' ? 'server' : 'client'
  return isOwnKey && isChannelProven(auth, link.secret(authLabel), side) ? undefined : 'signature_invalid'
}
