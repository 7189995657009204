// Taking back a bulk of writes on one machine while another one has edited some of the records: what was edited stays, and
// what nobody could know of is a conflict.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { changed, made } from '../support/record-calls.ts'
import { apart, createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('firm', {
    name: { type: 'text' },
    city: { type: 'text' },
    notes: { type: 'textarea' },
  })
  await desk.defineObject('tally', {
    name: { type: 'text' },
    parts: { type: 'summary', summaryOperations: { object: 'part', function: 'count' } },
  })
  await desk.defineObject('part', { name: { type: 'text' }, tally: { type: 'master_detail', reference: 'tally' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

async function ended(id: string) {
  return until('the job is over', async () => {
    const job = (await desk.get(`/data/import/jobs/${id}`)).body
    return ['pending', 'running'].includes(job.status) ? undefined : job
  })
}

/** Imports on the desk; answers the job and the records by name, as both machines have them. */
async function imported(object: string, body: object) {
  const { status, body: job } = await desk.post(`/data/${object}/import/jobs`, body)
  expect(status, JSON.stringify(job)).toBe(202)
  expect(await ended(job.jobId)).toMatchObject({ status: 'completed', failed: 0 })
  await inStep([desk, laptop])
  const { records } = (await laptop.get(`/data/${object}?top=1000`)).body
  return {
    job: job.jobId,
    ids: new Map<string, string>(records.map(({ name, id }: Record<'name' | 'id', string>) => [name, id])),
  }
}

async function undone(job: string) {
  expect([200, 202]).toContain((await desk.post(`/data/import/jobs/${job}/undo`)).status)
  return ended(job)
}

const recordOf = async (host: TestHost, object: string, id: string) =>
  (await host.get(`/data/${object}/${id}`)).body.record

describe('undo of an import', { timeout: 60_000 }, () => {
  it('keeps what another machine has edited since', async () => {
    const known = await made(desk, 'firm', { name: 'Known', city: 'Bern' })
    const { job, ids } = await imported('firm', {
      csv: 'name,city\nKnown,Basel\nA,Chur\nB,Chur\nC,Chur\n',
      writeMode: 'upsert',
      matchFields: ['name'],
    })
    await changed(laptop, 'firm', ids.get('A')!, { city: 'Olten' })
    await changed(laptop, 'firm', ids.get('B')!, { notes: 'Written on the laptop.' })
    await changed(laptop, 'firm', known, { city: 'Thun' })
    await inStep([desk, laptop])
    expect(await undone(job)).toMatchObject({ status: 'undone', undo: { purged: 1, restored: 0, kept: 3 } })
    await inStep([desk, laptop])
    for (const host of [desk, laptop]) {
      expect(await recordOf(host, 'firm', ids.get('A')!)).toMatchObject({ city: 'Olten' })
      expect(await recordOf(host, 'firm', ids.get('B')!)).toMatchObject({ notes: 'Written on the laptop.' })
      expect(await recordOf(host, 'firm', known)).toMatchObject({ city: 'Thun' })
      expect((await host.get(`/data/firm/${ids.get('C')}`)).status).toBe(404)
    }
  })

  it('keeps what was edited there where a summary has changed the record after that', async () => {
    const { job, ids } = await imported('tally', { csv: 'name\nEdited\nOnly counted\n' })
    const [edited, counted] = [ids.get('Edited')!, ids.get('Only counted')!]
    await changed(laptop, 'tally', edited, { name: 'Edited on the laptop' })
    await inStep([desk, laptop])
    await made(desk, 'part', { name: 'Bolt', tally: edited })
    expect(await recordOf(desk, 'tally', edited)).toMatchObject({ parts: 1 })
    expect(await undone(job)).toMatchObject({ status: 'undone', undo: { purged: 1, kept: 1 } })
    await inStep([desk, laptop])
    for (const host of [desk, laptop]) {
      expect(await recordOf(host, 'tally', edited)).toMatchObject({ name: 'Edited on the laptop', parts: 1 })
      expect((await host.get(`/data/tally/${counted}`)).status).toBe(404)
    }
  })

  it('of what was edited there and not told yet is a conflict on both, and the edit can be had again', async () => {
    const { job, ids } = await imported('firm', { csv: 'name,city\nD,Chur\nE,Chur\n' })
    const [created, other] = [ids.get('D')!, ids.get('E')!]
    await apart(laptop, [desk], async () => {
      await changed(laptop, 'firm', created, { city: 'Visp' })
      expect(await undone(job)).toMatchObject({ undo: { purged: 2, kept: 0 } })
    })
    for (const host of [desk, laptop]) {
      const { conflicts } = (await host.get(`/sync/conflicts?recordId=${created}`)).body
      expect(conflicts).toMatchObject([{ kind: 'delete_edit', losers: [{ value: { city: 'Visp' } }] }])
      expect((await host.get(`/sync/conflicts?recordId=${other}`)).body.conflicts).toEqual([])
    }
  })
})

describe('undo of a change of many records', { timeout: 60_000 }, () => {
  it('names the version it was left with, so an edit of another machine stays', async () => {
    const ids = [
      await made(desk, 'firm', { name: 'F', city: 'Bern' }),
      await made(desk, 'firm', { name: 'G', city: 'Bern' }),
    ]
    const options = { atomic: false, continueOnError: true, returnRecords: true }
    const bulk = async (records: object[]) => (await desk.post('/data/firm/updateMany', { records, options })).body
    const { results } = await bulk(ids.map((id) => ({ id, data: { city: 'Basel' } })))
    await inStep([desk, laptop])
    await changed(laptop, 'firm', ids[0]!, { city: 'Sion' })
    await inStep([desk, laptop])
    const back = await bulk(
      ids.map((id, at) => ({ id, data: { city: 'Bern' }, expectedVersion: results[at].record.updated_at })),
    )
    expect(back.results).toMatchObject([{ success: false, errors: [{ code: 'CONCURRENT_UPDATE' }] }, { success: true }])
    await inStep([desk, laptop])
    for (const host of [desk, laptop])
      expect([await recordOf(host, 'firm', ids[0]!), await recordOf(host, 'firm', ids[1]!)]).toMatchObject([
        { city: 'Sion' },
        { city: 'Bern' },
      ])
  })
})
