// Subscriptions (D-142) and what subscribers are told (D-206).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addItem, newRecord, refusal } from '../support/feed-calls.ts'
import { internalContext } from '#main/kernel/context.ts'
import { statement } from '#main/kernel/database.ts'
import type {} from '#main/plugins/feed/api.ts'
import type { KeptNotifications } from '../support/kept-notifications.ts'
import { createKeptNotifications } from '../support/kept-notifications.ts'
import { applyTo } from '../support/remote-replay.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let kept: KeptNotifications
let [ann, ben, cleo]: UserCalls[] = []
let record: string

beforeAll(async () => {
  kept = createKeptNotifications()
  host = await createPeopledHost({ users: [{}, {}, {}] }, (plugins) => [
    ...plugins.filter(({ id }) => id !== 'notifications'),
    kept.plugin,
  ])
  await host.defineObject('task', {
    title: { type: 'text' },
    margin: { type: 'number' },
    quiet: { type: 'text', trackFeedHistory: false },
  })
  await host.defineObject('closed', { title: { type: 'text' } }, { sharingModel: 'private' })
  await host.saveItem('permission', 'masks', { fields: { 'task.margin': { readable: false } } })
  await host.assign(2, { permissionSets: ['masks'] })
  ;[ann, ben, cleo] = [0, 1, 2].map((number) => host.as(number))
})
afterAll(() => host.stop())

beforeEach(async () => {
  record = `task/${await newRecord(ann!, 'task', { title: 'One' })}`
  await settled()
  kept.told.length = 0
})

/** Events some consumer has still to handle. */
function pending(): number {
  const sql = 'SELECT count(*) AS n FROM _outbox'
  return host.host.database.read.get(statement<{ n: number }>(sql))!.n
}

/** Waits until every consumer has handled what was written. */
async function settled(): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (pending() === 0) return
    await pause(10)
  }
  throw new Error('The outbox does not empty.')
}

/** What was told since the record was made: to whom, of what kind. */
const told = async (): Promise<[string | undefined, string][]> => {
  await settled()
  const names = new Map([ann, ben, cleo].map((user, at) => [user!.id, ['ann', 'ben', 'cleo'][at]]))
  return kept.told.map(({ userId, type }) => [names.get(userId), type])
}

describe('a subscription', () => {
  it('is made, changed, read and ended', async () => {
    const none = await ben!.get(`/data/${record}/subscribe`)
    expect(refusal(none)).toEqual([404, 'subscription_not_found'])
    const made = await ben!.post(`/data/${record}/subscribe`)
    expect(made.status).toBe(200)
    expect(made.body.data).toMatchObject({
      object: 'task',
      recordId: record.slice(5),
      userId: ben!.id,
      events: ['all'],
      channels: ['in_app'],
      active: true,
    })
    const changed = await ben!.post(`/data/${record}/subscribe`, {
      events: ['comment', 'mention', 'comment'],
      channels: ['email', 'slack'],
    })
    expect(changed.body.data).toMatchObject({
      id: made.body.data.id,
      events: ['comment', 'mention'],
      channels: ['email', 'slack'],
      createdAt: made.body.data.createdAt,
    })
    expect((await ben!.get(`/data/${record}/subscribe`)).body.data).toEqual(changed.body.data)
    const ended = await ben!.delete(`/data/${record}/subscribe`)
    expect(ended.body.data).toEqual({ object: 'task', recordId: record.slice(5), unsubscribed: true })
    expect(refusal(await ben!.delete(`/data/${record}/subscribe`))).toEqual([404, 'subscription_not_found'])
    expect((await ben!.post(`/data/${record}/subscribe`)).body.data.active).toBe(true)
  })

  it('is refused where it exists and may only be new', async () => {
    const headers = { 'if-none-match': '*' }
    expect((await ben!.post(`/data/${record}/subscribe`, {}, headers)).status).toBe(200)
    expect(refusal(await ben!.post(`/data/${record}/subscribe`, {}, headers))).toEqual([
      409,
      'subscription_already_exists',
    ])
    await ben!.delete(`/data/${record}/subscribe`)
    expect((await ben!.post(`/data/${record}/subscribe`, {}, headers)).status).toBe(200)
  })

  it('has words of the protocol and no empty lists', async () => {
    for (const body of [{ events: [] }, { channels: [] }, { events: ['some'] }, { channels: ['fax'] }])
      expect(refusal(await ben!.post(`/data/${record}/subscribe`, body))).toEqual([400, 'validation_error'])
  })

  it('tells nobody what their own deletion led to, and others once of all records', async () => {
    await host.defineObject('plan', { title: { type: 'text' } })
    await host.defineObject('step', { title: { type: 'text' }, plan: { type: 'lookup', reference: 'plan' } })
    const remove = async (linked: UserCalls): Promise<[string | undefined, string][]> => {
      const plan = await newRecord(ann!, 'plan', { title: 'Plan' })
      for (const title of ['One', 'Two', 'Three']) await newRecord(linked, 'step', { title, plan })
      await settled()
      kept.told.length = 0
      const { body } = await ann!.post('/data/plan/deleteMany', { ids: [plan] })
      expect(body.data ?? body).toMatchObject({ succeeded: 1 })
      return told()
    }
    expect(await remove(ann!)).toEqual([])
    expect(await remove(ben!)).toEqual([['ben', 'record']])
    expect(kept.told[0]!.fold!.parts.length).toBe(3)
  })

  it('is the owner’s from the start, the authors’ and the mentioned users’ from then on', async () => {
    const mine = (await ann!.get(`/data/${record}/subscribe`)).body.data
    expect(mine).toMatchObject({ userId: ann!.id, events: ['all'], active: true })
    expect((await ann!.get(`/data/${record}/subscribe`)).body.data).toEqual(mine)
    expect(refusal(await ann!.post(`/data/${record}/subscribe`, {}, { 'if-none-match': '*' }))[1]).toBe(
      'subscription_already_exists',
    )
    await addItem(ben!, record, { body: `see @[Cleo](user:${cleo!.id}) and @[X](user:nobody)` })
    for (const user of [ben!, cleo!]) expect((await user.get(`/data/${record}/subscribe`)).status).toBe(200)
  })

  it('does not come back by itself once it was ended', async () => {
    for (const user of [ann!, ben!]) {
      await user.post(`/data/${record}/subscribe`)
      await user.delete(`/data/${record}/subscribe`)
    }
    await addItem(ben!, record, { body: `for @[Ann](user:${ann!.id})` })
    for (const user of [ann!, ben!])
      expect(refusal(await user.get(`/data/${record}/subscribe`))).toEqual([404, 'subscription_not_found'])
    expect(await told()).toEqual([])
  })
})

describe('subscribers', () => {
  it('hear of comments, mentions, tasks and assignments, each once', async () => {
    await cleo!.post(`/data/${record}/subscribe`)
    await addItem(ben!, record, { body: `hello @[Cleo](user:${cleo!.id})` })
    expect((await told()).toSorted()).toEqual([
      ['ann', 'comment'],
      ['cleo', 'mention'],
    ])
    const [first] = kept.told
    expect(kept.told.find(({ type }) => type === 'mention')).toMatchObject({
      title: 'Test user 1 mentioned you on One',
      body: 'hello @Cleo',
      actionUrl: `#/o/task?rec=${record.slice(5)}&tab=activity&item=${kept.told[0]!.data!['feedId'] as string}`,
      channels: ['in_app'],
      data: { object: 'task', recordId: record.slice(5), feedId: expect.any(String) },
    })
    expect(first!.dedupeKey).toEqual(expect.any(String))
    kept.told.length = 0
    await addItem(ben!, record, { type: 'task', body: 'do it', data: { assigneeId: cleo!.id } })
    expect((await told()).toSorted()).toEqual([
      ['ann', 'task'],
      ['cleo', 'assignment'],
    ])
    kept.told.length = 0
    await addItem(ben!, record, { type: 'note', body: 'aside' })
    expect(await told()).toEqual([])
  })

  it('hear of a mention that is added later, and of no other edit', async () => {
    const item = await addItem(ben!, record, { body: 'hello' })
    await told()
    kept.told.length = 0
    await ben!.put(`/data/${record}/feed/${item.id}`, { body: 'hello you' })
    expect(await told()).toEqual([])
    await ben!.put(`/data/${record}/feed/${item.id}`, { body: `hello @[Cleo](user:${cleo!.id})` })
    await ben!.put(`/data/${record}/feed/${item.id}`, { body: `Hello @[Cleo](user:${cleo!.id})` })
    expect(await told()).toEqual([['cleo', 'mention']])
  })

  it('hear of changed fields they may read, by the channels they chose', async () => {
    await cleo!.post(`/data/${record}/subscribe`, { events: ['field_change'], channels: ['email', 'push'] })
    await ben!.patch(`/data/${record}`, { title: 'Two', margin: 3 })
    expect((await told()).toSorted()).toEqual([
      ['ann', 'record'],
      ['cleo', 'record'],
    ])
    const byUser = new Map(kept.told.map((one) => [one.userId, one]))
    expect(byUser.get(ann!.id)).toMatchObject({ title: 'Test user 1 changed Two', body: 'Title, Margin' })
    expect(byUser.get(cleo!.id)).toMatchObject({ body: 'Title', channels: ['email', 'push'] })
    kept.told.length = 0
    await ben!.patch(`/data/${record}`, { margin: 4 })
    expect(await told()).toEqual([['ann', 'record']])
    kept.told.length = 0
    await ben!.patch(`/data/${record}`, { quiet: 'x' })
    expect(await told()).toEqual([])
  })

  it('hear here alone of what another machine wrote', async () => {
    await cleo!.post(`/data/${record}/subscribe`, { events: ['field_change'], channels: ['in_app', 'email'] })
    const change = { object: 'task', id: record.slice(5), values: { title: 'Far' } }
    await applyTo(host, change, { type: 'user', id: ben!.id, name: 'Ben' })
    expect((await told()).toSorted()).toEqual([
      ['ann', 'record'],
      ['cleo', 'record'],
    ])
    expect(kept.told).toMatchObject([{ stays: true }, { stays: true }])
    kept.told.length = 0
    await ben!.patch(`/data/${record}`, { title: 'Near' })
    expect((await told()).length).toBe(2)
    expect(kept.told.every((draft) => draft.stays === undefined)).toBe(true)
  })

  it('hear of an approval that another part of the platform asks for', async () => {
    await cleo!.post(`/data/${record}/subscribe`, { events: ['approval'], channels: ['email'] })
    await ann!.post(`/data/${record}/subscribe`, { events: ['comment'] })
    const draft = { object: 'task', recordId: record.slice(5), type: 'approval', body: 'Please **look**' } as const
    const { database, plugins } = host.host
    await database.write('test', (tx) => plugins.service('feed')!.addSystemItem(tx, internalContext('test'), draft))
    expect(await told()).toEqual([['cleo', 'approval']])
    expect(kept.told[0]).toMatchObject({
      title: 'The system asks for an approval of One',
      body: 'Please look',
      channels: ['email'],
      quotes: { title: { field: 'title', without: 'The system asks for an approval of Task' } },
    })
  })

  it('hear only of what they asked for', async () => {
    await cleo!.post(`/data/${record}/subscribe`, { events: ['task'] })
    await ann!.post(`/data/${record}/subscribe`, { events: ['mention'] })
    await addItem(ben!, record, { body: 'comment' })
    await ben!.patch(`/data/${record}`, { title: 'Two' })
    expect(await told()).toEqual([])
    await addItem(ben!, record, { type: 'task', body: 'task' })
    expect(await told()).toEqual([['cleo', 'task']])
  })

  it('never hear of what they did themselves', async () => {
    await addItem(ann!, record, { body: `me @[Ann](user:${ann!.id})` })
    await addItem(ann!, record, { type: 'task', body: 'mine', data: { assigneeId: ann!.id } })
    await ann!.patch(`/data/${record}`, { title: 'Two' })
    expect(await told()).toEqual([])
  })

  it('hear nothing of what they may not see when it is told', async () => {
    await cleo!.post(`/data/${record}/subscribe`)
    await addItem(ben!, record, { body: 'hush', visibility: 'private' })
    expect(await told()).toEqual([])
    const closed = `closed/${await newRecord(ann!, 'closed', { title: 'x' })}`
    await addItem(ann!, closed, { body: `look @[Cleo](user:${cleo!.id})` })
    expect(await told()).toEqual([])
  })

  it('cost other writes no row in the outbox', async () => {
    await ann!.patch(`/data/${record}`, { title: 'Two' })
    expect(pending()).toBe(0)
  })
})
