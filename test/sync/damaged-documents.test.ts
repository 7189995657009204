// A document whose bytes are damaged on the disk of one machine: another one gives it back, and nothing that was written
// meanwhile is lost. What failed by a fault of the program is tried again by the next start.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { createSyncedHost, inStep, pair, startFounder, until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', { title: { type: 'text' }, notes: { type: 'markdown' } })
  laptop = await createSyncedHost()
  await pair(desk, laptop, 'Laptop')
  await inStep([desk, laptop])
}, 60_000)

afterAll(async () => {
  for (const host of [laptop, desk]) await host?.stop()
})

const recordOn = async (host: TestHost, id: string) => (await host.get(`/data/part/${id}`)).body.record
const counts = async (host: TestHost) => (await host.get('/sync/status')).body.counts

async function made(data: Record<string, unknown>): Promise<string> {
  const { id } = (await laptop.post('/data/part', data)).body
  await inStep([desk, laptop])
  return id
}

/** Damages the documents of a record on the disk of a machine. */
async function damage(host: TestHost, id: string, letter: string): Promise<void> {
  const sql = "UPDATE sync_doc SET state = x'010203' WHERE name LIKE ?"
  await host.host.database.write('test.damage', (tx) => tx.run(statement(sql, [`${letter}/%${id}%`])))
}

/** Where, which kind of document, and what is changed on the other machine then. */
const damages = [
  ['desk', 'r', { title: 'Changed' }],
  ['laptop', 'r', { title: 'Changed' }],
  ['desk', 't', { notes: 'One two three four' }],
] as const

describe('a document that is damaged', { timeout: 60_000 }, () => {
  it.each(sized(damages.slice(0, 1), [...damages]))(
    'is given back by the other machine: on the %s, of kind %s',
    async (where, letter, change) => {
      const id = await made({ title: 'Bolt', notes: 'One two three' })
      const [here, there] = where === 'desk' ? [desk, laptop] : [laptop, desk]
      await damage(here, id, letter)
      expect((await there.patch(`/data/part/${id}`, change)).status).toBe(200)
      await until('the edit arrives', async () => {
        const record = await recordOn(here, id)
        return Object.entries(change).every(([field, value]) => record[field] === value)
      })
      await inStep([desk, laptop])
      expect(await counts(here)).toMatchObject({ parked: 0, quarantined: 0 })
      expect((await here.patch(`/data/part/${id}`, { title: 'Back again' })).status).toBe(200)
      await until('it goes on', async () => (await recordOn(there, id)).title === 'Back again')
    },
  )

  it('is given back once somebody is there who has it', async () => {
    const id = await made({ title: 'Nut' })
    await damage(desk, id, 'r')
    expect((await laptop.patch(`/data/part/${id}`, { title: 'Changed apart' })).status).toBe(200)
    await until('the edit arrives', async () => (await recordOn(desk, id)).title === 'Changed apart')
    await damage(desk, id, 'r')
    await laptop.patch('/sync/settings', { paused: true })
    await desk.restart()
    await laptop.patch(`/data/part/${id}`, { title: 'Changed again' })
    await laptop.patch('/sync/settings', { paused: false })
    await until('the edit arrives', async () => (await recordOn(desk, id)).title === 'Changed again')
    await inStep([desk, laptop])
  })
})

describe('what failed by a fault of the program', { timeout: 60_000 }, () => {
  it('is tried again by the next start', async () => {
    const id = await made({ title: 'Washer' })
    const fail = `CREATE TRIGGER fault BEFORE UPDATE ON o_part BEGIN SELECT RAISE(ABORT, 'a fault'); END`
    await desk.host.database.write('test.fault', (tx) => tx.run(statement(fail)))
    await laptop.patch(`/data/part/${id}`, { title: 'Changed' })
    await until('it lies aside', async () => (await counts(desk)).quarantined === 1)
    await desk.host.database.write('test.mended', (tx) => tx.run(statement('DROP TRIGGER fault')))
    await desk.restart()
    await until('the edit arrives', async () => (await recordOn(desk, id)).title === 'Changed')
    await inStep([desk, laptop])
    expect(await counts(desk)).toMatchObject({ parked: 0, quarantined: 0 })
  })
})
