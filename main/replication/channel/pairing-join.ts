// The side that joins: types the code, compares, and takes what the workspace hands over. Knows no socket and not what
// the payload means.
import { randomBytes } from 'node:crypto'
import type { Clock } from '#main/kernel/clock.ts'
import { answerMs, isBytes32, isCard, pairingMs } from './pairing.ts'
import type {
  PairCard,
  PairChannel,
  PairedPeer,
  PairingReason,
  PairingState,
  PairingView,
  PairMessage,
} from './pairing.ts'
import { commitmentOf, comparisonOf, proofOf } from './pairing-proofs.ts'
import { systemTimers } from './timers.ts'
import type { Timers } from './timers.ts'

/** What a joining side works with. */
export interface JoinOptions {
  /** Seven digits; see `parseCode`. */
  readonly code: string
  /** An open connection to the inviting device. */
  readonly channel: PairChannel
  /** How this device introduces itself. */
  readonly card: PairCard
  readonly clock: Clock
  readonly timers?: Timers
  /** Takes what the workspace hands over; returns when it is durable. Its failure fails the pairing. */
  takePayload(payload: Uint8Array, peer: PairedPeer): Promise<void>
  /** What this device says of itself once it has what it was handed. */
  makeReply?(): Uint8Array | undefined
  changed?(view: PairingView): void
}

/** One try to join. */
export interface Joining {
  view(): PairingView
  /**
   * Says whether the person at this device sees the same number on both.
   * @returns false: there was nothing to confirm
   */
  confirm(matches: boolean): boolean
  cancel(): void
}

const settled: ReadonlySet<PairingState> = new Set(['done', 'failed', 'expired'])

/** Begins to join; a wrong code ends it, and the next try takes another connection. */
export function joinPairing(options: JoinOptions): Joining {
  const { channel, clock, timers = systemTimers } = options
  const nonce = new Uint8Array(randomBytes(32))
  let state: PairingState = 'waiting'
  let reason: PairingReason | undefined
  let triesLeft: number | undefined
  let peer: PairedPeer | undefined
  let comparison: string | undefined
  let expiresAt = clock.now() + pairingMs
  let stopWaiting = timers.after(answerMs, () => fail('connection'))

  const view = (): PairingView => ({
    side: 'joiner',
    state,
    expiresAt,
    ...(comparison === undefined ? {} : { comparison }),
    ...(peer === undefined ? {} : { peer }),
    ...(reason === undefined ? {} : { reason }),
    ...(triesLeft === undefined ? {} : { triesLeft }),
  })

  function become(next: PairingState): void {
    state = next
    options.changed?.(view())
  }

  function end(next: 'done' | 'failed' | 'expired', why?: PairingReason): void {
    if (settled.has(state)) return
    stopWaiting()
    reason = why
    become(next)
    channel.close()
  }

  /** Ends it and tells the other side. */
  function fail(why: PairingReason): void {
    if (settled.has(state)) return
    channel.send({ kind: 'refused', reason: why })
    end(why === 'expired' ? 'expired' : 'failed', why)
  }

  function challenged(message: PairMessage & { kind: 'challenge' }): void {
    if (!isCard(message.card) || !isBytes32(message.nonce)) {
      fail('protocol')
      return
    }
    stopWaiting()
    stopWaiting = timers.after(pairingMs, () => fail('expired'))
    expiresAt = clock.now() + pairingMs
    peer = { ...message.card, fingerprint: channel.peer }
    comparison = comparisonOf(channel.secret, message.nonce, nonce)
    channel.send({ kind: 'reveal', nonce })
    become('comparing')
  }

  async function take(payload: Uint8Array): Promise<void> {
    stopWaiting()
    become('transferring')
    try {
      await options.takePayload(payload, peer!)
    } catch {
      // Whoever takes the payload reports its own errors.
      fail('payload')
      return
    }
    if (settled.has(state)) return
    const reply = options.makeReply?.()
    if (reply !== undefined) channel.send({ kind: 'payload', payload: reply })
    channel.send({ kind: 'received' })
    end('done')
  }

  channel.onClose(() => {
    // What was handed over is here by then, and taking it decides.
    if (state !== 'transferring') end('failed', 'connection')
  })
  channel.onMessage((message) => {
    if (settled.has(state)) return
    if (message.kind === 'refused') {
      triesLeft = message.triesLeft
      end(message.reason === 'expired' ? 'expired' : 'failed', message.reason)
    } else if (message.kind === 'challenge' && state === 'waiting') challenged(message)
    // Before the person here has confirmed, nothing the other side hands over is taken.
    else if (message.kind === 'payload' && state === 'confirmed') void take(message.payload)
    else fail('protocol')
  })
  channel.send({
    kind: 'commit',
    card: options.card,
    commitment: commitmentOf(nonce),
    proof: proofOf(channel.secret, options.code),
  })

  return {
    view,
    confirm(matches) {
      if (state !== 'comparing') return false
      if (!matches) fail('not_matching')
      else {
        become('confirmed')
        channel.send({ kind: 'confirmed' })
      }
      return true
    },
    cancel: () => fail('cancelled'),
  }
}
