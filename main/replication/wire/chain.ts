// The hash chain of an incarnation's log: one signed head vouches for every envelope before it, whoever passed them on.
// Knows the header of an envelope, nothing of its body, no database.
import type { KeyObject } from 'node:crypto'
import { createHash } from 'node:crypto'
import type { Head, SealedEnvelope } from '../core/types.ts'
import { numberBytes, signMessage, verifyMessage } from './device-key.ts'
import type { Signer } from './device-key.ts'
import { chainedHeader } from './envelope-codec.ts'
import { hashBytes, runLimitBytes, runLimitCount } from './limits.ts'

/** How far a chain is known: the hash after the envelope `seq`. */
export interface ChainPoint {
  readonly seq: number
  readonly hash: Uint8Array
}

/** Where the log of every incarnation starts. Each call gives bytes of its own. */
export function chainStart(): ChainPoint {
  return { seq: 0, hash: new Uint8Array(hashBytes) }
}

/** The hash after an envelope: `SHA-256(hash before ‖ header ‖ body)`, where the header names the workspace. */
export function nextHash(before: Uint8Array, workspace: Uint8Array, envelope: SealedEnvelope): Uint8Array {
  const hash = createHash('sha256').update(before).update(chainedHeader(workspace, envelope)).update(envelope.body)
  return new Uint8Array(hash.digest())
}

/** The chain point after an envelope. */
export function nextPoint(before: ChainPoint, workspace: Uint8Array, envelope: SealedEnvelope): ChainPoint {
  return { seq: envelope.seq, hash: nextHash(before.hash, workspace, envelope) }
}

/** Signs where a chain stands. */
export function signHead(signer: Signer, workspace: Uint8Array, inc: number, point: ChainPoint): Head {
  const { seq, hash } = point
  return { inc, seq, hash, sig: signMessage(signer, 'head', headParts(workspace, { inc, seq, hash })) }
}

/** Whether a head was signed by the owner of a key, for this workspace. */
export function verifyHead(publicKey: KeyObject, workspace: Uint8Array, head: Head): boolean {
  return verifyMessage(publicKey, 'head', headParts(workspace, head), head.sig)
}

/** Why a run of envelopes is not what a head vouches for. */
export type RunFault =
  /** An envelope is of another incarnation than the head. */
  | 'foreign'
  /** A sequence number is missing or comes twice, or the run does not end at the head. */
  | 'gap'
  /** The envelopes are not the ones that were signed, or what came before them is not. */
  | 'hash'
  /** The head is not signed by the key. */
  | 'signature'

/** What a check of a run found: the chain point at its end, or what is wrong. */
export type RunVerdict = { readonly ok: true; readonly point: ChainPoint } | { readonly ok: false; fault: RunFault }

/** A run of envelopes and what it is checked against. */
export interface Run {
  readonly workspace: Uint8Array
  /** Where the chain of this incarnation is known to stand before the run. */
  readonly before: ChainPoint
  readonly envelopes: readonly SealedEnvelope[]
  readonly head: Head
  /** Key of the device that the incarnation belongs to. */
  readonly publicKey: KeyObject
}

/** Checks that a run continues the chain without a gap and ends in a head with the right hash and signature. */
export function verifyRun({ workspace, before, envelopes, head, publicKey }: Run): RunVerdict {
  // The signature first: what is not signed by a known device is not worth hashing.
  if (!verifyHead(publicKey, workspace, head)) return { ok: false, fault: 'signature' }
  let point = before
  for (const envelope of envelopes) {
    if (envelope.inc !== head.inc) return { ok: false, fault: 'foreign' }
    if (envelope.seq !== point.seq + 1) return { ok: false, fault: 'gap' }
    point = nextPoint(point, workspace, envelope)
  }
  if (point.seq !== head.seq) return { ok: false, fault: 'gap' }
  return Buffer.compare(point.hash, head.hash) === 0 ? { ok: true, point } : { ok: false, fault: 'hash' }
}

/** What was appended since the last head. */
export interface SinceHead {
  readonly count: number
  readonly bytes: number
}

/** Nothing appended since the last head. */
export const sinceHeadZero: SinceHead = { count: 0, bytes: 0 }

/**
 * Whether a head must be signed before an envelope of `nextBytes` is appended, within a group commit too.
 * A run then never has more than 512 KiB, save one larger envelope that stands alone: it fits into the send window.
 */
export function headDueBefore(since: SinceHead, nextBytes: number): boolean {
  return since.count >= runLimitCount || (since.count > 0 && since.bytes + nextBytes > runLimitBytes)
}

function headParts(workspace: Uint8Array, head: Omit<Head, 'sig'>): Uint8Array[] {
  return [workspace, numberBytes(head.inc), numberBytes(head.seq), head.hash]
}
