// What the commands of a hub do with its store; words and data folders are theirs.
import { dirname } from 'node:path'
import type { HubNodeFacts } from '#main/kernel/hub-facts.ts'
import { isPresent } from './follow-rules.ts'
import { heirOf } from './head-watch.ts'
import { nodesOf } from './hub-report.ts'
import { machineTime, pauseFor } from './hub-time.ts'
import { openStore } from './node.ts'
import type { HubAddress } from './node.ts'
import { restoreAt } from './restore.ts'
import type { Restored } from './restore.ts'
import { createSmallFiles } from './small-files.ts'
import type { Head, SeenNode, Snapshot } from './store/hub-store.ts'
import { askDoubts } from './store/postgres-checks.ts'
import type { Doubt } from './store/postgres-checks.ts'
import type { LogSize, PostgresStore } from './store/postgres-store.ts'

/** A hub as PostgreSQL knows it. */
export interface HubStatus {
  /** Null when there is no such workspace. */
  readonly head: Head | null
  readonly nodes: readonly HubNodeFacts[]
  readonly snapshots: readonly Snapshot[]
  readonly log: LogSize
  /** Why PostgreSQL would lose what it has acknowledged. */
  readonly doubts: readonly Doubt[]
}

/** How a planned handover ended. */
export type HandoverResult =
  | 'nobody-leads'
  | 'late'
  /** Names of the nodes that could have led. */
  | { readonly follow: readonly string[] }
  | { readonly leads: Head; readonly tookMs: number }

const patienceMs = 20_000
const lookMs = 50

async function withStore<T>(address: HubAddress, work: (store: PostgresStore) => Promise<T>): Promise<T> {
  const store = openStore(address)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Reads how a hub is. */
export function readStatus(address: HubAddress): Promise<HubStatus> {
  return withStore(address, async (store) => {
    const head = await store.head()
    const doubts = await askDoubts(store)
    if (head === null)
      return { head, nodes: [], snapshots: [], log: { bytes: 0, firstSeq: null, firstAt: null }, doubts }
    const nodes = nodesOf(await store.nodes(), head.node, head.seq)
    const snapshots = await store.snapshots()
    return { head, nodes, snapshots, log: await store.logSize(), doubts }
  })
}

/** Whether somebody means a node: by its name, its host name, or where it answers. */
function isMeant({ node, address }: SeenNode, to: string): boolean {
  return node === to || node.slice(0, node.lastIndexOf('.')) === to || address === to
}

/** Asks the leader to hand over, and waits until another node leads. @param to the heir; undefined for the node that has most */
export function askHandover(address: HubAddress, to: string | undefined): Promise<HandoverResult> {
  return withStore(address, async (store) => {
    const head = await store.head()
    if (head === null || head.node === null || head.leaseLeftMs < 0) return 'nobody-leads'
    const nodes = await store.nodes()
    const heir = heirOf(to === undefined ? nodes : nodes.filter((node) => isMeant(node, to)), head.node)
    if (heir === null) {
      return { follow: nodes.filter((one) => one.node !== head.node && isPresent(one)).map(({ node }) => node) }
    }
    const began = machineTime.monotonic()
    if (!(await store.nameHeir(head.epoch, heir))) return 'late'
    while (machineTime.monotonic() - began < patienceMs) {
      await pauseFor(machineTime, lookMs)
      const now = await store.head()
      if (now !== null && now.epoch > head.epoch) return { leads: now, tookMs: machineTime.monotonic() - began }
    }
    return 'late'
  })
}

/** How forgetting a node ended: names of what was forgotten, or why nothing was. */
export type ForgetResult = { readonly forgotten: readonly string[] } | { readonly alive: string } | 'unknown'

/** Forgets a node that is gone. @param name its name, host name or address */
export function forgetNode(address: HubAddress, name: string): Promise<ForgetResult> {
  return withStore(address, async (store) => {
    const head = await store.head()
    const meant = (await store.nodes()).filter((node) => isMeant(node, name))
    const isAlive = (one: SeenNode): boolean => isPresent(one) || (one.node === head?.node && head.leaseLeftMs > 0)
    const forgotten = meant.filter((one) => !isAlive(one)).map(({ node }) => node)
    for (const node of forgotten) await store.forget(node)
    if (forgotten.length > 0) return { forgotten }
    return meant.length === 0 ? 'unknown' : { alive: meant[0]!.node }
  })
}

/** Makes a folder's database and small files as they were. @param until milliseconds since 1970 @throws HubStopped */
export function restoreFolder(address: HubAddress, file: string, until: number): Promise<Restored> {
  return withStore(address, async (store) => {
    const restored = await restoreAt(store, file, until)
    createSmallFiles(dirname(file), store, restored.epoch).take(await store.files())
    return restored
  })
}
