// What the hosts of a cluster show: whether they say that they are even, and the records and conflicts of a round. Knows the
// API, nothing of what was written.
import type { Shown } from './edit-journal.ts'
import { expectCall } from './sync-cluster.ts'
import type { ClusterNode } from './sync-cluster.ts'
import { until } from './synced-hosts.ts'

/** Whether a host says that it has what all others have; conflicts wait for people. */
async function isEven(node: ClusterNode, peers: number): Promise<boolean> {
  const { state, reason, proof, counts, outgoing, incoming } = (await node.call('GET', '/sync/status')).body
  const isDone = state === 'up_to_date' || (state === 'attention' && reason === 'conflicts')
  const isEmpty = counts.parked === 0 && counts.quarantined === 0 && outgoing.waiting === 0 && incoming.remaining === 0
  return isDone && isEmpty && proof?.with.length === peers
}

/** Waits until all hosts have the same as each other and the relay, and prove it; milliseconds. */
export async function converged(nodes: readonly ClusterNode[], ms = 120_000): Promise<number> {
  const began = performance.now()
  try {
    const areEven = async (): Promise<boolean> =>
      (await Promise.all(nodes.map((node) => isEven(node, nodes.length)))).every(Boolean)
    await until('all have the same', areEven, ms)
  } catch (error) {
    const said = await Promise.all(nodes.map(describeNode))
    throw new Error(`${(error as Error).message}\n${said.join('\n')}`, { cause: error })
  }
  return performance.now() - began
}

async function describeNode(node: ClusterNode): Promise<string> {
  const status = (await node.call('GET', '/sync/status')).body
  const { peers } = (await node.call('GET', '/sync/peers')).body
  const { problems } = (await node.call('GET', '/sync/problems')).body
  return `${node.name}: ${JSON.stringify({ status, peers, problems })}`
}

/** All pages of a list. */
export async function listAll(node: ClusterNode, path: string, part: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for (let cursor = ''; ;) {
    const more = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await expectCall(node, 200, 'GET', path + more)
    // The routes of a record's activity answer within `data`.
    const body = answer.data ?? answer
    items.push(...body[part])
    if (body.hasMore !== true) return items
    cursor = body.nextCursor
  }
}

/** What a host shows of the records of a round, and of all conflicts. */
export async function shownBy(node: ClusterNode, round: number): Promise<Shown> {
  const records = await listAll(node, `/data/note?round=${round}&deleted=include&limit=200&sort=id`, 'records')
  const conflicts = await listAll(node, '/sync/conflicts?state=all&object=note&limit=200', 'conflicts')
  return {
    records: new Map(records.map((record) => [String(record['id']), record])),
    conflicts: conflicts as unknown as Shown['conflicts'],
  }
}

/** What has to be equal everywhere: everything but the version. */
export function comparable({ records }: Shown): unknown[] {
  return [...records.values()].map(({ updated_at: _version, updated_by: _by, ...record }) => record)
}

/** What is open, apart from when each machine found it. */
export function openSides({ conflicts }: Shown): unknown[] {
  return conflicts
    .filter(({ state }) => state === 'open')
    .map(({ id, winner, losers }) => JSON.stringify([id, winner.value, losers.map(({ value }) => value).toSorted()]))
    .toSorted()
}
