// Lists of GraphQL that are asked for again: from the second time on the database writes their records, and answers what it
// answered before.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import { createTestHost } from '../support/create-test-host.ts'

let host: TestHost
let project: string

const ask = (query: string, variables: object = {}): Promise<Answer> => host.post('/graphql', { query, variables })

const dataOf = async (query: string, variables?: object) => {
  const { status, body } = await ask(query, variables)
  expect([status, body.errors], JSON.stringify(body)).toEqual([200, undefined])
  return body.data
}

afterAll(async () => host?.stop())

describe('a list that is asked for again and again', () => {
  const query = `query ($where: PieceWhere) { pieces: pieceList(where: $where, orderBy: [{field: title, order: asc}], top: 2) {
    __typename hasMore nextCursor
    records { __typename id called: title size done state labels extra twice: size otherId
      other { __typename id called: name lead { name } } project { id lead { name } } created_at } } }`
  const plain = query.replaceAll(' lead { name }', ' leadId')

  beforeAll(async () => {
    host = await createTestHost()
    await host.defineObject('project', { name: { type: 'text' }, lead: { type: 'user' } })
    project = (await host.post('/data/project', { name: 'Bridge' })).body.id
    await host.defineObject('piece', {
      title: { type: 'text' },
      size: { type: 'number', scale: 0 },
      done: { type: 'boolean' },
      state: { type: 'select', options: ['open', 'closed'] },
      labels: { type: 'tags' },
      extra: { type: 'json' },
      project: { type: 'lookup', reference: 'project' },
      other: { type: 'lookup', reference: 'project' },
    })
    const gone = (await host.post('/data/project', { name: 'Gone' })).body.id
    const rows = [
      {
        title: 'a "quoted" \\ é',
        size: 1,
        done: true,
        state: 'open',
        labels: ['x', 'y'],
        extra: { a: [1, null] },
        project,
      },
      { title: 'b', size: -7, done: false, other: gone, extra: '"text"' },
      { title: 'c', project: gone, other: project },
    ]
    for (const row of rows) expect((await host.post('/data/piece', row)).status).toBe(201)
    expect((await host.delete(`/data/project/${gone}`)).status).toBe(200)
  }, 60_000)

  it.each([
    ['with plain relations', plain],
    ['with relations of relations', query],
  ])('%s is the same every time, and what is behind it', async (_name, asked) => {
    const seen = new Set<string>()
    for (let round = 0; round < 4; round += 1) {
      const { body } = await ask(asked, { where: { size: { lt: 5 } } })
      const { nextCursor, ...pieces } = body.data.pieces
      seen.add(JSON.stringify({ ...body, data: pieces, goesOn: nextCursor !== null }))
    }
    expect([...seen]).toHaveLength(1)
    const [first] = JSON.parse([...seen][0]!).data.records
    expect(first).toMatchObject({
      called: 'a "quoted" \\ é',
      size: 1,
      other: null,
      otherId: null,
      project: { id: project },
    })
  })

  it('goes on behind every such page', async () => {
    const page = (cursor?: string) =>
      dataOf(
        'query ($cursor: String) { pieceList(cursor: $cursor, orderBy: [{field: size, order: desc}], top: 1) { nextCursor records { title } } }',
        { cursor },
      )
    for (let round = 0; round < 3; round += 1) {
      const titles: string[] = []
      for (let next: string | null | undefined; next !== null;) {
        const { pieceList } = await page(next)
        titles.push(pieceList.records[0].title)
        next = pieceList.nextCursor
      }
      expect(titles).toEqual(['a "quoted" \\ é', 'b', 'c'])
    }
  })

  it('shows what was written in between', async () => {
    const titles = async () => {
      const { pieceList } = await dataOf(
        '{ pieceList(orderBy: [{field: title, order: asc}]) { records { title projectId } } }',
      )
      return pieceList.records
    }
    const before = [await titles(), await titles(), await titles()]
    expect(before[2]).toEqual(before[0])
    const made = (await host.post('/data/piece', { title: 'd', project })).body.id
    expect(await titles()).toEqual([...before[0], { title: 'd', projectId: project }])
    await host.delete(`/data/piece/${made}`)
    expect(await titles()).toEqual(before[0])
  })
})
