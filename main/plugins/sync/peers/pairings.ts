// The pairings of this machine, those it invites to and the one it joins, as the API shows them. Knows links and the
// exchange, not what is handed over.
import type { z } from 'zod'
import type { SyncPairing } from '#shared/contracts/sync-parts.ts'
import type { Clock } from '#main/kernel/clock.ts'
import type { DeviceKeys } from '#main/replication/channel/device-keys.ts'
import { pairChannel } from '#main/replication/channel/pairing.ts'
import type { PairedPeer } from '#main/replication/channel/pairing.ts'
import type { Invite, InviteOptions } from '#main/replication/channel/pairing-invite.ts'
import { createInvite } from '#main/replication/channel/pairing-invite.ts'
import type { Joining, JoinOptions } from '#main/replication/channel/pairing-join.ts'
import { joinPairing } from '#main/replication/channel/pairing-join.ts'
import type { MailboxPlace } from '#main/replication/channel/mailbox.ts'
import { MailboxRefused, visitMailbox } from '#main/replication/channel/mailbox.ts'
import type { DialReason, PeerAddress } from '#main/replication/channel/peer-dial.ts'
import { DialError, dialPeer } from '#main/replication/channel/peer-dial.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { syncError } from '../errors.ts'
import { pairCodec } from './pair-codec.ts'

/** A pairing as it is answered. */
export type PairingAnswer = z.output<typeof SyncPairing>

/** What pairings work with. */
export interface PairingParts {
  readonly clock: Clock
  newId(): string
  changed(id: string, answer: PairingAnswer): void
  /** How far a machine that joined is with what the workspace holds; undefined once it has all of it. */
  catchUp(): { readonly done: number; readonly total: number } | undefined
}

/** What an invite is made with; `closed` hears when it is for nobody any more, or for the one who is there. */
export type InviteWish = Required<Pick<InviteOptions, 'card' | 'makePayload' | 'takeReply'>> & { closed(): void }

/** What a join is made with. */
export interface JoinWish extends Pick<JoinOptions, 'code'>, Required<Pick<JoinOptions, 'makeReply'>> {
  readonly keys: DeviceKeys
  readonly name: string
  /** Tried in this order. */
  readonly addresses: readonly PeerAddress[]
  /** Tried when none of them answers. */
  readonly mailbox: MailboxPlace | undefined
  /** Of the inviting machine, from a link; null takes whoever answers, which the comparison then proves. */
  readonly fingerprint: string | null
  /**
   * Takes what is handed over.
   * @param address where the inviting machine was reached; undefined through a mailbox
   * @throws JoinRefused
   */
  takePayload(payload: Uint8Array, peer: PairedPeer, address: PeerAddress | undefined): Promise<void>
}

/** Why what was handed over cannot be taken. */
export class JoinRefused extends Error {
  readonly reason: string

  constructor(reason: string) {
    super(`The workspace cannot be joined: ${reason}.`)
    this.name = 'JoinRefused'
    this.reason = reason
  }
}

interface Entry {
  readonly id: string
  readonly side: Invite | Joining
  readonly invite: Invite | undefined
  /** What is joined by. */
  readonly code?: string
  /** A reason of our own in place of the exchange's. */
  refused?: string
  endedAt?: number
  told?: string
  hasAll?: boolean
}

/** How long a pairing can still be looked at. */
const keptMs = 60 * 60_000

/** How long addresses are tried where there is a mailbox as well: one of them, and all. */
const addressMs = 3_000
const addressesMs = 12_000
const ended: ReadonlySet<string> = new Set(['done', 'failed', 'expired'])

/** Makes the pairings of a machine. */
export function createPairings(parts: PairingParts) {
  const { clock } = parts
  const entries = new Map<string, Entry>()
  /** Codes of the joins that look for the other machine. */
  const dialled = new Set<string>()

  function answerOf(entry: Entry): PairingAnswer {
    const view = entry.side.view()
    const reason = entry.refused ?? view.reason
    const progress = entry.invite === undefined && view.state === 'done' ? progressOf(entry) : undefined
    return {
      pairingId: entry.id,
      side: view.side,
      // The exchange is over, the workspace is still on its way.
      state: progress === undefined ? view.state : 'transferring',
      expiresAt: new Date(view.expiresAt).toISOString(),
      ...(view.comparison === undefined ? {} : { comparison: view.comparison }),
      ...(view.peer === undefined ? {} : { peer: { name: view.peer.name, fingerprint: view.peer.fingerprint } }),
      ...(progress === undefined ? {} : { progress }),
      ...(reason === undefined ? {} : { reason }),
      ...(view.triesLeft === undefined ? {} : { triesLeft: view.triesLeft }),
    }
  }

  function progressOf(entry: Entry): { done: number; total: number } | undefined {
    if (entry.hasAll === true) return undefined
    const progress = parts.catchUp()
    // What comes later is the daily business of a member.
    if (progress === undefined) entry.hasAll = true
    return progress
  }

  function tell(entry: Entry): void {
    const answer = answerOf(entry)
    if (ended.has(answer.state)) entry.endedAt ??= clock.now()
    const text = JSON.stringify(answer)
    if (text === entry.told) return
    entry.told = text
    parts.changed(entry.id, answer)
  }

  function find(id: string): Entry {
    const entry = entries.get(id)
    if (entry === undefined) throw syncError('pairing_not_found')
    return entry
  }

  function add(entry: Entry): void {
    for (const [id, { endedAt }] of entries)
      if (endedAt !== undefined && clock.now() - endedAt >= keptMs) entries.delete(id)
    entries.set(entry.id, entry)
  }

  async function dial(wish: JoinWish): Promise<{ link: PeerLink; address: PeerAddress | undefined }> {
    const { mailbox, fingerprint: peer } = wish
    const identity = wish.keys.channel
    const patience = mailbox === undefined ? {} : { timeoutMs: addressMs }
    const until = performance.now() + addressesMs
    let reason: DialReason = 'unreachable'
    let isOver = false
    for (const address of wish.addresses) {
      if (mailbox !== undefined && performance.now() > until) break
      try {
        return { link: await dialPeer(address, { identity, peer, purpose: 'pairing', ...patience }), address }
      } catch (error) {
        reason = reasonOf(error)
        isOver ||= isWithoutInvite(error, wish.keys)
      }
    }
    try {
      if (mailbox !== undefined) return { link: await visitMailbox(mailbox, { identity, peer }), address: undefined }
    } catch (error) {
      reason = reasonOf(error)
      isOver ||= error instanceof MailboxRefused && error.code === 'unknown'
    }
    throw isOver ? syncError('pairing_expired', { reason: 'used' }) : syncError('pairing_refused', { reason })
  }

  return {
    /** Makes an invite; one that still waits ends. */
    invite({ card, makePayload, takeReply, closed }: InviteWish) {
      for (const { invite } of entries.values()) if (invite?.isOpen() === true) invite.cancel()
      const id = parts.newId()
      const changed = (): void => {
        if (!invite.isOpen()) closed()
        tellIfKnown(id)
      }
      const invite = createInvite({ card, clock, makePayload, takeReply, changed })
      add({ id, side: invite, invite })
      return { ...answerOf(find(id)), code: invite.code }
    },
    requireNew,
    /**
     * Connects and shows the code; resolves once there is something to compare. A join by another code ends.
     * @throws pairing_code_invalid, pairing_expired, pairing_refused
     */
    async join(wish: JoinWish): Promise<PairingAnswer> {
      requireNew(wish.code)
      for (const { side, invite } of entries.values()) if (invite === undefined) side.cancel()
      dialled.add(wish.code)
      const { link, address } = await dial(wish).finally(() => dialled.delete(wish.code))
      const id = parts.newId()
      let moved = (): void => undefined
      const joining = joinPairing({
        code: wish.code,
        channel: pairChannel(link, pairCodec),
        card: { name: wish.name, signKey: wish.keys.signKey },
        clock,
        async takePayload(payload, peer) {
          try {
            await wish.takePayload(payload, peer, address)
          } catch (error) {
            find(id).refused = error instanceof JoinRefused ? error.reason : 'payload'
            throw error
          }
        },
        makeReply: wish.makeReply,
        changed() {
          moved()
          tellIfKnown(id)
        },
      })
      add({ id, side: joining, invite: undefined, code: wish.code })
      if (joining.view().state === 'waiting') await new Promise<void>((resolve) => (moved = resolve))
      const { state, reason, triesLeft } = joining.view()
      if (state === 'comparing') return answerOf(find(id))
      entries.delete(id)
      if (reason === 'code_invalid' || reason === 'too_many_tries')
        throw syncError('pairing_code_invalid', { triesLeft: triesLeft ?? 0 })
      if (reason === 'expired' || reason === 'used') throw syncError('pairing_expired', { reason })
      throw syncError('pairing_refused', { reason: reason ?? 'connection' })
    },
    /** @throws pairing_not_found */
    get: (id: string) => answerOf(find(id)),
    /** @throws pairing_not_found, pairing_expired, pairing_refused when there is nothing to compare yet */
    confirm(id: string, matches: boolean) {
      const entry = find(id)
      if (!entry.side.confirm(matches)) {
        const { state, reason } = entry.side.view()
        if (ended.has(state)) throw syncError('pairing_expired', { state, reason: entry.refused ?? reason })
        if (state === 'waiting') throw syncError('pairing_refused', { reason: 'not_comparing' })
      }
      return answerOf(entry)
    },
    /** @throws pairing_not_found */
    cancel(id: string) {
      const entry = find(id)
      entry.side.cancel()
      return answerOf(entry)
    },
    /** Whether a stranger's connection may be for an invite. */
    mayVisit: () => [...entries.values()].some(({ invite }) => invite?.isOpen() === true),
    visit(link: PeerLink) {
      const invites = [...entries.values()].flatMap(({ invite }) => invite ?? [])
      // It may have ended while the visitor came: then the visitor is told.
      const invite = invites.find((one) => one.isOpen()) ?? invites.at(-1)
      if (invite === undefined) link.close('done')
      else invite.accept(pairChannel(link, pairCodec))
    },
    /** Tells how far those are that take over what the workspace holds. */
    look() {
      for (const entry of entries.values()) if (entry.endedAt === undefined) tell(entry)
    },
    /** Ends all of them. */
    stop() {
      for (const { side } of entries.values()) side.cancel()
    },
  }

  /** @throws pairing_refused while this machine joins by that code already: a code is good for one try at a time */
  function requireNew(code: string): void {
    const isUnderWay = [...entries.values()].some((one) => one.code === code && !ended.has(one.side.view().state))
    if (isUnderWay || dialled.has(code)) throw syncError('pairing_refused', { reason: 'under_way' })
  }

  function tellIfKnown(id: string): void {
    const entry = entries.get(id)
    if (entry !== undefined) tell(entry)
  }
}

/**
 * Whether a machine at an address takes no visitor: it hangs up on strangers while no invite of it is open, and says
 * no more to them. So does this machine when it is called by itself.
 */
function isWithoutInvite(error: unknown, { fingerprint }: DeviceKeys): boolean {
  return error instanceof DialError && error.isHangUp && error.fingerprint !== fingerprint
}

/** @throws what is not about a connection */
function reasonOf(error: unknown): DialReason {
  if (!(error instanceof DialError)) throw error
  return error.reason
}
