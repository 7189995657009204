// A schedule in a workspace whose machines are killed (D-340): another machine takes over when it is asked to, and the one
// that comes back runs nothing. Two hosts and a relay as processes of their own.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { rowOf } from '../support/flow-calls.ts'
import { expectCall, startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { converged } from '../support/cluster-view.ts'
import { until } from '../support/synced-hosts.ts'

let cluster: SyncCluster
let desk: ClusterNode
let laptop: ClusterNode

const name = 'tick'

beforeAll(async () => {
  cluster = await startSyncCluster(
    async (founder) => {
      const row = rowOf({ id: 'note', type: 'log', config: { message: 'tick' } })
      const [start, ...others] = row.nodes
      const nodes = [{ ...start, config: { everySeconds: 1 } }, ...others]
      const flow = { name, label: name, type: 'schedule', status: 'active', ...row, nodes }
      await expectCall(founder, 201, 'POST', '/automation', flow)
    },
    { names: ['Desk', 'Laptop'] },
  )
  await converged(cluster.nodes)
  ;[desk, laptop] = cluster.nodes as [ClusterNode, ClusterNode]
}, 300_000)

afterAll(async () => cluster?.stop(), 60_000)

/** When its runs began on a machine, oldest first. */
const startsOn = async (node: ClusterNode): Promise<string[]> => {
  const { body } = await node.call('GET', `/automation/${name}/runs?limit=100`)
  return (body.data.runs as { createdAt: string }[]).map(({ createdAt }) => createdAt).toSorted()
}
const runner = async (node: ClusterNode): Promise<{ holder: { name: string; isThis: boolean } }> =>
  (await node.call('GET', '/sync/runner')).body
const idOf = async (node: ClusterNode): Promise<string> => (await node.call('GET', '/sync/status')).body.device.id
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

it('goes over at a word while both are there, and no time runs on both', async () => {
  await until('it runs on the desk', async () => (await startsOn(desk)).length > 1)
  await expectCall(desk, 200, 'PUT', '/sync/runner', { deviceId: await idOf(laptop) })
  await until('it runs on the laptop', async () => (await startsOn(laptop)).length > 1)
  const [here, there] = [await startsOn(desk), await startsOn(laptop)]
  expect(here.at(-1)! < there[0]!).toBe(true)
  expect((await runner(desk)).holder).toMatchObject({ name: 'Laptop', isThis: false })
}, 60_000)

it('waits for the machine that has it, and goes over without it only when that is asked for', async () => {
  await laptop.end('SIGKILL')
  const before = await startsOn(desk)
  await expectCall(desk, 200, 'PUT', '/sync/runner', { deviceId: await idOf(desk) })
  await pause(3_000)
  expect(await startsOn(desk)).toEqual(before)
  await until('the connection has ended', async () => {
    const { status, body } = await desk.call('PUT', '/sync/runner', { deviceId: await idOf(desk), takeOver: true })
    return status === 200 && body.holder.isThis === true
  })
  const takenAt = new Date().toISOString()
  await until('it runs on the desk', async () => (await startsOn(desk)).length > before.length + 1)
  await laptop.start()
  await until('it has heard', async () => (await runner(laptop)).holder.name === 'Desk', 60_000)
  await pause(3_000)
  expect((await startsOn(laptop)).filter((at) => at > takenAt)).toEqual([])
}, 180_000)

it('goes on where it was after a kill of the machine that has it', async () => {
  const before = await startsOn(desk)
  await desk.end('SIGKILL')
  await desk.start()
  await until('it runs again', async () => (await startsOn(desk)).length > before.length + 1, 60_000)
  expect((await startsOn(laptop)).at(-1)! < before.at(-1)!).toBe(true)
}, 180_000)
