// What happens to a cluster: hosts that are killed, stand still or lose power, networks that part, a relay that is killed.
// Each fault answers how it ends. Knows processes and networks, nothing of what is written.
import { setTimeout as pause } from 'node:timers/promises'
import { cutWal } from './cut-wal.ts'
import type { WalMark } from './cut-wal.ts'
import type { ClusterNode, SyncCluster } from './sync-cluster.ts'

/** What a fault is given. */
export interface FaultParts {
  readonly cluster: SyncCluster
  /** The host it happens to. */
  readonly node: ClusterNode
  /** 0 to 1. */
  readonly random: () => number
  /** How far the log of a host was when something was last acknowledged. */
  mark(node: ClusterNode): WalMark | undefined
}

/** Ends what a fault did. */
export type Heal = () => Promise<void>

/** Faults by name; each resolves once it has begun. */
export const clusterFaults = {
  async kill({ node }: FaultParts): Promise<Heal> {
    await node.end('SIGKILL')
    return () => node.start()
  },
  async stand_still({ node }: FaultParts): Promise<Heal> {
    const { process: child } = node.server()
    child.kill('SIGSTOP')
    return async () => void child.kill('SIGCONT')
  },
  async power_loss({ node, random, mark }: FaultParts): Promise<Heal> {
    await node.end('SIGKILL')
    cutWal(node.database, mark(node), random())
    return () => node.start()
  },
  async partition({ node }: FaultParts): Promise<Heal> {
    for (const way of node.ways()) way.refuse()
    return async () => {
      for (const way of node.ways()) way.heal()
    }
  },
  async half_open({ node }: FaultParts): Promise<Heal> {
    for (const way of node.ways()) way.halfOpen()
    return async () => {
      for (const way of node.ways()) way.heal()
    }
  },
  async ghosts({ node }: FaultParts): Promise<Heal> {
    for (const way of node.ways()) way.leaveGhosts()
    return async () => {
      for (const way of node.ways()) way.heal()
    }
  },
  async cut_inside({ cluster, random }: FaultParts): Promise<Heal> {
    for (const way of cluster.ways()) way.cutAfter(1 + Math.floor(random() * 4_000))
    return async () => {
      for (const way of cluster.ways()) way.heal()
    }
  },
  async relay_kill({ cluster }: FaultParts): Promise<Heal> {
    await cluster.endRelay('SIGKILL')
    return () => cluster.startRelay()
  },
  async relay_only({ cluster, random }: FaultParts): Promise<Heal> {
    // All three are apart; the relay is the only way, until it is killed too.
    const direct = cluster.ways().filter((way) => !cluster.waysToRelay().includes(way))
    for (const way of direct) way.refuse()
    await pause(100 + random() * 200)
    await cluster.endRelay('SIGKILL')
    await cluster.startRelay()
    return async () => {
      for (const way of direct) way.heal()
    }
  },
  async all_killed({ cluster }: FaultParts): Promise<Heal> {
    await Promise.all([...cluster.nodes.map((node) => node.end('SIGKILL')), cluster.endRelay('SIGKILL')])
    return async () => void (await Promise.all([cluster.startRelay(), ...cluster.nodes.map((node) => node.start())]))
  },
} as const satisfies Record<string, (parts: FaultParts) => Promise<Heal>>

/** The name of a fault. */
export type FaultName = keyof typeof clusterFaults
