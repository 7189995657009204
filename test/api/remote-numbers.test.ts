// Numbers of autonumber fields on machines that do not issue them, and on the one that does (sync.md 5).
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '#main/kernel/ids.ts'
import { systemClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createTestHost } from '../support/create-test-host.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { applyTo, dataOf, inWrite, remoteActor, remoteContext, rowOf } from '../support/remote-replay.ts'

const ids = createIds(systemClock)
const uuid = (): string => ids.uuid()
const by = remoteActor.id
const at = '2026-03-01T10:00:00.000Z'
const created = { at, by }

describe('numbers', () => {
  /** What the counter stands at; null before the first number. */
  const counter = (host: TestHost): number | null =>
    host.host.database.read.get<{ n: number | null }>(statement('SELECT max(next_number) AS n FROM data_autonumber'))!.n

  let other: TestHost
  let issues = false

  beforeAll(async () => {
    other = await createTestHost()
    await other.defineObject('bill', {
      name: { type: 'text' },
      number: { type: 'autonumber', autonumberFormat: 'B-{YYYY}-{000}', unique: true },
    })
    let count = 0
    dataOf(other).setNumbering({ provisional: () => (issues ? null : `#~7K3-${(count += 1)}`) })
  })

  afterAll(() => other.stop())

  const numberOf = async (id: string): Promise<string> => (await other.get(`/data/bill/${id}`)).body.record.number

  it('are provisional until the issuer has seen the record, and final ever after', async () => {
    const { id, record } = (await other.post('/data/bill', { name: 'first' })).body
    expect(record.number).toBe('#~7K3-1')
    expect(counter(other)).toBeNull()
    const final = { object: 'bill', id, values: { number: 'B-2026-041' } }
    expect((await applyTo(other, final)).changed).toBe(true)
    expect(await numberOf(id)).toBe('B-2026-041')
    expect(await inWrite(other, (tx, data) => data.issueNumbers(tx, remoteContext(), { object: 'bill', id }))).toBe(
      false,
    )
  })

  it('are issued behind every number that came from elsewhere', async () => {
    issues = true
    const year = new Date().getFullYear()
    const { record } = (await other.post('/data/bill', { name: 'mine' })).body
    expect(record.number).toBe(`B-${year}-042`)
    // Neither damage nor a text of another form moves the counter.
    for (const number of ['B-2026-99999999999999999', 'C-900', '#~1-999', 'B-2026-050x', 7, null])
      await applyTo(other, { object: 'bill', id: uuid(), values: { number }, created })
    expect((await other.post('/data/bill', {})).body.record.number).toBe(`B-${year}-043`)
  })

  it('replace the provisional text of a record, live or deleted, with an event', async () => {
    const year = new Date().getFullYear()
    const [live, gone] = [uuid(), uuid()]
    const values = { name: 'far', number: '#~AB2-7' }
    await applyTo(other, { object: 'bill', id: live, values, created })
    await applyTo(other, { object: 'bill', id: gone, values, created, deleted: { at, by } })
    other.takeEvents()
    const ctx = { ...remoteContext({ type: 'system', id: 'system' }), source: 'system' as const }
    const issue = (id: string) => inWrite(other, (tx, data) => data.issueNumbers(tx, ctx, { object: 'bill', id }))
    expect([await issue(live), await issue(gone), await issue(live), await issue(uuid())]).toEqual([
      true,
      true,
      false,
      false,
    ])
    const [event, second] = other.takeEvents()
    expect(event).toMatchObject({
      type: 'record.updated',
      recordId: live,
      source: 'system',
      payload: { changes: { number: { old: '#~AB2-7', new: `B-${year}-044` } } },
    })
    expect(second).toMatchObject({ type: 'record.updated', recordId: gone })
    expect(rowOf(other, 'bill', gone)).toMatchObject({ number: `B-${year}-045`, updated_by: 'system' })
    expect((await other.get(`/data/bill?search=${year}-044`)).body.records).toHaveLength(1)
    expect((await other.get('/data/bill?search=AB2')).body.records).toHaveLength(0)
  })

  it('have one issuer', () => {
    expect(() => dataOf(other).setNumbering({ provisional: () => null })).toThrow('numbering')
  })
})
