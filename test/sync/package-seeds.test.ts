// Records that packages bring, where two machines of a workspace install the same one: they make the same records.
import { afterEach, describe, expect, it } from 'vitest'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

const packageId = 'org.test.seedbox'
const object = 'seedbox_kind'
const running: TestHost[] = []

afterEach(async () => {
  for (const host of running.splice(0)) await host.stop()
})

/** A package with an object and two records that are named by their code. */
function release(version = '1.0.0', label = 'Small'): object {
  const fields = { code: { type: 'text', externalId: true }, title: { type: 'text' } }
  return {
    ...{ id: packageId, name: 'Seed box', version, type: 'app', namespace: 'seedbox' },
    metadata: [{ type: 'object', name: object, item: { name: object, label: 'Kind', fields } }],
    data: [
      {
        ...{ object, mode: 'upsert', externalId: 'code' },
        records: [
          { code: 'S', title: label },
          { code: 'L', title: 'Large' },
        ],
      },
    ],
  }
}

async function start(): Promise<{ desk: TestHost; laptop: TestHost }> {
  const desk = await startFounder('Desk')
  const laptop = await createSyncedHost()
  running.push(desk, laptop)
  return { desk, laptop }
}

const install = async (host: TestHost, manifest = release()) => {
  const answer = await host.post('/packages', { manifest })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
}

const recordsOf = async (host: TestHost): Promise<{ id: string; code: string; title: string }[]> =>
  (await host.get(`/data/${object}?sort=code`)).body.records ?? []

/** The records of both, which must be the same. */
async function sharedRecords(desk: TestHost, laptop: TestHost) {
  const shown = async (host: TestHost) => (await recordsOf(host)).map(({ id, code, title }) => ({ id, code, title }))
  await inStep([desk, laptop])
  await until('both show the same', async () => {
    return JSON.stringify(await shown(desk)) === JSON.stringify(await shown(laptop))
  })
  for (const host of [desk, laptop]) expect((await host.get('/sync/conflicts')).body.conflicts).toEqual([])
  return shown(desk)
}

describe('a package that two machines install', () => {
  it.each(sized(['desk'] as const, ['desk', 'laptop'] as const))(
    'brings each record once: before they are paired, %s first',
    async (first) => {
      const { desk, laptop } = await start()
      for (const host of first === 'desk' ? [desk, laptop] : [laptop, desk]) await install(host)
      await pair(desk, laptop, 'Laptop', {}, { keepOwn: true })
      await until('nothing is kept aside', async () => (await laptop.get('/sync/aside')).body.objects.length === 0)
      const records = await sharedRecords(desk, laptop)
      expect(records.map(({ code }) => code)).toEqual(['L', 'S'])
    },
  )

  it.each(sized(['desk'] as const, ['desk', 'laptop'] as const))(
    'brings each record once: after they are paired, %s first',
    async (first) => {
      const { desk, laptop } = await start()
      await pair(desk, laptop)
      const [one, other] = first === 'desk' ? [desk, laptop] : [laptop, desk]
      await install(one)
      await until('it has arrived', async () => (await recordsOf(other)).length === 2)
      const [large] = await recordsOf(other)
      expect((await one.patch(`/data/${object}/${large!.id}`, { title: 'Huge' })).status).toBe(200)
      await until('it was renamed', async () => (await recordsOf(other))[0]!.title === 'Huge')
      await install(other)
      // What people wrote meanwhile stays.
      expect(await sharedRecords(desk, laptop)).toMatchObject([
        { code: 'L', title: 'Huge' },
        { code: 'S', title: 'Small' },
      ])
    },
  )

  it('knows its records in upgrades, on the machine that made them and on the other one', async () => {
    const { desk, laptop } = await start()
    for (const host of [desk, laptop]) await install(host)
    await pair(desk, laptop, 'Laptop', {}, { keepOwn: true })
    const [large, small] = await sharedRecords(desk, laptop)
    for (const [host, version, label] of [
      [desk, '1.1.0', 'Little'],
      [laptop, '1.2.0', 'Tiny'],
    ] as const) {
      const answer = await host.post('/packages/upgrade', { packageId, manifest: release(version, label) })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect((await sharedRecords(desk, laptop)).map(({ id }) => id)).toEqual([large!.id, small!.id])
    }
    // Renamed by a person, it is the record of the package all the same; removed for good, it stays so.
    expect((await laptop.patch(`/data/${object}/${small!.id}`, { code: 'XS' })).status).toBe(200)
    expect((await laptop.delete(`/data/${object}/${large!.id}?purge=true`)).status).toBe(200)
    await until('it is gone', async () => (await recordsOf(desk)).length === 1)
    const next = await desk.post('/packages/upgrade', { packageId, manifest: release('1.3.0', 'Mini') })
    expect(next.status, JSON.stringify(next.body)).toBe(200)
    expect(await sharedRecords(desk, laptop)).toMatchObject([{ id: small!.id, code: 'XS' }])
  })

  it('has the same records again once it is installed anew', async () => {
    const { desk, laptop } = await start()
    await pair(desk, laptop)
    await install(desk)
    await until('it has arrived', async () => (await recordsOf(laptop)).length === 2)
    const before = await sharedRecords(desk, laptop)
    const gone = await desk.delete(`/packages/${packageId}?keepData=true`)
    expect(gone.status, JSON.stringify(gone.body)).toBe(200)
    await inStep([desk, laptop])
    await install(desk)
    expect(await sharedRecords(desk, laptop)).toEqual(before)
  })
})
