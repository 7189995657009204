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

const member = (organizationId: string) => ({
  organizationId,
  memberships: [{ organizationId, role: 'member', teams: [] }],
})
/** Two in one organization, one in another, and one in both whose session is in the other. */
const both = { organizationId: 'org-2', memberships: [...member('org-2').memberships, ...member('org-1').memberships] }

beforeAll(async () => {
  kept = createKeptNotifications()
  const users = [member('org-1'), member('org-1'), member('org-2'), both]
  host = await createPeopledHost({ users, organizations: true }, (plugins) => [
    ...plugins.filter(({ id }) => id !== 'notifications'),
    kept.plugin,
  ])
  await host.defineObject('paper', { title: { type: 'text' } })
})
afterAll(() => host.stop())

describe('feeds of an organization', () => {
  it('are those of its members, wherever a member’s session is when it is told', async () => {
    const [author, fellow, foreigner, visitor] = [0, 1, 2, 3].map((number) => host.as(number))
    const record = `paper/${await newRecord(author!, 'paper', { title: 'Plan' })}`
    const names = [fellow!, foreigner!, visitor!].map(({ id }) => `@[X](user:${id})`).join(' ')
    await addItem(author!, record, { body: `look ${names}` })
    const sql = statement<{ n: number }>('SELECT count(*) AS n FROM _outbox')
    await expect.poll(() => host.host.database.read.get(sql)!.n).toBe(0)
    expect(kept.told.map(({ userId }) => userId).toSorted()).toEqual([fellow!.id, visitor!.id].toSorted())
    expect((await pageOf(fellow!, `${record}/feed`)).total).toBe(2)
    for (const user of [foreigner!, visitor!])
      for (const path of ['feed', 'changelog', 'subscribe'])
        expect(refusal(await user.get(`/data/${record}/${path}`))).toEqual([404, 'resource_not_found'])
  })
})
