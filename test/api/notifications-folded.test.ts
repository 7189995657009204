// What one act changes in many records is told each follower once, as far as they may see it (D-177, D-344).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import type { Notice } from '../support/notice.ts'
import type { PeopledHost, UserCalls } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let [ann, ben, cleo]: UserCalls[] = []

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}, {}] })
  await host.defineObject('deal', { title: { type: 'text' }, stage: { type: 'text' }, margin: { type: 'number' } })
  await host.saveItem('permission', 'masks', { fields: { 'deal.margin': { readable: false } } })
  ;[ann, ben, cleo] = [0, 1, 2].map((number) => host.as(number))
})
afterAll(() => host.stop())

afterEach(async () => {
  await host.assign(0, {})
  for (const { id } of (await inbox(ann!)).notifications) await ann!.delete(`/notifications/${id}`)
})

const settled = async (): Promise<void> => {
  const sql = 'SELECT count(*) AS n FROM _outbox'
  const pending = (): number => host.host.database.read.get(statement<{ n: number }>(sql))!.n
  for (let tries = 0; tries < 1_000 && pending() > 0; tries += 1) await pause(10)
  expect(pending()).toBe(0)
}

const inbox = async (user: UserCalls): Promise<{ notifications: Notice[]; unreadCount: number }> =>
  (await user.get('/notifications?limit=100')).body

/** Deals of a user, who follows them as their owner. */
const deals = async (owner: UserCalls, count: number): Promise<string[]> => {
  const records = Array.from({ length: count }, (_, at) => ({ title: `Deal ${at}`, stage: 'open' }))
  const { status, body } = await owner.post('/data/deal/createMany', { records })
  expect(status).toBe(201)
  return body.records.map(({ id }: { id: string }) => id)
}

const change = async (by: UserCalls, ids: readonly string[], data: object, options = {}): Promise<void> => {
  const { body } = await by.post('/data/deal/updateMany', { records: ids.map((id) => ({ id, data })), options })
  expect(body).toMatchObject({ succeeded: ids.length })
  await settled()
}

describe('a change of many records at once', () => {
  it('is one notification with their number', async () => {
    const ids = await deals(ann!, 200)
    await change(ben!, ids, { stage: 'shut' })
    const { notifications, unreadCount } = await inbox(ann!)
    expect(unreadCount).toBe(1)
    expect(notifications).toMatchObject([
      {
        type: 'record',
        title: 'Test user 1 changed 200 Deals',
        body: 'Stage',
        read: false,
        data: { object: 'deal', count: 200 },
        actionUrl: '#/o/deal',
      },
    ])
    expect(Object.keys(notifications[0]!.data).toSorted()).toEqual(['count', 'object', 'says', 'who'])
    await ann!.post('/notifications/read', { ids: [notifications[0]!.id] })
    expect(await inbox(ann!)).toMatchObject({ unreadCount: 0, notifications: [{ read: true }] })
  })

  it('in slices, and over several requests of one name, is one as well', async () => {
    const ids = await deals(ann!, 300)
    await change(ben!, ids, { stage: 'late' }, { atomic: false, continueOnError: true })
    expect((await inbox(ann!)).notifications).toMatchObject([{ data: { count: 300 } }])
    const headers = { 'x-request-id': 'one-act-of-ben' }
    for (const id of ids.slice(0, 3)) await ben!.patch(`/data/deal/${id}`, { stage: 'gone' }, headers)
    await settled()
    expect((await inbox(ann!)).notifications).toMatchObject([{ data: { count: 3 } }, { data: { count: 300 } }])
  })

  it('is one per person who did it', async () => {
    const ids = await deals(ann!, 3)
    await change(ben!, ids, { stage: 'one' })
    await change(cleo!, ids, { stage: 'two' })
    expect((await inbox(ann!)).notifications.map(({ title }) => title)).toEqual([
      'Test user 2 changed 3 Deals',
      'Test user 1 changed 3 Deals',
    ])
  })

  it('of one record alone is as any single change', async () => {
    const ids = await deals(ann!, 1)
    await change(ben!, ids, { stage: 'shut' })
    expect((await inbox(ann!)).notifications).toMatchObject([
      {
        title: 'Test user 1 changed Deal 0',
        body: 'Stage',
        data: { object: 'deal', recordId: ids[0] },
        actionUrl: `#/o/deal?rec=${ids[0]}`,
      },
    ])
  })

  it('of an import is one, whatever its number of slices', async () => {
    const ids = await deals(ann!, 120)
    const rows = ids.map((id) => ({ id, stage: 'read' }))
    const { body } = await ben!.post('/data/deal/import/jobs', { rows, writeMode: 'update', matchFields: ['id'] })
    const isEnded = async () =>
      ['completed', 'failed'].includes((await ben!.get(`/data/import/jobs/${body.jobId}`)).body.status)
    for (let tries = 0; tries < 500 && !(await isEnded()); tries += 1) await pause(20)
    await settled()
    expect((await inbox(ann!)).notifications).toMatchObject([{ data: { object: 'deal', count: 120 } }])
  })

  it('says its new number where it grows, and counts as one unread', async () => {
    const ids = await deals(ann!, 4)
    const headers = { 'x-request-id': 'one-act-in-two-parts' }
    host.takeEvents()
    for (const part of [ids.slice(0, 2), ids.slice(2)]) {
      await ben!.post(
        '/data/deal/updateMany',
        { records: part.map((id) => ({ id, data: { stage: 'next' } })) },
        headers,
      )
      await settled()
    }
    const told = host.takeEvents().filter(({ type }) => type.startsWith('notification.'))
    expect(told).toMatchObject([
      {
        type: 'notification.created',
        payload: { notification: { data: { count: 2 } }, userId: ann!.id, unreadCount: 1 },
      },
      {
        type: 'notification.updated',
        payload: { notification: { data: { count: 4 } }, userId: ann!.id, unreadCount: 1 },
      },
    ])
  })

  it('stays apart from what is said to the user', async () => {
    const ids = await deals(ann!, 3)
    await change(ben!, ids, { stage: 'shut' })
    const mention = { type: 'comment', body: `see @[Ann](user:${ann!.id})` }
    expect((await ben!.post(`/data/deal/${ids[0]}/feed`, mention)).status).toBe(201)
    await settled()
    expect((await inbox(ann!)).notifications.map(({ type }) => type)).toEqual(['mention', 'record'])
  })
})

describe('the records of a notification', () => {
  it('are those its reader may see, at every reading', async () => {
    const ids = await deals(ann!, 200)
    await change(ben!, ids, { stage: 'shut', margin: 2 })
    for (const id of ids.slice(0, 50)) await host.delete(`/data/deal/${id}`)
    expect((await inbox(ann!)).notifications[0]).toMatchObject({ data: { count: 150 }, body: 'Stage, Margin' })
    await host.assign(0, { permissionSets: ['masks'] })
    expect((await inbox(ann!)).notifications[0]).toMatchObject({ data: { count: 150 }, body: 'Stage' })
    await host.assign(0, { profile: 'guest' })
    expect(await inbox(ann!)).toMatchObject({ unreadCount: 1, notifications: [{ data: { withheld: true }, body: '' }] })
    // Ids and times hold any digits.
    const told = (await inbox(ann!)).notifications.map(({ title, body, data, actionUrl }) => [
      title,
      body,
      data,
      actionUrl,
    ])
    expect(JSON.stringify(told)).not.toMatch(/Deal|deal|Stage|150/)
  })

  it('are those the rules of rows leave its reader', async () => {
    await host.defineObject('secret', { title: { type: 'text' } }, { sharingModel: 'private' })
    const records = Array.from({ length: 8 }, (_, at) => ({ title: `Secret ${at}` }))
    const made = (await ann!.post('/data/secret/createMany', { records })).body.records as { id: string }[]
    const change = made.map(({ id }) => ({ id, data: { title: 'Other' } }))
    expect((await host.post('/data/secret/updateMany', { records: change })).body.succeeded).toBe(8)
    await settled()
    expect((await inbox(ann!)).notifications).toMatchObject([{ data: { object: 'secret', count: 8 } }])
    for (const { id } of made.slice(0, 3))
      expect((await host.post(`/data/secret/${id}/transfer`, { owner: ben!.id })).status).toBe(200)
    await settled()
    const act = (await inbox(ann!)).notifications.find(({ title }) => title.includes('Secrets'))
    expect(act).toMatchObject({ data: { object: 'secret', count: 5 } })
  })

  it('leave it when they are purged, and it goes with the last', async () => {
    const ids = await deals(ann!, 3)
    await change(ben!, ids, { stage: 'shut' })
    const purge = async (id: string): Promise<void> => {
      expect((await host.delete(`/data/deal/${id}?purge=true`)).status).toBe(200)
    }
    const parts = (): unknown =>
      host.host.database.read.all(statement('SELECT record_id AS id FROM notifications_part ORDER BY 1'))
    await purge(ids[0]!)
    expect((await inbox(ann!)).notifications).toMatchObject([{ title: 'Test user 1 changed 2 Deals' }])
    expect(parts()).toEqual(
      ids
        .slice(1)
        .toSorted()
        .map((id) => ({ id })),
    )
    await purge(ids[1]!)
    expect((await inbox(ann!)).notifications).toMatchObject([
      { title: 'Test user 1 changed Deal', data: { recordId: ids[2] }, actionUrl: `#/o/deal?rec=${ids[2]}` },
    ])
    await purge(ids[2]!)
    expect(await inbox(ann!)).toMatchObject({ unreadCount: 0, notifications: [] })
    expect(parts()).toEqual([])
  })
})
