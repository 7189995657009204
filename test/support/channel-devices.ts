// Devices with certificates of their own, and a listener of one with an open link of another. Real sockets on loopback.
import { X509Certificate } from 'node:crypto'
import { fingerprintOf } from '#main/replication/channel/fingerprint.ts'
import { dialPeer } from '#main/replication/channel/peer-dial.ts'
import type { PeerLink, LinkOptions } from '#main/replication/channel/peer-link.ts'
import { createPeerListener } from '#main/replication/channel/peer-listener.ts'
import type { ListenerOptions, PeerListener, Refusal } from '#main/replication/channel/peer-listener.ts'
import { makeChannelIdentity } from '#main/replication/channel/self-signed.ts'
import type { ChannelIdentity } from '#main/replication/channel/self-signed.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { Timers } from '#main/replication/channel/timers.ts'

/** A device as the channel knows it. */
export interface TestDevice {
  readonly identity: ChannelIdentity
  readonly fingerprint: string
}

/** A listening device, with what came to it. */
export interface ListeningDevice extends TestDevice {
  readonly listener: PeerListener
  readonly port: number
  /** Fingerprints that are admitted. */
  readonly known: Set<string>
  /** Whether strangers may come for pairing. */
  invites: boolean
  readonly links: PeerLink[]
  /** The other ends of links of {@link connectTo}. */
  readonly dialled: PeerLink[]
  readonly refusals: Refusal[]
}

/** Makes the keys of a device. */
export async function makeDevice(): Promise<TestDevice> {
  const identity = await makeChannelIdentity()
  return { identity, fingerprint: fingerprintOf(new X509Certificate(identity.certificate).raw) }
}

/** Makes a device that listens on 127.0.0.1. */
export async function listenAs(
  device: TestDevice,
  options: Partial<Pick<ListenerOptions, 'limits' | 'maxPairing' | 'link' | 'onLink'>> = {},
): Promise<ListeningDevice> {
  const known = new Set<string>()
  const links: PeerLink[] = []
  const refusals: Refusal[] = []
  const listener = createPeerListener({
    ...options,
    ...device,
    admit: (fingerprint) => (known.has(fingerprint) ? 'known' : found.invites ? 'pairing' : 'unknown'),
    onLink(link) {
      links.push(link)
      options.onLink?.(link)
    },
    onRefused: (refusal) => void refusals.push(refusal),
  })
  const port = await listener.listen(['127.0.0.1'], 0)
  const found: ListeningDevice = { ...device, listener, port, known, invites: false, links, dialled: [], refusals }
  return found
}

/** Opens a link of `from` to a listening device that knows it; both ends. */
export async function connectTo(
  to: ListeningDevice,
  from: TestDevice,
  options: { readonly port?: number; readonly link?: LinkOptions } = {},
): Promise<{ readonly near: PeerLink; readonly far: PeerLink }> {
  to.known.add(from.fingerprint)
  const before = to.links.length
  const near = await dialPeer(
    { host: '127.0.0.1', port: options.port ?? to.port },
    { identity: from.identity, peer: to.fingerprint, purpose: 'peer', link: options.link ?? {} },
  )
  to.dialled.push(near)
  while (to.links.length === before) await new Promise((resolve) => setTimeout(resolve, 1))
  return { near, far: to.links[before]! }
}

/** Ends a device with its links from both ends, so that nobody waits for an answer of a side that does not read. */
export async function closeDevice({ listener, dialled }: ListeningDevice): Promise<void> {
  for (const near of dialled) near.close()
  await listener.close()
}

/** Timers by which everything is due `factor` times as soon, and as much time has gone by. */
export function createHurriedTimers(factor: number): Timers {
  return {
    now: () => systemTimers.now() * factor,
    after: (ms, run) => systemTimers.after(ms / factor, run),
  }
}
