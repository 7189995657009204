// What devices prove with their key besides heads: that they are at this end of this connection, and whom a relay shall
// admit. Knows the messages, no list of who is admitted.
import type { KeyObject } from 'node:crypto'
import { numberBytes, publicKeyOf, signMessage, verifyMessage } from './device-key.ts'
import type { Signer } from './device-key.ts'
import type { FrameOf } from './frames.ts'
import { hashBytes } from './limits.ts'
import { WireError } from './wire-error.ts'

/** The end of a connection that a device is at: without it a peer could send the other one's proof back to it. */
export type ChannelSide = 'client' | 'server'

/**
 * Proves a key for one connection.
 * @param channelHash 32 bytes that only the two ends of this connection know, such as exported keying material
 */
export function proveChannel(signer: Signer, channelHash: Uint8Array, side: ChannelSide): FrameOf<'AUTH'> {
  const sig = signMessage(signer, 'auth', channelParts(channelHash, side))
  return { kind: 'AUTH', key: signer.signKey, sig }
}

/** Whether an AUTH proves its key for this connection, sent from that side of it. */
export function isChannelProven(frame: FrameOf<'AUTH'>, channelHash: Uint8Array, side: ChannelSide): boolean {
  const key = keyOrNothing(frame.key)
  return key !== undefined && verifyMessage(key, 'auth', channelParts(channelHash, side), frame.sig)
}

/** A word about whom a relay lets in. */
export type AdmissionWord = 'GRANT' | 'REVOKE' | 'NARROW'

const purposes = { GRANT: 'grant', REVOKE: 'revoke', NARROW: 'narrow' } as const

/** Says that a relay shall admit a device of a workspace, or close it out, or why it does. */
export function sayAdmission<K extends AdmissionWord>(
  kind: K,
  word: {
    readonly signer: Signer
    readonly workspace: Uint8Array
    readonly key: Uint8Array
    readonly at: number
  },
): Omit<FrameOf<AdmissionWord>, 'kind'> & { readonly kind: K } {
  const { signer, workspace, key, at } = word
  const sig = signMessage(signer, purposes[kind], [workspace, key, numberBytes(at)])
  return { kind, key, by: signer.signKey, at, sig }
}

/** Whether a word was said by the device it names, for this workspace. */
export function isAdmissionSaid(workspace: Uint8Array, word: FrameOf<AdmissionWord>): boolean {
  const by = keyOrNothing(word.by)
  return (
    by !== undefined && verifyMessage(by, purposes[word.kind], [workspace, word.key, numberBytes(word.at)], word.sig)
  )
}

function channelParts(channelHash: Uint8Array, side: ChannelSide): Uint8Array[] {
  if (channelHash.length !== hashBytes)
    throw new WireError('malformed', `The hash of a channel has ${channelHash.length} bytes.`)
  return [channelHash, Buffer.from(side)]
}

function keyOrNothing(raw: Uint8Array): KeyObject | undefined {
  try {
    return publicKeyOf(raw)
  } catch {
    return undefined
  }
}
