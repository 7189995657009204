// Machines that hold a log in memory and talk over the real channel: TLS on loopback, one session at each end.
import { createLogger } from '#main/kernel/logger.ts'
import { createPeerSession } from '#main/plugins/sync/session/peer-session.ts'
import type { PeerSession } from '#main/plugins/sync/session/peer-session.ts'
import type { SessionHooks, SessionParts } from '#main/plugins/sync/session/types.ts'
import type { PeerLink } from '#main/replication/channel/peer-link.ts'
import { systemTimers } from '#main/replication/channel/timers.ts'
import type { Timers } from '#main/replication/channel/timers.ts'
import { connectTo, listenAs, makeDevice } from './channel-devices.ts'
import type { ListeningDevice } from './channel-devices.ts'
import { createMemoryReplica } from './memory-replica.ts'
import type { MemoryReplica, TestWorkspace } from './memory-replica.ts'
import { createRawPeer } from './raw-peer.ts'
import type { RawPeer } from './raw-peer.ts'

/** A machine of a test. */
export interface TestMachine {
  readonly replica: MemoryReplica
  readonly channel: ListeningDevice
  readonly hooks: SessionHooks
  /** What a session of this machine is made of. */
  parts(link: PeerLink, peer: string): SessionParts
}

/** Makes a machine that listens. */
export async function startMachine(
  workspace: TestWorkspace,
  inc: number,
  hooks: SessionHooks = {},
  timers: Timers = systemTimers,
): Promise<TestMachine> {
  const channel = await listenAs(await makeDevice())
  const replica = createMemoryReplica(workspace, inc, { fingerprint: channel.fingerprint })
  return {
    replica,
    channel,
    hooks,
    parts: (link, peer) => ({
      link,
      peer,
      kind: 'device',
      replica,
      keys: replica.signer,
      roster: workspace,
      clock: { now: () => Date.now(), iso: () => new Date().toISOString() },
      timers,
      log: createLogger(),
      appVersion: '1.0.0',
      hooks,
    }),
  }
}

/** Connects two machines and begins their sessions; through another port where one is given. */
export async function joinMachines(
  from: TestMachine,
  to: TestMachine,
  options: { readonly port?: number } = {},
): Promise<{ readonly near: PeerSession; readonly far: PeerSession; readonly links: readonly [PeerLink, PeerLink] }> {
  const { near, far } = await connectTo(to.channel, from.channel, options)
  return {
    near: createPeerSession(from.parts(near, to.replica.device)),
    far: createPeerSession(to.parts(far, from.replica.device)),
    links: [near, far],
  }
}

/** Connects a machine that only speaks as a test wants to one with a session. */
export async function meetRawPeer(
  hostile: TestMachine,
  honest: TestMachine,
  change: Partial<SessionParts> = {},
): Promise<{ readonly raw: RawPeer; readonly session: PeerSession }> {
  const { near, far } = await connectTo(honest.channel, hostile.channel)
  const session = createPeerSession({ ...honest.parts(far, hostile.replica.device), ...change })
  return { raw: createRawPeer(near, hostile.replica), session }
}
