// Every way to end a conflict, on two hosts over real connections: both write while the network between them is cut, one
// of them decides, and both hold the same with nothing left to decide.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, TestHost } from '../support/create-test-host.ts'
import type { CutHosts } from '../support/cut-hosts.ts'
import { startCutHosts } from '../support/cut-hosts.ts'
import { until } from '../support/synced-hosts.ts'
import { sized } from '../support/test-size.ts'

let hosts: CutHosts
let desk: TestHost
let laptop: TestHost

beforeAll(async () => {
  hosts = await startCutHosts(async (host) => {
    await host.defineObject('shelf', { name: { type: 'text' } })
    await host.defineObject('part', {
      title: { type: 'text' },
      size: { type: 'number' },
      notes: { type: 'markdown' },
      code: { type: 'text', unique: true },
    })
    await host.defineObject('box', {
      title: { type: 'text' },
      shelf: { type: 'master_detail', reference: 'shelf' },
    })
  })
  ;({ desk, laptop } = hosts)
  await hosts.agree()
}, 90_000)

afterAll(async () => hosts?.stop())

const made = async (host: TestHost, data: object, object = 'part'): Promise<string> => {
  const answer = await host.post(`/data/${object}`, data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id
}
const changed = async (host: TestHost, id: string, data: object): Promise<void> => {
  const answer = await host.patch(`/data/part/${id}`, data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
}
const recordOf = async (host: TestHost, id: string, object = 'part') =>
  (await host.get(`/data/${object}/${id}`)).body.record
const openOn = async (host: TestHost, query = '') => (await host.get(`/sync/conflicts${query}`)).body.conflicts

/** The one conflict both hosts show, the same on both. */
async function onlyConflict() {
  await until(
    'both show a conflict',
    async () => (await openOn(desk)).length === 1 && (await openOn(laptop)).length === 1,
  )
  const [here] = await openOn(desk)
  const [there] = await openOn(laptop)
  const shared = ({ id, kind, recordId, field, winner, losers }: typeof here) =>
    // Nothing in a text says when it was begun.
    kind === 'text' ? [id, winner.value, losers[0].value] : { id, kind, recordId, field, winner, losers }
  expect(shared(there)).toEqual(shared(here))
  for (const host of [desk, laptop]) expect((await host.get('/sync/status')).body.counts.conflicts).toBe(1)
  return here
}

async function decide(host: TestHost, id: string, decision: object) {
  const answer = await host.post(`/sync/conflicts/${id}/resolve`, decision)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** Nothing is left to decide anywhere, and both have the same of these records. */
async function expectPeace(...ids: readonly string[]): Promise<void> {
  await until('nobody shows a conflict', async () => {
    const lists = await Promise.all([desk, laptop].map(async (host) => openOn(host)))
    return lists.every(({ length }) => length === 0)
  })
  await hosts.agree()
  for (const id of ids) {
    const [here, there] = [await recordOf(desk, id), await recordOf(laptop, id)]
    expect({ ...there, updated_at: '' }).toEqual({ ...here, updated_at: '' })
  }
}

/** Both write a field of one record while the network is cut; the laptop writes last. */
async function clash(field: string, base: unknown, here: unknown, there: unknown): Promise<string> {
  const id = await made(desk, { title: 'Part', [field]: base })
  await hosts.agree()
  await hosts.part()
  await changed(desk, id, { [field]: here })
  await changed(laptop, id, { [field]: there })
  return id
}

describe('a field that both wrote while they were apart', () => {
  it('is said to wait, and never to be up to date, before they meet', async () => {
    const id = await clash('size', 1, 2, 3)
    await changed(desk, id, { title: 'From the desk' })
    for (const [host, waiting] of [
      [desk, 2],
      [laptop, 1],
    ] as const) {
      const { body } = await host.get('/sync/status')
      expect(body).toMatchObject({ state: 'offline', outgoing: { waiting } })
      expect((await host.get(`/sync/records/part/${id}`)).body).toMatchObject({ state: 'here' })
    }
    await hosts.join()
    const conflict = await onlyConflict()
    expect(conflict).toMatchObject({ kind: 'field', field: 'size', winner: { value: 3 }, losers: [{ value: 2 }] })
    expect(conflict.winner.actor.name).toBeTypeOf('string')
    for (const host of [desk, laptop]) {
      expect((await host.get(`/sync/records/part/${id}`)).body).toMatchObject({ conflicts: 1, state: 'everywhere' })
      expect(await recordOf(host, id)).toMatchObject({ size: 3, title: 'From the desk' })
    }
    await decide(laptop, conflict.id, { choice: 'loser', loser: 0 })
    await expectPeace(id)
    expect(await recordOf(desk, id)).toMatchObject({ size: 2, title: 'From the desk' })
    for (const host of [desk, laptop])
      await until('it is proved', async () => (await host.get('/sync/status')).body.state === 'up_to_date')
  })

  it.each([
    ['winner', { choice: 'winner' }, 3],
    ['loser', { choice: 'loser', loser: 0 }, 2],
    ['value', { choice: 'value', value: 4 }, 4],
  ])('ends by %s', async (_choice, decision, size) => {
    const id = await clash('size', 1, 2, 3)
    await hosts.join()
    await decide(desk, (await onlyConflict()).id, decision)
    await expectPeace(id)
    expect(await recordOf(laptop, id)).toMatchObject({ size })
  })

  it.each([
    ['newest', 3],
    ['mine', 2],
    ['theirs', 3],
  ])('ends by %s, among others', async (choice, size) => {
    const id = await clash('size', 1, 2, 3)
    await hosts.join()
    const { id: conflict } = await onlyConflict()
    const { body } = await desk.post('/sync/conflicts/resolve', { ids: [conflict], choice })
    expect(body).toEqual({ resolved: [conflict], failed: [] })
    await expectPeace(id)
    expect(await recordOf(laptop, id)).toMatchObject({ size })
  })

  it('ends on both where both decide it the same while they are apart', async () => {
    const id = await clash('size', 1, 2, 3)
    await hosts.join()
    const { id: conflict } = await onlyConflict()
    await hosts.part()
    await decide(desk, conflict, { choice: 'loser', loser: 0 })
    await decide(laptop, conflict, { choice: 'loser', loser: 0 })
    await hosts.join()
    await expectPeace(id)
    expect(await recordOf(desk, id)).toMatchObject({ size: 2 })
  })
})

describe('a text that both began while they were apart', () => {
  it.each([
    ['both', ['The desk began.', 'The laptop began.']],
    ['winner', undefined],
    ['loser', undefined],
  ])('ends by %s', async (choice, words) => {
    const id = await clash('notes', null, 'The desk began.', 'The laptop began.')
    await hosts.join()
    const conflict = await onlyConflict()
    expect(conflict).toMatchObject({ kind: 'text', field: 'notes' })
    await decide(laptop, conflict.id, { choice })
    await expectPeace(id)
    const { notes } = await recordOf(desk, id)
    const expected = words ?? [choice === 'winner' ? conflict.winner.value : conflict.losers[0].value]
    for (const part of expected) expect(notes).toContain(part)
    if (words === undefined) expect(notes).toBe(expected[0])
  })
})

describe('a text that both began, and one corrected before they met', () => {
  it.each<[string, string, string]>([
    ['The desk has begun well.', 'loser', 'whole'],
    ['Final report', 'winner', 'whole'],
    ...sized<[string, string, string][]>(
      [],
      [
        ['The desk has begun well.', 'winner', 'whole'],
        ['Final report', 'loser', 'whole'],
        ['Final report', 'both', 'both'],
      ],
    ),
  ])('shows both whole, and ends by the whole of one: %s, %s', async (text, choice, expected) => {
    const id = await clash('notes', null, 'The desk began.', 'The laptop began.')
    await changed(desk, id, { notes: text })
    await hosts.join()
    const conflict = await onlyConflict()
    expect(conflict).toMatchObject({ kind: 'text', field: 'notes' })
    const sides = [conflict.winner.value, conflict.losers[0].value]
    expect(sides.toSorted()).toEqual([text, 'The laptop began.'].toSorted())
    await decide(laptop, conflict.id, { choice })
    await expectPeace(id)
    const { notes } = await recordOf(desk, id)
    if (expected === 'both') for (const side of sides) expect(notes).toContain(side)
    else expect(notes).toBe(sides[choice === 'winner' ? 0 : 1])
  })

  it('stays open where one goes on with its own text in the row that has both', async () => {
    const id = await clash('notes', null, 'Draft', 'Minutes')
    await changed(desk, id, { notes: 'Final report' })
    await hosts.join()
    const conflict = await onlyConflict()
    await changed(laptop, id, { title: 'Renamed' })
    await hosts.agree()
    expect((await onlyConflict()).id).toBe(conflict.id)
    const both = (await recordOf(laptop, id)).notes
    await changed(laptop, id, { notes: `${both} End` })
    await expectPeace(id)
  })
})

describe('a record that one deleted and the other edited', () => {
  const deletedAndEdited = async (): Promise<string> => {
    const id = await made(desk, { title: 'Part', size: 1 })
    await hosts.agree()
    await hosts.part()
    expect((await desk.delete(`/data/part/${id}`)).status).toBe(200)
    await changed(laptop, id, { title: 'Edited' })
    await hosts.join()
    return id
  }

  it('comes back with the edit', async () => {
    const id = await deletedAndEdited()
    const conflict = await onlyConflict()
    expect(conflict).toMatchObject({ kind: 'delete_edit', losers: [{ value: { title: 'Edited' } }] })
    await decide(laptop, conflict.id, { choice: 'restore' })
    await expectPeace(id)
    expect(await recordOf(desk, id)).toMatchObject({ title: 'Edited', size: 1 })
  })

  it('stays deleted', async () => {
    const id = await deletedAndEdited()
    await decide(laptop, (await onlyConflict()).id, { choice: 'delete' })
    await expectPeace()
    for (const host of [desk, laptop]) expect((await host.get(`/data/part/${id}`)).status).toBe(404)
  })
})

describe('a record whose parent the other one deleted', () => {
  const orphaned = async (): Promise<{ shelf: string; id: string }> => {
    const shelf = await made(desk, { name: 'Top' }, 'shelf')
    await hosts.agree()
    await hosts.part()
    expect((await desk.delete(`/data/shelf/${shelf}`)).status).toBe(200)
    const id = await made(laptop, { title: 'On it', shelf }, 'box')
    await hosts.join()
    return { shelf, id }
  }

  it('is adopted by its parent, which comes back', async () => {
    const { shelf, id } = await orphaned()
    const conflict = await onlyConflict()
    expect(conflict).toMatchObject({ kind: 'orphan', recordId: id, field: 'shelf' })
    await decide(laptop, conflict.id, { choice: 'adopt' })
    await expectPeace()
    expect(await recordOf(desk, id, 'box')).toMatchObject({ shelf })
    expect(await recordOf(laptop, id, 'box')).toMatchObject({ shelf })
    expect(await recordOf(desk, shelf, 'shelf')).toMatchObject({ name: 'Top' })
  })

  it('is adopted by another parent', async () => {
    const other = await made(desk, { name: 'Bottom' }, 'shelf')
    const { id } = await orphaned()
    await decide(desk, (await onlyConflict()).id, { choice: 'adopt', value: other })
    await expectPeace()
    expect(await recordOf(laptop, id, 'box')).toMatchObject({ shelf: other })
  })

  it('goes with it', async () => {
    const { id } = await orphaned()
    await decide(desk, (await onlyConflict()).id, { choice: 'delete' })
    await expectPeace()
    for (const host of [desk, laptop]) expect((await host.get(`/data/box/${id}`)).status).toBe(404)
  })
})

describe('a value that only one may have, taken by both', () => {
  let number = 0
  const taken = async () => {
    number += 1
    const code = `K${number}`
    await hosts.agree()
    await hosts.part()
    const first = await made(desk, { title: 'First', code })
    const second = await made(laptop, { title: 'Second', code, size: 7 })
    await hosts.join()
    return { code, first, second, conflict: await onlyConflict() }
  }

  it('ends by another value of the second', async () => {
    const { first, second, conflict } = await taken()
    expect(conflict).toMatchObject({ kind: 'unique', recordId: second, winner: { record: first } })
    await decide(laptop, conflict.id, { choice: 'value', value: 'other' })
    await expectPeace(first, second)
    expect(await recordOf(desk, second)).toMatchObject({ code: 'other' })
  })

  it('ends by one record of both', async () => {
    const { code, first, second, conflict } = await taken()
    await decide(laptop, conflict.id, { choice: 'merge' })
    await expectPeace(first)
    expect(await recordOf(desk, first)).toMatchObject({ title: 'First', code, size: 7 })
    for (const host of [desk, laptop]) expect((await host.get(`/data/part/${second}`)).status).toBe(404)
  })
})

it('catches up when a pause ends', async () => {
  const id = await made(desk, { title: 'Part', size: 1 })
  await hosts.agree()
  const [peer] = (await desk.get('/sync/peers')).body.peers
  expect((await desk.patch(`/sync/peers/${peer.id}`, { paused: true })).body.peer.state).toBe('paused')
  await changed(desk, id, { size: 2 })
  await changed(laptop, id, { title: 'Renamed' })
  expect((await desk.get('/sync/status')).body).toMatchObject({ state: 'offline', outgoing: { waiting: 1 } })
  await desk.patch(`/sync/peers/${peer.id}`, { paused: false })
  await until('both have all', async () => {
    const records = await Promise.all([desk, laptop].map(async (host) => recordOf(host, id)))
    return records.every(({ size, title }) => size === 2 && title === 'Renamed')
  })
  await expectPeace(id)
})

describe('what people and machines are called', () => {
  it('is known on a machine where a person has no account', async () => {
    const account = { email: 'ada@example.org', name: 'Ada Lovelace', password: 'correct horse battery', role: 'admin' }
    const user = await desk.post('/auth/admin/create-user', { ...account, data: { username: 'ada' } })
    expect(user.status, JSON.stringify(user.body)).toBe(200)
    const signed = await desk.anonymous('POST', '/auth/login', {
      username: 'ada',
      password: account.password,
    })
    const ada = (method: string, path: string, body: unknown): Promise<Answer> =>
      desk.anonymous(method, path, body, { authorization: `Bearer ${signed.body.token}` })
    const id = await made(desk, { title: 'Part', size: 7 })
    await hosts.agree()
    await hosts.part()
    expect((await ada('POST', `/data/part/${id}/feed`, { type: 'comment', body: 'Seen' })).status).toBe(201)
    expect((await ada('PATCH', `/data/part/${id}`, { size: 8 })).status).toBe(200)
    await changed(laptop, id, { size: 9 })
    await hosts.join()
    expect((await laptop.get(`/auth/admin/get-user?id=${user.body.user.id}`)).status).toBe(404)
    await until('the comment is under her name', async () => {
      const { items } = (await laptop.get(`/data/part/${id}/feed`)).body.data
      const comment = items.find((item: { body?: string }) => item.body === 'Seen')
      return comment?.actor.name === 'Ada Lovelace'
    })
    const conflict = await onlyConflict()
    // Values carry the machine they were written on: their side is named after the person it belongs to.
    for (const side of [conflict.winner, ...conflict.losers]) expect(side.actor.name).toBe('owner')
    await decide(laptop, conflict.id, { choice: 'winner' })
    await expectPeace(id)
  })

  it('follows a new name of a machine', async () => {
    const { status, body } = await laptop.patch('/sync/settings', { deviceName: 'Travel' })
    expect(status, JSON.stringify(body)).toBe(200)
    expect((await laptop.get('/sync/status')).body.device.name).toBe('Travel')
    await until('the other one knows', async () => (await desk.get('/sync/peers')).body.peers[0].name === 'Travel')
    const refused = await laptop.patch('/sync/settings', { deviceName: ' ' })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error'])
    await laptop.restart()
    expect((await laptop.get('/sync/status')).body.device.name).toBe('Travel')
  })
})
