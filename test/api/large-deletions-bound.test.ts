// The bound of D-61: a deletion that would meet more records than one transaction may is refused, and nothing is done.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { onlyInLongRun } from '../support/test-size.ts'

const bound = 100_000

describe('a deletion that meets more than 100,000 records', { timeout: 600_000 }, () => {
  let host: TestHost

  beforeAll(async () => {
    host = await createTestHost()
    await host.defineObject('firm', { name: { type: 'text' } })
    await host.defineObject(
      'part',
      { firm: { type: 'master_detail', reference: 'firm' } },
      { enable: { searchable: false } },
    )
    await host.defineObject(
      'person',
      { firm: { type: 'lookup', reference: 'firm' } },
      { enable: { searchable: false } },
    )
  })
  afterAll(() => host.stop())

  /** A firm that so many records of an object point at: the first by the API, the others as copies of its row. */
  let fills = 0
  const firmWith = async (object: string, count: number): Promise<string> => {
    fills += 1
    const { id } = (await host.post('/data/firm', { name: 'one' })).body
    const first = await host.post(`/data/${object}`, { firm: id })
    const { database } = host.host
    const columns = database.read
      .all<{ name: string }>({ sql: `SELECT name FROM pragma_table_info('o_${object}') WHERE pk = 0`, parameters: [] })
      .map(({ name }) => `"${name}"`)
    const uuid = `printf('%s-%04x-7%03x-8000-%012x', substr(id, 1, 8), abs(random()) % 65536, ${fills}, n)`
    const values = columns.map((name) => (name === '"id"' ? uuid : name))
    await database.write('test.fill', (tx) => {
      tx.run({
        sql: `WITH RECURSIVE at(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM at WHERE n < ?)
              INSERT INTO o_${object} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM at, o_${object} WHERE id = ?`,
        parameters: [count, first.body.id],
      })
    })
    return id
  }
  const pointing = async (object: string, id: string): Promise<number> =>
    (await host.get(`/data/${object}?filter=${encodeURIComponent(`{"firm":"${id}"}`)}&top=1&count=true`)).body.total

  it.each(['part', 'person'])('is refused with how many there are, and does nothing: %s', async (object) => {
    const count = bound + 1
    const id = await firmWith(object, count)
    const details = {
      reason: 'too_many_records',
      limit: bound,
      dependentObject: object,
      dependentField: 'firm',
      dependentCount: count,
    }
    host.takeEvents()
    for (const path of [`/data/firm/${id}`, `/data/firm/${id}?purge=true`]) {
      const { status, body } = await host.delete(path)
      expect([status, body.error]).toMatchObject([409, { code: 'delete_restricted', details }])
    }
    const many = await host.post('/data/firm/deleteMany', { ids: [id], options: { atomic: true } })
    expect([many.status, JSON.stringify(many.body)]).toEqual([many.status, expect.stringContaining('too_many_records')])
    expect(host.takeEvents()).toEqual([])
    expect((await host.get(`/data/firm/${id}`)).status).toBe(200)
    expect(await pointing(object, id)).toBe(count)
  })

  it('is that of all records which one transaction names, and of exactly so many none', async (test) => {
    onlyInLongRun(test)
    const [first, second] = [await firmWith('part', bound / 2), await firmWith('part', bound / 2 + 1)]
    const both = { ids: [first, second], options: { atomic: true } }
    expect(JSON.stringify((await host.post('/data/firm/deleteMany', both)).body)).toContain('too_many_records')
    expect([await pointing('part', first), await pointing('part', second)]).toEqual([bound / 2, bound / 2 + 1])
    const { records } = (await host.get(`/data/part?filter=${encodeURIComponent(`{"firm":"${second}"}`)}&top=1`)).body
    expect((await host.delete(`/data/part/${records[0].id}`)).status).toBe(200)
    const { status, body } = await host.post('/data/firm/deleteMany', both)
    expect(status, JSON.stringify(body)).toBe(200)
    expect([await pointing('part', first), await pointing('part', second)]).toEqual([0, 0])
  })
})
