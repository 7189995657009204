// A paired device in the hands of somebody who writes whatever they like: updates of documents as any device would make
// them, and what the host made of each. Knows the host's file, no check.
import * as Y from 'yjs'
import { createHlcClock } from '#main/replication/core/hlc.ts'
import { loadDoc } from '#main/replication/core/record-doc.ts'
import { setEntries } from '#main/replication/core/register.ts'
import { applyTextDiff, seedText } from '#main/replication/core/text-doc.ts'
import type { EnvelopeBody, Hlc, Json } from '#main/replication/core/types.ts'
import type { HostileDevice } from '../../support/hostile-device.ts'
import { pairHostileDevice } from '../../support/hostile-device.ts'
import type { RawPeer } from '../../support/raw-peer.ts'
import { until } from '../../support/synced-hosts.ts'
import type { SyncHost } from './sync-host.ts'

/** An envelope's body, or bytes in the place of one. */
export type AttackBody = (Partial<EnvelopeBody> & { readonly doc: string }) | Uint8Array

/** What lies aside of an envelope. */
export interface AttackProblem {
  readonly kind: string
  readonly reason: string
  readonly detail: string
}

/** Whose words a change pretends to be, where it does. */
export interface Disguise {
  /** Client id of the structs and incarnation of the entries; the device's own by default. */
  readonly inc?: number
  readonly hlc?: Hlc
}

/** The device. */
export interface Attacker {
  readonly device: HostileDevice
  /** The person it belongs to. */
  readonly user: string
  peer(): RawPeer
  /** Connects anew, also after the host has paused the device. */
  enter(): Promise<RawPeer>
  /** An update that writes values into a register. */
  values(doc: string, values: Readonly<Record<string, Json>>, disguise?: Disguise): Uint8Array
  /** An update that replaces a text. */
  text(doc: string, text: string, disguise?: Disguise): Uint8Array
  /** Sends envelopes in the name of the device's person unless they say another, and waits until the host has dealt with them. */
  send(bodies: readonly AttackBody[], ms?: number): Promise<void>
  problem(seq: number): AttackProblem | undefined
}

/** How often a device that was shut out is let in again for one change. */
const maxEntries = 1_000

/** Pairs a device of a person with a host. */
export async function pairAttacker(host: SyncHost, role: 'admin' | 'member', user: string): Promise<Attacker> {
  const device = await pairHostileDevice(host, role, user)
  const clock = createHlcClock({ now: () => Date.now() })
  let raw: RawPeer | undefined

  /** What is added to a document by an edit that knows all of it. */
  const update = (doc: string, { inc = device.inc }: Disguise, edit: (loaded: Y.Doc, inc: number) => void) => {
    const loaded = loadDoc(host.stateOf(doc))
    loaded.clientID = inc
    const before = Y.encodeStateVector(loaded)
    loaded.transact(() => edit(loaded, inc))
    return Y.encodeStateAsUpdate(loaded, before)
  }
  const attacker: Attacker = {
    device,
    user,
    peer() {
      if (raw === undefined) throw new Error('The device is not connected.')
      return raw
    },
    async enter() {
      raw?.link.close('done')
      await host.expect('POST', `/sync/peers/${device.device}/reconnect`)
      const peer = await device.connect()
      await until('the host greets', () => peer.of('AUTH').length > 0)
      return (raw = peer)
    },
    values: (doc, values, disguise = {}) =>
      update(doc, disguise, (loaded, inc) => setEntries(loaded, values, disguise.hlc ?? clock.tick(), inc)),
    text: (doc, text, disguise = {}) =>
      update(doc, disguise, (loaded) => void (seedText(loaded, text) || applyTextDiff(loaded, text))),
    async send(bodies, ms) {
      const named = bodies.map((body) => (body instanceof Uint8Array ? body : { author: user, ...body }))
      const frames = device.write(named)
      const seq = device.seq()
      const isApplied = (): boolean => appliedSeq(host, device.inc) >= seq
      const isShutOut = (): boolean => attacker.peer().link.ended() !== undefined
      // Whoever sends very much that is refused is paused; its owner lets it in again, and it goes on where it was.
      for (let times = 0; times < maxEntries && !isApplied(); times += 1) {
        if (isShutOut()) await attacker.enter()
        for (const frame of frames) attacker.peer().say(frame)
        await until('the host has dealt with it', () => isApplied() || isShutOut(), ms)
      }
      if (!isApplied()) throw new Error('The host shuts the device out and does not look at what it wrote.')
    },
    problem(seq) {
      const sql = 'SELECT kind, reason, detail FROM sync_problem WHERE inc = ? AND seq = ?'
      return host.all<AttackProblem>(sql, device.inc, seq)[0]
    },
  }
  await attacker.enter()
  return attacker
}

/** How far the log of an incarnation was looked at. */
export function appliedSeq(host: SyncHost, inc: number): number {
  return host.all<{ seq: number }>('SELECT applied_seq AS seq FROM sync_inc WHERE inc = ?', inc)[0]?.seq ?? 0
}
