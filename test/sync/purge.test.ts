// What is removed for good: its content leaves the documents of every machine, its digests stay equal, and no copy that
// comes late brings it back.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '#main/kernel/clock.ts'
import { statement } from '#main/kernel/database.ts'
import { createTrashRetention } from '#main/plugins/data/service/trash-retention.ts'
import type { DeletionMark } from '#main/plugins/sync/write/deletion-mark.ts'
import { readDocument } from '#main/plugins/sync/store/doc-store.ts'
import { markAt } from '#main/replication/core/register.ts'
import type { TestHost } from '../support/create-test-host.ts'
import { addItem, pageOf } from '../support/feed-calls.ts'
import { createSyncedHost, pair, pause, startFounder, until } from '../support/synced-hosts.ts'

let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  desk = await startFounder('Desk')
  await desk.defineObject('part', {
    title: { type: 'text' },
    labels: { type: 'tags' },
    notes: { type: 'markdown' },
    size: { type: 'number' },
  })
  laptop = await createSyncedHost()
  await pair(desk, laptop)
}, 60_000)

afterAll(async () => {
  await laptop?.stop()
  await desk?.stop()
})

const both = (): TestHost[] => [desk, laptop]
const inStep = async (): Promise<void> => {
  for (const host of both())
    await until('both are in step', async () => {
      const { state, reason } = (await host.get('/sync/status')).body
      return state === 'up_to_date' || reason === 'conflicts'
    })
}
/** The names of a record's documents whose bytes hold a word. */
const documentsWith = (host: TestHost, id: string, word: string): string[] =>
  host.host.database.read
    .all<{ name: string; state: Uint8Array }>(
      statement('SELECT name, state FROM sync_doc WHERE instr(name, ?) > 0 ORDER BY name', [id]),
    )
    .filter(({ state }) => Buffer.from(state).includes(word))
    .map(({ name }) => name.slice(0, 1))
const hashesOf = (host: TestHost, id: string): unknown =>
  host.host.database.read
    .all<{ name: string; lhash: Uint8Array }>(
      statement('SELECT name, lhash FROM sync_doc WHERE instr(name, ?) > 0 ORDER BY name', [id]),
    )
    .map(({ name, lhash }) => [name, Buffer.from(lhash).toString('hex')])
/** How many machines' words in the record's feed whoever removed it had seen (D-379). */
const feedsSeen = (host: TestHost, id: string): number => {
  const { read } = host.host.database
  const named = statement<{ name: string }>("SELECT name FROM sync_doc WHERE name LIKE 'r/%' AND instr(name, ?) > 0", [
    id,
  ])
  const { register } = readDocument(read, read.get(named)!.name)!
  const mark = markAt(register, '_purge') as DeletionMark | null
  return Object.keys(mark?.feed ?? {}).length
}

/** A record full of a word: in its values, a member of a list, its text, its feed. */
async function full(): Promise<string> {
  const values = { title: 'quicksilver', labels: ['quicksilver'], notes: 'A text about quicksilver.' }
  const { id } = (await desk.post('/data/part', values)).body
  await addItem(desk, `part/${id}`, { body: 'quicksilver, he said' })
  await until('it came', async () => (await laptop.get(`/data/part/${id}`)).status === 200)
  await inStep()
  for (const host of both()) expect(documentsWith(host, id, 'quicksilver')).toEqual(['f', 'r', 't'])
  return id
}
const purge = async (host: TestHost, id: string): Promise<void> => {
  expect((await host.delete(`/data/part/${id}?purge=true`)).status).toBe(200)
}
const gone = async (id: string): Promise<void> => {
  for (const host of both()) {
    await until('it is gone', async () => (await host.get(`/data/part/${id}`)).status === 404)
    expect((await host.post(`/data/part/${id}/restore`)).status).toBe(404)
  }
}

describe('a record that is removed for good', () => {
  it('leaves nothing of what it said in the documents of any machine', async () => {
    const id = await full()
    await purge(laptop, id)
    await gone(id)
    await until('nothing is left', () => both().every((host) => documentsWith(host, id, 'quicksilver').length === 0))
    await inStep()
    expect(hashesOf(laptop, id)).toEqual(hashesOf(desk, id))
    for (const host of both()) expect((await host.get('/sync/conflicts')).body.total).toBe(0)
  })

  it('is not brought back by what somebody wrote without knowing, which is told', async () => {
    const id = await full()
    await laptop.patch('/sync/settings', { paused: true })
    await purge(desk, id)
    expect((await laptop.patch(`/data/part/${id}`, { title: 'Meanwhile', notes: 'Another text.' })).status).toBe(200)
    await addItem(laptop, `part/${id}`, { body: 'Said meanwhile' })
    await laptop.patch('/sync/settings', { paused: false })
    await gone(id)
    for (const host of both()) {
      await until('nothing is left', () => documentsWith(host, id, 'quicksilver').length === 0)
      const { conflicts } = await until('it is listed', async () => {
        const { body } = await host.get('/sync/conflicts')
        return body.total === 1 ? body : undefined
      })
      expect(conflicts).toMatchObject([
        {
          kind: 'delete_edit',
          recordId: id,
          base: { title: 'quicksilver' },
          winner: { value: null },
          losers: [{ value: { title: 'Meanwhile' } }],
          isGone: true,
        },
      ])
    }
    await inStep()
    expect(hashesOf(laptop, id)).toEqual(hashesOf(desk, id))
    const [{ id: conflict }] = (await desk.get('/sync/conflicts')).body.conflicts
    const restored = await desk.post(`/sync/conflicts/${conflict}/resolve`, { choice: 'restore' })
    expect([restored.status, restored.body.error.code]).toEqual([400, 'validation_error'])
    const kept = await desk.post(`/sync/conflicts/${conflict}/resolve`, { choice: 'delete' })
    expect([kept.status, kept.body.record]).toEqual([200, null])
    for (const host of both()) {
      await until('it is over', async () => (await host.get('/sync/conflicts')).body.total === 0)
      for (const word of ['Meanwhile', 'Another text', 'Said meanwhile'])
        await until('nothing is left', () => documentsWith(host, id, word).length === 0)
    }
    // A stale copy as a repair would bring it.
    for (const host of both()) await host.post('/sync/verify')
    await inStep()
    await gone(id)
    for (const host of both()) expect(feedsSeen(host, id)).toBe(2)
  })

  it('is told of where a long text alone was written without knowing, until that is given up', async () => {
    const ids = [await full(), await full()]
    await pause(laptop, true)
    for (const id of ids) await desk.patch(`/data/part/${id}`, { notes: 'A text about quicksilver. Meanwhile.' })
    await purge(laptop, ids[0]!)
    await laptop.post('/sync/disable')
    await purge(laptop, ids[1]!)
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await pause(laptop, false)
    for (const host of both()) {
      const { conflicts } = await until('both are listed', async () => {
        const { body } = await host.get('/sync/conflicts')
        return body.total === 2 ? body : undefined
      })
      for (const one of conflicts)
        expect(one).toMatchObject({
          ...{ kind: 'delete_edit', baseUnknown: true, winner: { value: null }, isGone: true },
          losers: [{ value: { notes: ' Meanwhile.' }, device: { name: 'Desk' } }],
        })
      expect(conflicts.map(({ recordId }: { recordId: string }) => recordId).sort()).toEqual(ids.toSorted())
    }
    for (const { id } of (await laptop.get('/sync/conflicts')).body.conflicts)
      expect((await laptop.post(`/sync/conflicts/${id}/resolve`, { choice: 'delete' })).status).toBe(200)
    for (const host of both()) {
      await until('it is over', async () => (await host.get('/sync/conflicts')).body.total === 0)
      for (const id of ids) await until('nothing is left', () => documentsWith(host, id, 'Meanwhile').length === 0)
    }
  })

  it('breaks no limit by what somebody wrote into it without knowing of either', async () => {
    const leaf = (limit: object) =>
      desk.defineObject('leaf', { title: { type: 'text' }, notes: { type: 'markdown', ...limit } })
    await leaf({})
    const { id } = (await desk.post('/data/leaf', { title: 'A' })).body
    await until('it came', async () => (await laptop.get(`/data/leaf/${id}`)).status === 200)
    await inStep()
    await pause(laptop, true)
    await laptop.patch(`/data/leaf/${id}`, { title: 'B', notes: 'Too long by far.' })
    await leaf({ maxLength: 5 })
    expect((await desk.delete(`/data/leaf/${id}?purge=true`)).status).toBe(200)
    await pause(laptop, false)
    for (const host of both()) {
      await until('it is listed', async () => (await host.get('/sync/conflicts')).body.total > 0)
      await inStep()
      expect((await host.get('/sync/conflicts')).body.conflicts).toMatchObject([{ kind: 'delete_edit', recordId: id }])
      expect((await host.get('/sync/status')).body.counts.conflicts).toBe(1)
    }
    const [{ id: conflict }] = (await desk.get('/sync/conflicts')).body.conflicts
    await desk.post(`/sync/conflicts/${conflict}/resolve`, { choice: 'delete' })
    for (const host of both())
      await until('it is over', async () => (await host.get('/sync/conflicts')).body.total === 0)
  })

  it('while sync is off is emptied when it is turned on again', async () => {
    const id = await full()
    await laptop.post('/sync/disable')
    await purge(laptop, id)
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await gone(id)
    await until('nothing is left', () => both().every((host) => documentsWith(host, id, 'quicksilver').length === 0))
    await inStep()
    expect(hashesOf(laptop, id)).toEqual(hashesOf(desk, id))
    for (const host of both()) expect(feedsSeen(host, id)).toBe(1)
  })

  it('comes back with all of it where somebody restored it without knowing, and goes once that was seen', async () => {
    const id = await full()
    await desk.delete(`/data/part/${id}`)
    await until('it is in the trash', async () => (await laptop.get(`/data/part/${id}`)).status === 404)
    await inStep()
    await pause(laptop, true)
    expect((await laptop.post(`/data/part/${id}/restore`)).status).toBe(200)
    expect((await laptop.patch(`/data/part/${id}`, { size: 3 })).status).toBe(200)
    await purge(desk, id)
    await pause(laptop, false)
    await until('it is back', async () => (await desk.get(`/data/part/${id}`)).status === 200)
    await inStep()
    await desk.restart()
    await inStep()
    for (const host of both()) {
      const { record } = (await host.get(`/data/part/${id}`)).body
      expect(record).toMatchObject({
        title: 'quicksilver',
        labels: ['quicksilver'],
        notes: 'A text about quicksilver.',
      })
      expect(record.size).toBe(3)
      const { items } = await pageOf(host, `part/${id}/feed`)
      expect(items.map(({ body }: { body?: string }) => body)).toContain('quicksilver, he said')
      expect(documentsWith(host, id, 'quicksilver')).toEqual(['f', 'r', 't'])
      expect((await host.get('/sync/conflicts')).body.total).toBe(0)
    }
    expect(hashesOf(laptop, id)).toEqual(hashesOf(desk, id))
    await purge(laptop, id)
    await gone(id)
    await until('nothing is left', () => both().every((host) => documentsWith(host, id, 'quicksilver').length === 0))
  })
})

describe('what has been in the trash for too long', () => {
  const day = 86_400_000
  /** Empties the trash as the clock of the machine says in so many days. */
  const empty = async (host: TestHost, days: number): Promise<void> => {
    const { database, plugins } = host.host
    await createTrashRetention({
      metadata: plugins.service('metadata')!,
      settings: plugins.service('settings')!,
      data: plugins.service('data')!,
      sync: () => plugins.service('sync'),
      read: database.read,
      isBusy: () => false,
      clock: { ...systemClock, now: () => systemClock.now() + days * day },
      log: { info: () => undefined, warn: () => undefined } as never,
    })(new AbortController().signal)
  }
  const inTrash = async (host: TestHost, id: string): Promise<boolean> =>
    (await host.get('/data/part?deleted=only&top=1000')).body.records.some((one: { id: string }) => one.id === id)

  it('goes once all machines are known to have the same since, by the time this one has known of it (D-413)', async () => {
    await laptop.patch('/settings', { trashRetentionDays: 1 })
    const id = await full()
    await pause(laptop, true)
    await laptop.delete(`/data/part/${id}`)
    await empty(laptop, 2)
    expect(await inTrash(laptop, id)).toBe(true)
    await laptop.post('/sync/disable')
    await empty(laptop, 2)
    expect(await inTrash(laptop, id)).toBe(true)
    expect((await laptop.post('/sync/enable', { deviceName: 'Laptop' })).status).toBe(202)
    await pause(laptop, false)
    const deleted = new Date().toISOString()
    await until('the other machine knows', () => inTrash(desk, id))
    // Beside conflicts the state says less.
    await until('it is known to', async () => (await laptop.host.plugins.service('sync')!.sharedUntil())! > deleted)
    const early = new Date(systemClock.now() - 3 * day).toISOString()
    await laptop.host.database.write('test.clock', (tx) =>
      tx.run(statement('UPDATE o_part SET deleted_at = ? WHERE id = ?', [early, id])),
    )
    await empty(laptop, 0)
    expect(await inTrash(laptop, id)).toBe(true)
    await empty(laptop, 2)
    // In the trash it is not found either, and restoring it would bring it back.
    await until('the other machine has removed it', async () => !(await inTrash(desk, id)))
    await gone(id)
  })
})
