// Records that two machines place below each other while they do not see each other: a local write of such a ring is
// refused, so the ring is listed on both until somebody opens it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import type { CutHosts } from '../support/cut-hosts.ts'
import { startCutHosts } from '../support/cut-hosts.ts'
import { until } from '../support/synced-hosts.ts'

let hosts: CutHosts
let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  hosts = await startCutHosts(async (host) => {
    await host.defineObject('place', {
      title: { type: 'text' },
      above: { type: 'tree', deleteBehavior: 'cascade' },
      size: { type: 'number' },
      below: {
        type: 'summary',
        summaryOperations: { object: 'place', field: 'whole', function: 'sum', relationField: 'above' },
      },
      whole: { type: 'formula', expression: 'record.size + record.below', returnType: 'number' },
    })
  })
  ;({ desk, laptop } = hosts)
  await hosts.agree()
}, 90_000)

afterAll(async () => hosts?.stop())

async function place(title: string, above: string | null = null): Promise<string> {
  const answer = await desk.post('/data/place', { title, above, size: 1 })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}

async function put(host: TestHost, id: string, above: string | null): Promise<void> {
  const answer = await host.patch(`/data/place/${id}`, { above })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}

const openOf = async (host: TestHost) => (await host.get('/sync/conflicts')).body.conflicts
const aboveOf = async (host: TestHost, id: string) => (await host.get(`/data/place/${id}`)).body.record?.above

/** What both hosts list, which is the same. */
async function listed(): Promise<readonly { readonly id: string; readonly kind: string }[]> {
  const [here, there] = await Promise.all([desk, laptop].map(openOf))
  const plain = (list: readonly object[]) => list.map((one) => ({ ...one, foundAt: '' }))
  expect(plain(there)).toEqual(plain(here))
  return here
}

async function nothingListed(): Promise<void> {
  await hosts.agree()
  for (const host of [desk, laptop]) await until('nothing is open', async () => (await openOf(host)).length === 0)
}

async function resolve(host: TestHost, id: string, decision: object) {
  return host.post(`/sync/conflicts/${id}/resolve`, decision)
}

/** Each of two hosts puts one record below the other one; the second one to write is placed last. */
async function ringOfTwo(first: TestHost, second: TestHost) {
  const root = await place('root')
  const [a, b] = [await place('a', root), await place('b')]
  await hosts.agree()
  await hosts.part()
  await put(first, b, a)
  await put(second, a, b)
  await hosts.join()
  return { root, a, b }
}

describe('a ring of two records', () => {
  it.each([
    ['the founder wrote last', true],
    ['the other one wrote last', false],
  ])('is listed alike on both: %s', async (_name, isDeskLast) => {
    const { root, a, b } = await ringOfTwo(...((isDeskLast ? [laptop, desk] : [desk, laptop]) as [TestHost, TestHost]))
    const open = await listed()
    expect(open).toMatchObject([
      {
        kind: 'cycle',
        object: 'place',
        recordId: a,
        field: 'above',
        base: root,
        winner: { record: a, value: b, device: { name: isDeskLast ? 'Desk' : 'Laptop' } },
        losers: [{ record: b, value: a, device: { name: isDeskLast ? 'Laptop' : 'Desk' } }],
      },
    ])
    // Nothing was lost of what anybody wrote.
    expect([await aboveOf(laptop, a), await aboveOf(laptop, b)]).toEqual([b, a])
    await put(laptop, b, null)
    await nothingListed()
  })

  it('is opened by keeping the last one: the record above it is freed', async () => {
    const { a, b } = await ringOfTwo(desk, laptop)
    const [conflict] = await listed()
    const answer = await resolve(desk, conflict!.id, { choice: 'winner' })
    expect(answer.body).toMatchObject({ conflict: { state: 'resolved', resolution: 'winner' }, record: { id: a } })
    await nothingListed()
    for (const host of [desk, laptop]) expect([await aboveOf(host, a), await aboveOf(host, b)]).toEqual([b, null])
  })

  it('is opened by taking the older one: the record goes back to where it was', async () => {
    const { root, a, b } = await ringOfTwo(desk, laptop)
    const [conflict] = await listed()
    expect((await resolve(laptop, conflict!.id, { choice: 'loser' })).status).toBe(200)
    await nothingListed()
    for (const host of [desk, laptop]) expect([await aboveOf(host, a), await aboveOf(host, b)]).toEqual([root, a])
  })

  it('is opened by both choices at once, on two hosts', async () => {
    const { root, a, b } = await ringOfTwo(desk, laptop)
    const [conflict] = await listed()
    await hosts.part()
    expect((await resolve(laptop, conflict!.id, { choice: 'loser' })).status).toBe(200)
    expect((await resolve(desk, conflict!.id, { choice: 'winner' })).status).toBe(200)
    await hosts.join()
    await nothingListed()
    for (const host of [desk, laptop]) expect([await aboveOf(host, a), await aboveOf(host, b)]).toEqual([root, null])
  })

  it('is not ended by a value that leaves it', async () => {
    const { a, b } = await ringOfTwo(desk, laptop)
    const [conflict] = await listed()
    for (const value of [a, b]) {
      const answer = await resolve(desk, conflict!.id, { choice: 'value', value })
      expect(answer.status).toBe(400)
      expect(answer.body.error.details.fieldErrors).toMatchObject([{ code: 'invalid_reference' }])
    }
    expect(await listed()).toHaveLength(1)
    expect((await resolve(desk, conflict!.id, { choice: 'value', value: null })).status).toBe(200)
    await nothingListed()
    for (const host of [desk, laptop]) expect(await aboveOf(host, a)).toBeNull()
  })

  it('is listed again when it is closed again', async () => {
    const { a, b } = await ringOfTwo(desk, laptop)
    const [conflict] = await listed()
    expect((await resolve(desk, conflict!.id, { choice: 'loser' })).status).toBe(200)
    await put(desk, b, null)
    await nothingListed()
    await hosts.part()
    await put(desk, b, a)
    await put(laptop, a, b)
    await hosts.join()
    expect(await listed()).toMatchObject([{ kind: 'cycle', recordId: a }])
    await put(laptop, b, null)
    await nothingListed()
  })

  it('ends with a record of it, and comes back with that', async () => {
    const { a, b } = await ringOfTwo(desk, laptop)
    await hosts.part()
    expect((await desk.delete(`/data/place/${b}`)).status).toBe(200)
    await hosts.join()
    await nothingListed()
    // Deletions went round the ring, each record once.
    for (const id of [a, b]) expect((await laptop.get(`/data/place/${id}`)).status).toBe(404)
    expect((await laptop.post(`/data/place/${b}/restore`)).status).toBe(200)
    await nothingListed()
    const [one, other] = [await aboveOf(desk, a), await aboveOf(desk, b)]
    expect([one, other].includes(null)).toBe(true)
  })

  it('is no obstacle to reading, nor to writing other values', async () => {
    const { a, b } = await ringOfTwo(desk, laptop)
    for (const host of [desk, laptop]) {
      const list = await host.get(`/data/place?id=${a}&expand=above.above.above`)
      expect(list.status, JSON.stringify(list.body)).toBe(200)
      expect(list.body.records[0]).toMatchObject({ id: a, above: { id: b, above: { id: a } } })
      const changed = await host.patch(`/data/place/${a}`, { title: 'still a', size: host === desk ? 5 : 6 })
      expect(changed.status, JSON.stringify(changed.body)).toBe(200)
      await hosts.agree()
    }
    await put(desk, b, null)
    await nothingListed()
    for (const host of [desk, laptop]) {
      const [first, second] = await Promise.all(
        [a, b].map(async (id) => (await host.get(`/data/place/${id}`)).body.record),
      )
      expect(first).toMatchObject({ size: 6, below: 0, whole: 6 })
      expect(second).toMatchObject({ size: 1, below: 6, whole: 7 })
    }
  })
})

describe('a ring of three records', () => {
  it('names all of them and is opened by an edit of any', async () => {
    const [a, b, c] = [await place('a'), await place('b'), await place('c')]
    await put(desk, b, a)
    await hosts.agree()
    await hosts.part()
    await put(desk, c, b)
    await put(laptop, a, c)
    await hosts.join()
    const [conflict, ...others] = await listed()
    expect(others).toEqual([])
    expect(conflict).toMatchObject({
      recordId: a,
      winner: { record: a, value: c },
      losers: [
        { record: c, value: b },
        { record: b, value: a },
      ],
    })
    await put(desk, b, null)
    await nothingListed()
  })

  it('goes to another record when a link is written once more', async () => {
    const [a, b, c] = [await place('a'), await place('b'), await place('c')]
    await hosts.agree()
    await hosts.part()
    // Both move b, so that it is a conflict of its own, and a ring with it.
    await put(desk, b, c)
    await put(laptop, b, a)
    await put(desk, a, b)
    await hosts.join()
    const open = await listed()
    const [ring] = open.filter(({ kind }) => kind === 'cycle')
    expect(open).toHaveLength(2)
    expect(ring).toMatchObject({ recordId: a })
    const [field] = open.filter(({ kind }) => kind === 'field')
    expect((await resolve(laptop, field!.id, { choice: 'winner' })).status).toBe(200)
    await hosts.agree()
    await until('both list the ring of the other one', async () =>
      (await Promise.all([desk, laptop].map(openOf))).every((list) => list.length === 1 && list[0].recordId === b),
    )
    expect(await listed()).toMatchObject([{ kind: 'cycle', recordId: b, winner: { record: b, value: a } }])
    await put(desk, a, null)
    await nothingListed()
  })
})
