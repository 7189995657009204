// Sequences nobody plans, on three hosts as processes of their own that do not see each other meanwhile: old copies of
// folders, clocks that go back, definitions that change twice, details of masters that go. Afterwards all are equal, and what
// was acknowledged is a value, history or a conflict on each of them.
import { cpSync, rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { converged } from '../support/cluster-view.ts'
import { bundledEntry } from '../support/host-bundle.ts'
import { expectCall, startSyncCluster } from '../support/sync-cluster.ts'
import type { ClusterNode, SyncCluster } from '../support/sync-cluster.ts'
import { until } from '../support/synced-hosts.ts'

let cluster: SyncCluster
let desk: ClusterNode
let laptop: ClusterNode
let phone: ClusterNode

beforeAll(async () => {
  const define = async (founder: ClusterNode): Promise<void> => {
    await save(founder, 'part', {
      title: { type: 'text' },
      size: { type: 'number' },
      notes: { type: 'markdown' },
      no: { type: 'autonumber', autonumberFormat: 'P-{0000}' },
    })
  }
  cluster = await startSyncCluster(define, { entry: bundledEntry('model-host') })
  ;[desk, laptop, phone] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode]
  await converged(cluster.nodes)
}, 300_000)

afterAll(async () => cluster?.stop(), 60_000)

/** Saves the fields of an object, whatever is lost by it. */
async function save(node: ClusterNode, name: string, fields: object, rest: object = {}): Promise<void> {
  const item = { ...(await node.call('GET', `/meta/object/${name}`)).body.item, name, fields, ...rest }
  await expectCall(node, 200, 'PUT', `/meta/object/${name}?confirm=true`, { type: 'object', name, item })
}

const fieldsOf = async (node: ClusterNode, name: string): Promise<Record<string, object>> =>
  (await expectCall(node, 200, 'GET', `/meta/object/${name}`)).item.fields

/** Makes an object that all have, and a name of it that no other test has. */
let objects = 0
async function shared(fields: object): Promise<string> {
  const name = `thing_${(objects += 1)}`
  await save(desk, name, fields)
  await converged(cluster.nodes)
  for (const node of cluster.nodes)
    await until(`${node.name} has ${name}`, async () => (await node.call('GET', `/meta/object/${name}`)).status === 200)
  return name
}

const made = async (node: ClusterNode, object: string, data: object): Promise<string> =>
  (await expectCall(node, 201, 'POST', `/data/${object}`, data)).id
const changed = async (node: ClusterNode, object: string, id: string, data: object): Promise<void> =>
  expectCall(node, 200, 'PATCH', `/data/${object}/${id}`, data)
const removed = async (node: ClusterNode, object: string, id: string): Promise<void> =>
  expectCall(node, 200, 'DELETE', `/data/${object}/${id}`)

/** Nobody reaches anybody while `work` goes on; afterwards all have the same and say so. */
async function apart(work: () => Promise<void>): Promise<void> {
  for (const way of cluster.ways()) way.refuse()
  for (const node of cluster.nodes) await until(`${node.name} is alone`, () => isAlone(node))
  await work()
  for (const way of cluster.ways()) way.heal()
  await converged(cluster.nodes)
}

async function isAlone(node: ClusterNode): Promise<boolean> {
  // Who does not run is alone, too.
  const peers = await node.call('GET', '/sync/peers').then(
    ({ body }) => body.peers,
    () => [],
  )
  return peers.every(({ state }: { state: string }) => state !== 'connected')
}

/** A record as all hosts show it, which must be the same, but for a moment; undefined where it is deleted. */
async function everywhere(object: string, id: string): Promise<Record<string, unknown> | undefined> {
  const look = async (): Promise<unknown[]> =>
    Promise.all(
      cluster.nodes.map(async (node) => {
        const { record } = (await node.call('GET', `/data/${object}/${id}`)).body
        return record === undefined ? undefined : { ...record, updated_at: '', updated_by: '' }
      }),
    )
  const isSame = (shown: readonly unknown[]): boolean => shown.every((one) => isDeepStrictEqual(one, shown[0]))
  const end = Date.now() + 10_000
  let shown = await look()
  while (!isSame(shown) && Date.now() < end) shown = await look()
  for (const one of shown) expect(one).toEqual(shown[0])
  return shown[0] as Record<string, unknown> | undefined
}

interface ListedConflict {
  readonly kind: string
  readonly field: string
  readonly recordId: string
  readonly winner: { readonly value: unknown }
  readonly losers: readonly { readonly value: unknown }[]
}

/** The open conflicts of an object, which all hosts must list alike. */
async function conflictsOf(object: string): Promise<{ kind: string; field: string; recordId: string; text: string }[]> {
  const lists = await Promise.all(
    cluster.nodes.map(async (node) => {
      const { conflicts } = await expectCall(node, 200, 'GET', `/sync/conflicts?object=${object}&limit=200`)
      return conflicts
        .map(({ kind, field, recordId, winner, losers }: ListedConflict) => {
          return { kind, field, recordId, text: JSON.stringify([winner, ...losers].map(({ value }) => value)) }
        })
        .toSorted((a: object, b: object) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    }),
  )
  for (const one of lists) expect(one).toEqual(lists[0])
  return lists[0]
}

/** Each host shows these words of a record: in its row, its history, a conflict, or among what waits for its field. */
async function expectKept(object: string, id: string, words: readonly unknown[]): Promise<void> {
  for (const node of cluster.nodes) {
    const paths = [
      `/data/${object}/${id}`,
      `/data/${object}/${id}/changelog`,
      `/sync/conflicts?state=all&recordId=${id}`,
    ]
    const told = await Promise.all(paths.map(async (path) => JSON.stringify((await node.call('GET', path)).body)))
    for (const word of words) expect(told.join(), `${String(word)} on ${node.name}`).toContain(JSON.stringify(word))
  }
}

describe('an old copy of a data folder', () => {
  it.each([
    ['made when the host had stopped, and newer writes than it lacks', 'SIGTERM', 6],
    ['made when the host had stopped, and fewer writes', 'SIGTERM', 1],
    ['put back after a kill', 'SIGKILL', 4],
  ] as const)(
    'loses nothing that had left, nor what is written on it: %s',
    { timeout: 240_000 },
    async (_how, signal, count) => {
      const copy = `${laptop.dataDir}-copy`
      const id = await made(desk, 'part', { title: 'start', size: 1, notes: 'One.' })
      await converged(cluster.nodes)
      await laptop.end('SIGTERM')
      cpSync(laptop.dataDir, copy, { recursive: true })
      await laptop.start()
      await changed(laptop, 'part', id, { title: 'had left', notes: 'One. Two.' })
      const lost = await made(laptop, 'part', { title: 'made and had left' })
      await converged(cluster.nodes)
      await laptop.end(signal)
      rmSync(laptop.dataDir, { recursive: true })
      cpSync(copy, laptop.dataDir, { recursive: true })
      rmSync(copy, { recursive: true })
      const news: string[] = []
      await apart(async () => {
        await laptop.start()
        for (let index = 0; index < count; index += 1)
          news.push(await made(laptop, 'part', { title: `new ${index}`, notes: `Text ${index}` }))
        await changed(laptop, 'part', id, { size: 2 })
        await changed(desk, 'part', id, { notes: 'One. Two. Three.' })
      })
      expect(await everywhere('part', id)).toMatchObject({ title: 'had left', size: 2, notes: 'One. Two. Three.' })
      expect(await everywhere('part', lost)).toMatchObject({ title: 'made and had left' })
      for (const [index, one] of news.entries())
        expect(await everywhere('part', one)).toMatchObject({ title: `new ${index}`, notes: `Text ${index}` })
      expect((await laptop.call('GET', '/sync/status')).body.putBackAt).toEqual(expect.any(String))
    },
  )
})

describe('a clock that goes back', () => {
  it(
    'takes no edit back that its own machine or another one made with the first one in sight',
    { timeout: 240_000 },
    async () => {
      const id = await made(desk, 'part', { title: 'start' })
      await converged(cluster.nodes)
      const startAt = async (offset: number): Promise<void> => {
        await laptop.end('SIGTERM')
        process.env['CAIRN_MODEL_CLOCK_MS'] = String(offset)
        try {
          await laptop.start()
        } finally {
          delete process.env['CAIRN_MODEL_CLOCK_MS']
        }
      }
      const day = 86_400_000
      await startAt(3 * day)
      await changed(laptop, 'part', id, { title: 'in three days' })
      await converged(cluster.nodes)
      await startAt(-3 * day)
      await changed(laptop, 'part', id, { title: 'three days ago' })
      await converged(cluster.nodes)
      expect(await everywhere('part', id)).toMatchObject({ title: 'three days ago' })
      await changed(phone, 'part', id, { title: 'with both in sight' })
      await converged(cluster.nodes)
      expect(await everywhere('part', id)).toMatchObject({ title: 'with both in sight' })
      expect(await conflictsOf('part')).toEqual([])
      await apart(async () => {
        await changed(phone, 'part', id, { title: 'on the phone' })
        await changed(laptop, 'part', id, { title: 'by a wrong clock' })
      })
      await expectKept('part', id, ['on the phone', 'by a wrong clock'])
      expect(await conflictsOf('part')).toMatchObject([{ kind: 'field', field: 'title', recordId: id }])
      await startAt(0)
      await changed(laptop, 'part', id, { title: 'settled' })
      await converged(cluster.nodes)
      expect(await conflictsOf('part')).toEqual([])
    },
  )
})

describe('numbers on three machines that are apart', () => {
  it('are final, and no two records have the same', { timeout: 240_000 }, async () => {
    const ids: string[] = []
    await apart(async () => {
      for (const node of cluster.nodes)
        for (let index = 0; index < 10; index += 1) {
          const id = await made(node, 'part', { title: `of ${node.name}` })
          await changed(node, 'part', id, { title: `of ${node.name} ${index}` })
          ids.push(id)
        }
    })
    await until('each has its number', async () => {
      const shown = await Promise.all(
        ids.map(async (id) => (await phone.call('GET', `/data/part/${id}`)).body.record.no),
      )
      return shown.every((no: string) => /^P-\d{4,}$/.test(no))
    })
    await converged(cluster.nodes)
    const numbers = new Set<unknown>()
    for (const [index, id] of ids.entries()) {
      const record = await everywhere('part', id)
      expect(record!['title']).toMatch(new RegExp(`^of \\w+ ${index % 10}$`))
      numbers.add(record!['no'])
    }
    expect(numbers.size).toBe(ids.length)
  })
})

describe('a field that is removed and made anew with another type', () => {
  it.each(['written first', 'removed first'] as const)(
    'keeps what was written to the former one apart: %s',
    { timeout: 240_000 },
    async (order) => {
      const object = await shared({ title: { type: 'text' }, code: { type: 'text' } })
      const id = await made(desk, object, { title: 'old', code: 'c-old' })
      await converged(cluster.nodes)
      let added = ''
      await apart(async () => {
        const write = async (): Promise<void> => {
          await changed(laptop, object, id, { code: 'c-laptop', title: 'kept' })
          added = await made(phone, object, { title: 'new', code: 'c-phone' })
        }
        if (order === 'written first') await write()
        const { code: _code, ...fields } = await fieldsOf(desk, object)
        await save(desk, object, fields)
        await save(desk, object, { ...fields, code: { type: 'number' } })
        await changed(desk, object, id, { code: 7 })
        if (order === 'removed first') await write()
      })
      expect(await everywhere(object, id)).toMatchObject({ title: 'kept', code: 7 })
      expect(await everywhere(object, added)).toMatchObject({ title: 'new', code: null })
      for (const node of cluster.nodes) expect((await node.call('GET', '/sync/problems')).body.problems).toEqual([])
      const { waiting } = (await desk.call('GET', '/sync/problems')).body
      expect(waiting).toContainEqual(expect.objectContaining({ name: object, reason: 'field_removed' }))
    },
  )
})

describe('a detail whose master is removed while it moves to another one', () => {
  it.each(['moved first', 'removed first'] as const)(
    'is with the other master, or a conflict says where: %s',
    { timeout: 240_000 },
    async (order) => {
      const master = await shared({ title: { type: 'text' } })
      const detail = await shared({ title: { type: 'text' }, of: { type: 'master_detail', reference: master } })
      const [one, other] = [await made(desk, master, { title: 'one' }), await made(desk, master, { title: 'other' })]
      const id = await made(desk, detail, { title: 'start', of: one })
      await converged(cluster.nodes)
      await apart(async () => {
        const move = async (): Promise<void> => changed(laptop, detail, id, { of: other })
        const remove = async (): Promise<void> => removed(desk, master, one)
        for (const step of order === 'moved first' ? [move, remove] : [remove, move]) await step()
        await changed(phone, detail, id, { title: 'edited on the phone' })
      })
      const record = await everywhere(detail, id)
      if (record !== undefined) expect(record).toMatchObject({ of: other, title: 'edited on the phone' })
      await expectKept(detail, id, ['edited on the phone', other])
      const found = await conflictsOf(detail)
      expect(found.map(({ kind, recordId }) => [kind, recordId])).toEqual([['delete_edit', id]])
      const [{ id: conflict }] = (await laptop.call('GET', `/sync/conflicts?object=${detail}`)).body.conflicts
      await expectCall(laptop, 200, 'POST', `/sync/conflicts/${conflict}/resolve`, { choice: 'restore' })
      await converged(cluster.nodes)
      expect(await everywhere(detail, id)).toMatchObject({ of: other, title: 'edited on the phone' })
      expect(await conflictsOf(detail)).toEqual([])
    },
  )
})

describe('a record that one trashes, one edits and one restores', () => {
  it('shows what was written, or a conflict with it', { timeout: 240_000 }, async () => {
    const id = await made(desk, 'part', { title: 'start', size: 1, notes: 'Words.' })
    await converged(cluster.nodes)
    await apart(async () => {
      await removed(desk, 'part', id)
      await changed(laptop, 'part', id, { size: 2, notes: 'Words. More.' })
      await removed(phone, 'part', id)
      await expectCall(phone, 200, 'POST', `/data/part/${id}/restore`)
      await changed(phone, 'part', id, { title: 'restored' })
    })
    await expectKept('part', id, ['restored', 2, 'Words. More.'])
    const found = (await conflictsOf('part')).filter(({ recordId }) => recordId === id)
    const record = await everywhere('part', id)
    expect(record === undefined ? found.map(({ kind }) => kind) : ['delete_edit']).toContain('delete_edit')
    for (const { id: conflict, kind } of (await phone.call('GET', `/sync/conflicts?recordId=${id}`)).body.conflicts) {
      const choice = kind === 'delete_edit' ? 'restore' : 'loser'
      await expectCall(phone, 200, 'POST', `/sync/conflicts/${conflict}/resolve`, { choice })
    }
    await converged(cluster.nodes)
    expect(await everywhere('part', id)).toMatchObject({ title: 'restored', size: 2, notes: 'Words. More.' })
    expect((await conflictsOf('part')).filter(({ recordId }) => recordId === id)).toEqual([])
  })
})

describe('a sum that becomes another type while all add to it', () => {
  it.each(['text', 'markdown', 'currency'] as const)('loses no share: %s', { timeout: 240_000 }, async (type) => {
    const object = await shared({ title: { type: 'text' }, count: { type: 'number', merge: 'sum' } })
    const id = await made(desk, object, { title: 'start', count: 10 })
    await converged(cluster.nodes)
    await apart(async () => {
      await changed(laptop, object, id, { count: 13 })
      const fields = await fieldsOf(desk, object)
      const { merge: _merge, ...count } = fields['count'] as { merge?: string }
      await save(desk, object, { ...fields, count: { ...count, type } })
      await changed(phone, object, id, { count: 14 })
    })
    const { count } = (await everywhere(object, id)) as { count: unknown }
    const sides = (await conflictsOf(object)).flatMap(({ text }) => JSON.parse(text) as unknown[])
    // What was added counts in the value, or is listed as a share.
    const left = [3, 4].filter((share) => !sides.map(String).includes(String(share)))
    expect(Number(count), JSON.stringify(sides)).toBe(10 + left.reduce((sum, share) => sum + share, 0))
    const { conflicts } = (await desk.call('GET', `/sync/conflicts?object=${object}`)).body
    for (const { id: conflict } of conflicts)
      await expectCall(desk, 200, 'POST', `/sync/conflicts/${conflict}/resolve`, { choice: 'winner' })
    await converged(cluster.nodes)
    expect(await conflictsOf(object)).toEqual([])
    expect(await everywhere(object, id)).toMatchObject({ count })
  })
})

describe('a field that becomes unique while two machines make duplicates', () => {
  it('is unique on all, and each clash is listed on all', { timeout: 240_000 }, async () => {
    const object = await shared({ title: { type: 'text' }, code: { type: 'text' } })
    await made(desk, object, { title: 'first', code: 'A' })
    await converged(cluster.nodes)
    await apart(async () => {
      const fields = await fieldsOf(desk, object)
      await save(desk, object, { ...fields, code: { ...fields['code'], unique: true }, color: { type: 'text' } })
      for (const node of [laptop, phone])
        for (const code of ['A', 'B']) await made(node, object, { title: `of ${node.name}`, code })
    })
    const found = await until('both clashes are listed', async () => {
      const list = await conflictsOf(object)
      return list.length === 3 ? list : undefined
    })
    expect(found.map(({ kind, field }) => [kind, field])).toEqual(Array.from({ length: 3 }, () => ['unique', 'code']))
    for (const node of cluster.nodes) {
      expect(await fieldsOf(node, object)).toMatchObject({ code: { unique: true }, color: { type: 'text' } })
      expect((await node.call('POST', `/data/${object}`, { code: 'A' })).status).toBe(409)
    }
  })
})

describe('an object that is renamed twice while its fields are renamed elsewhere', () => {
  it('has every value under the names of the end', { timeout: 240_000 }, async () => {
    const object = await shared({ title: { type: 'text' }, notes: { type: 'markdown' } })
    const id = await made(desk, object, { title: 'start', notes: 'One.' })
    await converged(cluster.nodes)
    await apart(async () => {
      for (const [from, to] of [
        [object, `${object}_x`],
        [`${object}_x`, `${object}_y`],
      ])
        await expectCall(desk, 200, 'PUT', `/meta/object/${to}`, {
          renamedFrom: from,
          fields: await fieldsOf(desk, from!),
        })
      await changed(laptop, object, id, { title: 'on the laptop' })
      await changed(phone, object, id, { notes: 'One. Two.' })
    })
    for (const node of cluster.nodes)
      await until(
        `${node.name} has the name`,
        async () => (await node.call('GET', `/meta/object/${object}_y`)).status === 200,
      )
    expect(await everywhere(`${object}_y`, id)).toMatchObject({ title: 'on the laptop', notes: 'One. Two.' })
  })
})
