// Feeds while every record belongs to an organization (D-41): who sees them, and who is told.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statement } from '#main/kernel/database.ts'
import { addItem, newRecord, pageOf, refusal } from '../support/feed-calls.ts'
import type { KeptNotifications } from '../support/kept-notifications.ts'
import { createKeptNotifications } from '../support/kept-notifications.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost } from '../support/test-identities.ts'

let host: PeopledHost
let kept: KeptNotifications

const member = (organizationId: string, ...teams: string[]) => ({
  organizationId,
  memberships: [{ organizationId, role: 'member', teams }],
})
/** Two in one organization, one in another, and one in both whose session is in the other. */
const both = { organizationId: 'org-2', memberships: [...member('org-2').memberships, ...member('org-1').memberships] }

beforeAll(async () => {
  kept = createKeptNotifications()
  const users = [
    member('org-1'),
    member('org-1'),
    member('org-2'),
    both,
    ...[1, 2, 3, 4].map(() => member('org-1', 'sales')),
    member('org-2', 'sales'),
  ]
  host = await createPeopledHost({ users, organizations: true }, (plugins) => [
    ...plugins.filter(({ id }) => id !== 'notifications'),
    kept.plugin,
  ])
  await host.defineObject('paper', { title: { type: 'text' } })
})
afterAll(() => host.stop())

/** Waits until everybody who is to be told has been. */
async function settled(): Promise<void> {
  const sql = statement<{ n: number }>('SELECT count(*) AS n FROM _outbox')
  await expect.poll(() => host.host.database.read.get(sql)!.n).toBe(0)
}

describe('somebody of another organization', () => {
  it('is nobody to who mentions them or gives them a task', async () => {
    const [author, fellow, foreigner, both] = [0, 1, 2, 3].map((number) => host.as(number))
    const record = `paper/${await newRecord(author!, 'paper', { title: 'Plan' })}`
    const mentions = [fellow!, both!, foreigner!].map(({ id }) => ({ type: 'user', id }))
    const item = await addItem(author!, record, { body: 'hello', mentions })
    expect(item.mentions.map(({ name }: { name: string }) => name)).toEqual([
      'Test user 1',
      'Test user 3',
      foreigner!.id,
    ])
    const task = (assigneeId: string) =>
      author!.post(`/data/${record}/feed`, { type: 'task', body: 'do', data: { assigneeId } })
    expect((await task(both!.id)).status).toBe(201)
    const refused = await task(foreigner!.id)
    expect(refused.body.error).toMatchObject({
      code: 'validation_error',
      details: { fieldErrors: [{ field: 'data.assigneeId' }] },
    })
    const nobody = await task(foreigner!.id.replace(/.$/, 'f'))
    const [first] = nobody.body.error.details.fieldErrors
    expect(refused.body.error.details.fieldErrors).toEqual([{ ...first, value: foreigner!.id }])
  })
})

describe('a mention of a team', () => {
  it('tells each of its members once, but for those who want to hear nothing, and subscribes nobody', async () => {
    const [author, one, two, quiet, deaf, foreigner] = [0, 4, 5, 6, 7, 8].map((number) => host.as(number))
    const record = `paper/${await newRecord(author!, 'paper', { title: 'Plan' })}`
    await quiet!.post(`/data/${record}/subscribe`, {})
    await quiet!.delete(`/data/${record}/subscribe`)
    await deaf!.post(`/data/${record}/subscribe`, { events: ['task'] })
    const before = kept.told.length
    const item = await addItem(author!, record, { body: `@[Two](user:${two!.id}), and all of @[Sales](team:sales)` })
    await settled()
    const told = kept.told.slice(before)
    expect(told.map(({ userId }) => userId).toSorted()).toEqual([one!.id, two!.id].toSorted())
    for (const notice of told) expect(notice).toMatchObject({ type: 'mention', data: { feedId: item.id } })
    expect(refusal(await one!.get(`/data/${record}/subscribe`))).toEqual([404, 'subscription_not_found'])
    expect(refusal(await foreigner!.get(`/data/${record}/feed`))).toEqual([404, 'resource_not_found'])

    // Naming it again in a change tells nobody twice; a team nobody knows is nobody.
    await author!.put(`/data/${record}/feed/${item.id}`, { body: 'once more @[Sales](team:sales) @[X](team:none)' })
    await settled()
    expect(kept.told).toHaveLength(before + 2)
    // What is for its author and those it names by themselves alone is not opened by a team.
    await addItem(author!, record, { body: 'psst @[Sales](team:sales)', visibility: 'private' })
    await settled()
    expect(kept.told).toHaveLength(before + 2)
  })
})

describe('feeds of an organization', () => {
  it('are those of its members, wherever a member’s session is when it is told', async () => {
    const [author, fellow, foreigner, visitor] = [0, 1, 2, 3].map((number) => host.as(number))
    const record = `paper/${await newRecord(author!, 'paper', { title: 'Plan' })}`
    const before = kept.told.length
    const names = [fellow!, foreigner!, visitor!].map(({ id }) => `@[X](user:${id})`).join(' ')
    await addItem(author!, record, { body: `look ${names}` })
    await settled()
    const told = kept.told.slice(before)
    expect(told.map(({ userId }) => userId).toSorted()).toEqual([fellow!.id, visitor!.id].toSorted())
    expect(told.map(({ organizationId }) => organizationId)).toEqual(['org-1', 'org-1'])
    expect((await pageOf(fellow!, `${record}/feed`)).total).toBe(2)
    for (const user of [foreigner!, visitor!])
      for (const path of ['feed', 'changelog', 'subscribe'])
        expect(refusal(await user.get(`/data/${record}/${path}`))).toEqual([404, 'resource_not_found'])
  })
})
