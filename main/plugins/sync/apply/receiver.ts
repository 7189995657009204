// Takes runs of envelopes from peers: checks who signed them and that they continue the log, and stores them. What they
// mean is looked at afterwards; a known device's envelope is kept whatever it holds.
import type { Write } from '#main/kernel/database.ts'
import type { Reads } from '#main/kernel/database.ts'
import type { Head, SealedEnvelope } from '#main/replication/core/types.ts'
import type { Devices, KnownDevice } from '../engine/replica.ts'
import type { LogState } from '../engine/log-state.ts'
import type { Received } from '../engine/replica.ts'
import {
  insertEnvelope,
  insertHead,
  putIncarnation,
  readEnvelope,
  readEnvelopes,
  readHeadUpTo,
  readIncarnation,
} from '../store/log-store.ts'
import type { ChainPoint } from '#main/replication/wire/chain.ts'
import { chainStart, nextPoint, verifyHead, verifyRun } from '#main/replication/wire/chain.ts'

/** What the receiver works with. */
export interface ReceiverParts {
  readonly workspace: Uint8Array
  readonly epoch: number
  /** This machine, and the incarnation it writes under. */
  readonly own: { readonly device: string; readonly inc: number }
  readonly read: Reads
  readonly write: Write
  readonly devices: Devices
  readonly state: LogState
  /** Called once a run is stored and committed. */
  stored(): void
}

/** Makes the receiver. */
export function createReceiver(
  parts: ReceiverParts,
): (envelopes: readonly SealedEnvelope[], head: Head) => Promise<Received> {
  const { workspace, epoch, own, read, write, devices, state } = parts

  /** The device an incarnation belongs to; of a new one, whose signature the head has. */
  const writerOf = (known: string | undefined, head: Head): KnownDevice | undefined => {
    if (known !== undefined) return devices.find(known)
    return devices.all().find(({ publicKey }) => verifyHead(publicKey, workspace, head))
  }

  /** Whether this machine signed a head of the log it has, or of another one: of more, or of something else (D-232). */
  const judgeOwn = (head: Head, stored: number): 'same' | 'fork' | 'bad_signature' => {
    const publicKey = devices.find(own.device)?.publicKey
    if (publicKey === undefined || !verifyHead(publicKey, workspace, head)) return 'bad_signature'
    if (head.seq > stored) return 'fork'
    let point: ChainPoint = readHeadUpTo(read, own.inc, head.seq) ?? chainStart()
    for (const envelope of readEnvelopes(read, own.inc, point.seq + 1, head.seq - point.seq))
      point = nextPoint(point, workspace, envelope)
    return Buffer.compare(point.hash, head.hash) === 0 ? 'same' : 'fork'
  }

  return async function receive(envelopes, head): Promise<Received> {
    const { inc } = head
    const first = envelopes[0]
    const known = readIncarnation(read, inc)
    const stored = known?.storedSeq ?? 0
    const isOwn = inc === own.inc
    const verdictOfOwn = isOwn ? judgeOwn(head, stored) : 'same'
    if (verdictOfOwn === 'fork') return { ok: false, reason: 'fork' }
    if (first === undefined)
      return verdictOfOwn === 'same' ? { ok: true, stored: 0 } : { ok: false, reason: verdictOfOwn }
    if (envelopes.some((envelope) => envelope.inc !== inc || envelope.epoch !== epoch))
      return { ok: false, reason: 'invalid' }
    if (first.seq > stored + 1) return { ok: false, reason: 'gap', from: stored + 1 }
    const device = writerOf(known?.device, head)
    if (device === undefined) return { ok: false, reason: 'unknown_device' }
    // What it wrote before it was unpaired is what the others hold; of what it wrote afterwards nothing counts.
    if (device.isRevoked && head.seq > (device.seen?.[inc] ?? 0)) return { ok: false, reason: 'revoked' }
    // What is here already must be the same, or somebody wrote two logs under one number.
    for (const envelope of envelopes) {
      if (envelope.seq > stored) break
      const there = readEnvelope(read, inc, envelope.seq)
      if (there === undefined || Buffer.compare(there.body, envelope.body) !== 0)
        return { ok: false, reason: isOwn ? 'invalid' : 'fork' }
    }
    const fresh = envelopes.filter(({ seq }) => seq > stored)
    if (fresh.length === 0) {
      // Another peer has brought the same; who is told that it is here must not have to be told again.
      await onDisk(state, inc, envelopes.at(-1)!.seq)
      return { ok: true, stored: 0 }
    }
    const before = { seq: stored, hash: known?.chain ?? chainStart().hash }
    const verdict = verifyRun({ workspace, before, envelopes: fresh, head, publicKey: device.publicKey })
    if (!verdict.ok) return { ok: false, reason: verdict.fault === 'signature' ? 'bad_signature' : 'invalid' }
    const outcome = await write('sync.receive', (tx): Received | undefined => {
      const now = readIncarnation(tx, inc)
      if ((now?.storedSeq ?? 0) !== stored) return undefined
      for (const envelope of fresh) insertEnvelope(tx, envelope)
      insertHead(tx, head)
      const appliedSeq = now?.appliedSeq ?? 0
      putIncarnation(tx, {
        inc,
        device: device.device,
        storedSeq: head.seq,
        appliedSeq,
        chain: verdict.point.hash,
        headSeq: head.seq,
        headBytes: 0,
      })
      tx.afterCommit(() => state.committed(inc, head.seq, appliedSeq))
      tx.whenOnDisk(() => state.onDisk(inc, head.seq))
      return { ok: true, stored: fresh.length }
    })
    // Another peer has brought some of it meanwhile, which is perhaps not all of it and perhaps not on disk yet.
    if (outcome === undefined) return receive(envelopes, head)
    parts.stored()
    return outcome
  }
}

/** Resolves once the log of an incarnation is on disk up to a number that is committed. */
function onDisk(state: LogState, inc: number, seq: number): Promise<void> | undefined {
  const isThere = (): boolean => (state.vector().get(inc) ?? 0) >= seq
  if (isThere()) return undefined
  return new Promise((resolve) => {
    const off = state.onGrown(() => {
      if (!isThere()) return
      off()
      resolve()
    })
  })
}
