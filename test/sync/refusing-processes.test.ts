// Three processes and a relay, one of them the machine of a person of changing rights: whatever of them is killed while it
// writes, each of its writes is at the others, or is listed as refused where it was written.
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectCall, startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

const rounds = sized(6, 12, 60)
const patience = 90_000
const everything = { allowCreate: true, allowRead: true, allowEdit: true, allowDelete: true, modifyAllRecords: true }
const profiles = {
  all: { objects: { '*': { allowRead: true }, part: everything } },
  reader: { objects: { '*': { allowRead: true } } },
  no_size: {
    objects: { '*': { allowRead: true }, part: everything },
    fields: { 'part.size': { readable: true, editable: false } },
  },
}

let cluster: SyncCluster
let desk: ClusterNode
let laptop: ClusterNode
let phone: ClusterNode
let person: string

beforeAll(async () => {
  const define = async (founder: ClusterNode): Promise<void> => {
    const account = { email: 'ann@example.org', name: 'Ann', password: 'a long password of hers' }
    const made = await expectCall(founder, 200, 'POST', '/auth/admin/create-user', account)
    person = (made.data ?? made).user.id
    for (const [name, item] of Object.entries(profiles))
      await expectCall(founder, 200, 'PUT', `/meta/profile/${name}`, {
        ...{ type: 'profile', name, item: { name, label: name, ...item } },
      })
    const fields = { title: { type: 'text' }, size: { type: 'number' }, notes: { type: 'markdown' } }
    await expectCall(founder, 200, 'PUT', '/meta/object/part', { type: 'object', name: 'part', item: { fields } })
    await may('all', founder)
  }
  cluster = await startSyncCluster(define, {
    invited: (name) => (name === 'Phone' ? { user: person, role: 'member' } : {}),
  })
  ;[desk, laptop, phone] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
}, 300_000)

afterAll(async () => cluster?.stop(), 60_000)

const may = async (profile: keyof typeof profiles, founder = desk): Promise<void> =>
  expectCall(founder, 200, 'PUT', `/permissions/assignments/${person}`, { profile, roles: [], permissionSets: [] })

const recordOf = async (node: ClusterNode, id: string) => (await node.call('GET', `/data/part/${id}`)).body.record
const refused = async (): Promise<{ recordId: string; losers: [{ value: Record<string, unknown> }] }[]> =>
  (await phone.call('GET', '/sync/conflicts?kind=refused&limit=200')).body.conflicts

/** Waits until each has on disk what the others wrote. */
async function arrived(): Promise<void> {
  for (const node of cluster.nodes) {
    const reached = async () =>
      (await node.call('POST', '/sync/barrier', { on: 'all', timeoutMs: 10_000 })).body.reached
    await until(`all of ${node.name} is at the others`, reached, patience)
  }
}

/** Waits until all three hold the same documents, which they do not while something is refused. */
async function agree(): Promise<void> {
  const same = async (): Promise<boolean> => {
    const all = await Promise.all(cluster.nodes.map(async (node) => (await node.call('GET', '/sync/diagnostics')).body))
    return all[0].digest !== null && all.every(({ digest }) => digest === all[0].digest)
  }
  await until('all hold the same', same, patience)
}

/** The same numbers in each run, between 0 and 1. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

/** Kills one of the machines or the relay, the way to which is the only one for a while. */
async function hurt(random: () => number): Promise<void> {
  const direct = cluster.ways().filter((way) => !cluster.waysToRelay().includes(way))
  for (const way of direct) way.refuse()
  await pause(random() * 300)
  const victim = [desk, laptop, phone, undefined][Math.floor(random() * 4)]
  await (victim?.end('SIGKILL') ?? cluster.endRelay('SIGKILL'))
  await pause(random() * 200)
  await (victim?.start() ?? cluster.startRelay())
  for (const way of direct) way.heal()
}

describe('the machine of a person of changing rights', () => {
  it(
    `loses no write in ${rounds} rounds with kills and a relay`,
    async () => {
      const seed = Number(process.env['CAIRN_SEED'] ?? 1)
      const random = numbers(seed)
      const ids: string[] = []
      for (let index = 0; index < 3; index += 1)
        ids.push((await expectCall(desk, 201, 'POST', '/data/part', { title: 'start', size: 0, notes: '' })).id)
      await until('the phone has them', async () => (await recordOf(phone, ids.at(-1)!)) !== undefined, patience)
      let sawRefusal = false
      for (let round = 0; round < rounds; round += 1) {
        const what = `seed ${seed}, round ${round}`
        await may((['all', 'reader', 'no_size'] as const)[Math.floor(random() * 3)]!)
        await arrived()
        const hurting = hurt(random)
        const written = new Map<string, Record<string, unknown>>()
        for (const [index, id] of ids.entries()) {
          const field = ['title', 'size', 'notes'][Math.floor(random() * 3)]!
          const value = field === 'size' ? round * 10 + index + 1 : `${field} ${round}.${index}`
          const answer = await phone.call('PATCH', `/data/part/${id}`, { [field]: value }).catch(() => undefined)
          if (answer !== undefined) expect(answer.status, what).toBe(200)
          if (answer !== undefined) written.set(id, { [field]: value })
          await pause(random() * 100)
        }
        await hurting
        await arrived()
        await until(
          `every write is there or refused: ${what}`,
          async () => {
            const open = await refused()
            for (const [id, data] of written) {
              const there = await Promise.all([desk, laptop].map(async (node) => recordOf(node, id)))
              const [[field, value]] = Object.entries(data) as [[string, unknown]]
              expect((await recordOf(phone, id))[field], what).toBe(value)
              const told = open.find(({ recordId }) => recordId === id)
              const isTold = told !== undefined && JSON.stringify(told.losers[0].value).includes(JSON.stringify(value))
              sawRefusal ||= isTold
              if (there[0][field] !== value && !isTold) return false
            }
            return true
          },
          patience,
        )
      }
      expect(sawRefusal).toBe(true)
      await may('all')
      await until('nothing is refused any more', async () => (await refused()).length === 0, patience)
      await agree()
      for (const id of ids) {
        const { updated_at: _at, updated_by: _by, owner: _owner, ...here } = await recordOf(phone, id)
        for (const node of [desk, laptop]) {
          const there = await recordOf(node, id)
          expect([there.title, there.size, there.notes]).toEqual([here.title, here.size, here.notes])
        }
      }
    },
    sized(400_000, 3_600_000),
  )
})
