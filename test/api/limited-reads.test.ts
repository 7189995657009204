// What is remembered of how people with limited rights read holds exactly as long as their rights do (C5): every list and
// record is asked for often enough that it is answered from memory.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: PeopledHost
const ids: string[] = []

beforeAll(async () => {
  host = await createPeopledHost({ users: [{}, {}] })
  const fields = {
    title: { type: 'text' },
    rank: { type: 'number' },
    hidden: { type: 'text' },
    due: { type: 'datetime' },
  }
  await host.defineObject('thing', fields, { sharingModel: 'private' })
  for (let rank = 0; rank < 6; rank += 1) {
    const due = new Date(Date.now() + (rank - 3) * 86_400_000).toISOString()
    const made = await host.post('/data/thing', { title: `t${rank}`, rank, hidden: `secret ${rank}`, due })
    ids.push(made.body.id as string)
  }
  await give('record.rank >= 4')
})

afterAll(() => host.stop())

/** Gives the first user reading by one rule. */
async function give(condition: string, hidden = true): Promise<void> {
  await host.saveItem('permission', 'some', {
    objects: { thing: { allowRead: true } },
    fields: hidden ? { 'thing.hidden': { readable: false } } : {},
    rowLevelSecurity: [{ name: 'ranked', object: 'thing', actions: ['read'], condition }],
  })
  await host.assign(0, { profile: 'guest', permissionSets: ['some'] })
}

/** What the first user sees, asked five times; every answer must be the same. */
async function seen(): Promise<{ titles: string[]; fields: string[]; single: string[] }> {
  const me = host.as(0)
  const rounds: string[] = []
  for (let round = 0; round < 5; round += 1) {
    const { body } = await me.get('/data/thing?sort=rank')
    const records = body.records as Record<string, unknown>[]
    const single: string[] = []
    for (const id of ids) {
      const { status, body: one } = await me.get(`/data/thing/${id}`)
      if (status === 200) single.push(one.record.title as string)
      else expect(status).toBe(404)
      const same = records.find((record) => record['id'] === id)
      if (same !== undefined) expect(one.record).toEqual(same)
    }
    rounds.push(
      JSON.stringify({
        titles: records.map((record) => record['title']),
        fields: Object.keys(records[0] ?? {}),
        single,
      }),
    )
  }
  expect(new Set(rounds).size).toBe(1)
  return JSON.parse(rounds[0]!) as Awaited<ReturnType<typeof seen>>
}

describe('reads of somebody with limited rights', () => {
  it('show the covered records and the readable fields, however often', async () => {
    const { titles, fields, single } = await seen()
    expect(titles).toEqual(['t4', 't5'])
    expect(single).toEqual(titles)
    expect(fields).toContain('rank')
    expect(fields).not.toContain('hidden')
  })

  it('follow the rule, the fields and the sets at once', async () => {
    await give('record.rank == 2')
    expect((await seen()).titles).toEqual(['t2'])
    await give('record.rank == 2', false)
    expect((await seen()).fields).toContain('hidden')
    await host.assign(0, { profile: 'guest' })
    expect((await host.as(0).get('/data/thing')).status).toBe(403)
    await give('record.rank >= 4')
    expect((await seen()).titles).toEqual(['t4', 't5'])
  })

  it('follow shares and owners at once', async () => {
    const path = `/data/thing/${ids[0]}`
    const shared = await host.post(`${path}/shares`, {
      principalType: 'user',
      principalId: testUserId(0),
      access: 'read',
    })
    expect(shared.status).toBe(201)
    expect((await seen()).titles).toEqual(['t0', 't4', 't5'])
    await host.delete(`${path}/shares/${shared.body.id}`)
    expect((await seen()).titles).toEqual(['t4', 't5'])
    await host.post(`${path}/transfer`, { owner: testUserId(0) })
    expect((await seen()).titles).toEqual(['t0', 't4', 't5'])
    await host.post(`${path}/transfer`, { owner: testUserId(1) })
  })

  it('follow the roles of others at once', async () => {
    await host.saveItem('role', 'lead', { permissionSets: ['some'] })
    await host.saveItem('role', 'work', { parent: 'lead', permissionSets: [] })
    await host.assign(0, { profile: 'guest', roles: ['lead'] })
    expect((await seen()).titles).toEqual(['t4', 't5'])
    await host.assign(1, { profile: 'guest', roles: ['work'] })
    expect((await seen()).titles).toEqual(['t0', 't4', 't5'])
    await host.assign(1, { profile: 'guest' })
    expect((await seen()).titles).toEqual(['t4', 't5'])
  })

  it('follow changed records and objects', async () => {
    await host.patch(`/data/thing/${ids[1]}`, { rank: 9, expectedVersion: '*' })
    expect((await seen()).titles).toEqual(['t4', 't5', 't1'])
    await host.delete(`/data/thing/${ids[1]}`)
    expect((await seen()).titles).toEqual(['t4', 't5'])
  })

  it('by a rule about the moment are worked out anew', async () => {
    await give('record.due < now')
    const { titles } = await seen()
    expect(titles).toEqual(['t0', 't2', 't3'].filter((title) => titles.includes(title)))
    expect(titles).toContain('t2')
    expect(titles).not.toContain('t5')
  })

  it('tell what a role gives by itself, to those who manage rights', async () => {
    const { status, body } = await host.get('/permissions/effective?role=lead')
    expect([status, body.roles, body.permissionSets, body.profile]).toEqual([200, ['lead'], ['some'], 'guest'])
    expect(body.objects.thing).toMatchObject({ read: true, edit: false })
    expect((await host.get('/permissions/effective?role=nobody')).status).toBe(404)
    expect((await host.get(`/permissions/effective?role=lead&userId=${testUserId(0)}`)).status).toBe(400)
    expect((await host.as(0).get('/permissions/effective?role=lead')).status).toBe(403)
  })
})
