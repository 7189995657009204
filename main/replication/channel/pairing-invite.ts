// The side that invites: one code, three tries, one device. Everything that arrives is judged here before it changes
// anything. Knows no socket and not what the payload means.
import { randomBytes } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import { answerMs, isBytes32, isCard, pairingMs, transferMs } from './pairing.ts'
import type {
  PairCard,
  PairChannel,
  PairedPeer,
  PairingReason,
  PairingState,
  PairingView,
  PairMessage,
} from './pairing.ts'
import { commitmentOf, comparisonOf, isSameDigest, makeCode, proofOf } from './pairing-proofs.ts'
import { systemTimers } from './timers.ts'
import type { Timers } from './timers.ts'

/** What an invite works with. */
export interface InviteOptions {
  /** How this device introduces itself. */
  readonly card: PairCard
  readonly clock: Clock
  readonly timers?: Timers
  /**
   * Makes what the new device gets, once both people have confirmed and not before: the place to write and sign its
   * roster entry. Its failure fails the pairing.
   */
  makePayload(peer: PairedPeer): Promise<Uint8Array>
  /** Takes what the new device says of itself once it has what it was handed; it may say nothing. */
  takeReply?(reply: Uint8Array, peer: PairedPeer): void
  changed?(view: PairingView): void
}

/** An invite for one device. */
export interface Invite {
  /** Seven digits, for the person at the other device. */
  readonly code: string
  view(): PairingView
  /** Whether a stranger's connection may still be for this invite. */
  isOpen(): boolean
  /** Takes the connection of a stranger. */
  accept(channel: PairChannel): void
  /**
   * Says whether the person at this device sees the same number on both.
   * @returns false: there was nothing to confirm
   */
  confirm(matches: boolean): boolean
  cancel(): void
}

/** Wrong codes an invite forgives before it ends. */
const tries = 3

const settled: ReadonlySet<PairingState> = new Set(['done', 'failed', 'expired'])

/** Makes an invite; its five minutes begin now. */
export function createInvite(options: InviteOptions): Invite {
  const { clock, timers = systemTimers } = options
  const code = makeCode()
  const nonce = new Uint8Array(randomBytes(32))
  const visitors = new Set<PairChannel>()
  let state: PairingState = 'waiting'
  let reason: PairingReason | undefined
  let triesLeft = tries
  let chosen: PairChannel | undefined
  let peer: PairedPeer | undefined
  let comparison: string | undefined
  let isOtherSure = false
  let hasReply = false
  let expiresAt = 0
  let stopClock = (): void => undefined
  expireIn(pairingMs)

  function expireIn(ms: number): void {
    stopClock()
    expiresAt = clock.now() + ms
    stopClock = timers.after(ms, () => end('expired', 'expired'))
  }

  const view = (): PairingView => ({
    side: 'inviter',
    state,
    expiresAt,
    triesLeft,
    ...(comparison === undefined ? {} : { comparison }),
    ...(peer === undefined ? {} : { peer }),
    ...(reason === undefined ? {} : { reason }),
  })

  function become(next: PairingState): void {
    state = next
    options.changed?.(view())
  }

  function end(next: 'done' | 'failed' | 'expired', why?: PairingReason): void {
    if (settled.has(state)) return
    stopClock()
    reason = why
    become(next)
    const left = [...visitors]
    visitors.clear()
    for (const channel of left) {
      if (why !== undefined) channel.send({ kind: 'refused', reason: why })
      channel.close()
    }
  }

  function sendAway(channel: PairChannel, why: PairingReason, forgiven?: number): void {
    visitors.delete(channel)
    channel.send({ kind: 'refused', reason: why, ...(forgiven === undefined ? {} : { triesLeft: forgiven }) })
    channel.close()
  }

  /** Timers stand still while a machine sleeps; the code does not outlive its time by that. */
  function expireWhenLate(): void {
    if ((state === 'waiting' || state === 'comparing') && clock.now() >= expiresAt) end('expired', 'expired')
  }

  function accept(channel: PairChannel): void {
    expireWhenLate()
    if (!isOpen()) {
      sendAway(channel, state === 'expired' ? 'expired' : 'used')
      return
    }
    visitors.add(channel)
    let commitment: Uint8Array | undefined
    let stopWaiting = timers.after(answerMs, () => giveUp('protocol'))
    channel.onClose(() => {
      stopWaiting()
      visitors.delete(channel)
      if (channel === chosen) end('failed', 'connection')
    })
    channel.onMessage((message) => {
      expireWhenLate()
      if (!visitors.has(channel)) return
      if (message.kind === 'refused') leave(message.reason)
      else if (message.kind === 'commit' && commitment === undefined) committed(message)
      else if (message.kind === 'reveal' && commitment !== undefined && state === 'waiting') revealed(message.nonce)
      else if (message.kind === 'confirmed' && comparison !== undefined && !isOtherSure) otherIsSure()
      else if (message.kind === 'payload' && state === 'transferring' && !hasReply) {
        hasReply = true
        options.takeReply?.(message.payload, peer!)
      } else if (message.kind === 'received' && state === 'transferring') end('done')
      else giveUp('protocol')
    })

    function giveUp(why: PairingReason): void {
      stopWaiting()
      if (channel === chosen) end('failed', why)
      else sendAway(channel, why)
    }

    function leave(why: PairingReason): void {
      stopWaiting()
      if (channel === chosen) end('failed', why)
      visitors.delete(channel)
      channel.close()
    }

    function committed(message: PairMessage & { kind: 'commit' }): void {
      const { card, proof } = message
      if (!isCard(card) || !isBytes32(message.commitment) || !isBytes32(proof)) giveUp('protocol')
      else if (chosen !== undefined) giveUp('used')
      else if (!isSameDigest(proof, proofOf(channel.secret, code))) wrongCode()
      else {
        // From here on the code is spent, whatever becomes of it.
        chosen = channel
        commitment = message.commitment
        peer = { ...card, fingerprint: channel.peer }
        stopWaiting()
        stopWaiting = timers.after(answerMs, () => giveUp('protocol'))
        channel.send({ kind: 'challenge', card: options.card, nonce })
      }
    }

    function wrongCode(): void {
      stopWaiting()
      triesLeft -= 1
      sendAway(channel, 'code_invalid', triesLeft)
      if (triesLeft === 0) end('failed', 'too_many_tries')
      else options.changed?.(view())
    }

    function revealed(joinerNonce: Uint8Array): void {
      if (!isBytes32(joinerNonce) || !isSameDigest(commitmentOf(joinerNonce), commitment!)) {
        giveUp('protocol')
        return
      }
      stopWaiting()
      comparison = comparisonOf(channel.secret, nonce, joinerNonce)
      expireIn(pairingMs)
      for (const other of visitors) if (other !== channel) sendAway(other, 'used')
      become('comparing')
    }
  }

  function otherIsSure(): void {
    isOtherSure = true
    if (state === 'confirmed') void transfer()
  }

  async function transfer(): Promise<void> {
    stopClock()
    become('transferring')
    stopClock = timers.after(transferMs, () => end('failed', 'payload'))
    try {
      const payload = await options.makePayload(peer!)
      if (state === 'transferring') chosen!.send({ kind: 'payload', payload })
    } catch {
      // Whoever makes the payload reports its own errors.
      end('failed', 'payload')
    }
  }

  function isOpen(): boolean {
    return state === 'waiting' && chosen === undefined
  }

  return {
    code,
    view,
    isOpen,
    accept,
    confirm(matches) {
      expireWhenLate()
      if (state !== 'comparing') return false
      if (!matches) end('failed', 'not_matching')
      else {
        become('confirmed')
        if (isOtherSure) void transfer()
      }
      return true
    },
    cancel: () => end('failed', 'cancelled'),
  }
}
