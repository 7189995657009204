// Records under rights (D-25, D-43 to D-47): who sees and changes what, through every operation on records.
import { leastStatements } from '../support/least-statements.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestContext } from '#main/kernel/context.ts'
import { internalContext } from '#main/kernel/context.ts'
import type { PeopledHost } from '../support/test-identities.ts'
import { createPeopledHost, testUserId } from '../support/test-identities.ts'

let host: PeopledHost
/** 0 alice (seller), 1 bob (seller), 2 carol (manager of sellers), 3 dave (guest), 4 alice with a read-only key. */
const [alice, bob, carol, dave] = [0, 1, 2, 3]

beforeAll(async () => {
  host = await createPeopledHost({
    users: [
      {},
      {},
      {},
      {},
      { sameAs: 0, scope: { permissionSets: null, readOnly: true } },
      { sameAs: 0, scope: { permissionSets: ['imports_titles'], readOnly: false } },
    ],
  })
  await host.defineObject('region', { name: { type: 'text', unique: true } })
  await host.defineObject(
    'deal',
    {
      title: { type: 'text' },
      stage: { type: 'select', options: ['new', 'won', 'lost'], index: true },
      amount: { type: 'number' },
      margin: { type: 'number' },
      code: { type: 'text', unique: true },
      region: { type: 'lookup', reference: 'region', deleteBehavior: 'restrict' },
    },
    { sharingModel: 'private' },
  )
  await host.defineObject('deal_line', {
    name: { type: 'text' },
    deal: { type: 'master_detail', reference: 'deal', relationshipName: 'lines' },
  })
  await host.saveItem('role', 'manager', { permissionSets: [] })
  await host.saveItem('role', 'seller', { parent: 'manager', permissionSets: ['sells'] })
  await host.saveItem('permission', 'sells', {
    objects: { region: { allowRead: true } },
    fields: { 'deal.margin': { readable: false }, 'deal.amount': { editable: false } },
  })
  await host.saveItem('permission', 'hides_margin', { fields: { 'deal.margin': { readable: false } } })
  await host.assign(alice, { roles: ['seller'] })
  await host.assign(bob, { roles: ['seller'] })
  await host.assign(carol, { roles: ['manager'] })
  await host.assign(dave, { profile: 'guest' })
})
afterAll(() => host.stop())

const createDeal = async (as: number, data: Record<string, unknown>): Promise<string> => {
  const answer = await host.as(as).post('/data/deal', data)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body.id as string
}
const titles = async (as: number, query = ''): Promise<string[]> => {
  const { status, body } = await host.as(as).get(`/data/deal?sort=title&select=title${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.records.map((record: { title: string }) => record.title)
}

describe('records of a private object', () => {
  let mine: string
  let theirs: string

  beforeAll(async () => {
    mine = await createDeal(alice, { title: 'A1', stage: 'new', code: 'a-1' })
    theirs = await createDeal(bob, { title: 'B1', stage: 'won', code: 'b-1' })
  })

  it('are seen by their owner, those above, and administrators', async () => {
    expect(await titles(alice)).toEqual(['A1'])
    expect(await titles(bob)).toEqual(['B1'])
    expect(await titles(carol)).toEqual(['A1', 'B1'])
    expect((await host.get('/data/deal?count=true')).body.total).toBe(2)
    expect((await host.as(alice).get('/data/deal?count=true')).body.total).toBe(1)
  })

  it('are not there for others, on every verb and with the same body', async () => {
    const missing = '0190f2a4-0000-7000-8000-0000000000ff'
    const me = host.as(alice)
    const calls = (id: string) => [
      me.get(`/data/deal/${id}`),
      me.patch(`/data/deal/${id}`, { title: 'x' }),
      me.patch(`/data/deal/${id}`, { title: 'x', expectedVersion: 'nonsense' }),
      me.delete(`/data/deal/${id}`),
      me.post(`/data/deal/${id}/restore`),
      me.post(`/data/deal/${id}/clone`),
      me.get(`/data/deal/${id}/shares`),
      me.post(`/data/deal/batch`, { operation: 'update', records: [{ id, data: { title: 'x' } }] }),
      me.post(`/data/deal/updateMany`, { records: [{ id, data: { title: 'x' } }] }),
      me.post(`/data/deal/deleteMany`, { ids: [id] }),
      me.post('/data/deal/batch', { operation: 'delete', records: [{ id, expectedVersion: 'x' }] }),
    ]
    const told = async (id: string) =>
      (await Promise.all(calls(id))).map(({ status, body }) => {
        const text = JSON.stringify(body).replaceAll(id, 'ID')
        return [status, text.replaceAll(/"requestId":"[^"]*"/g, '')]
      })
    expect(await told(theirs)).toEqual(await told(missing))
    expect((await me.get(`/data/deal/${theirs}`)).status).toBe(404)
    expect((await host.get(`/data/deal/${theirs}`)).body.record.title).toBe('B1')
  })

  it('hide in unique conflicts, references and deletions', async () => {
    const clash = await host.as(alice).post('/data/deal', { title: 'A2', code: 'b-1' })
    expect([clash.status, clash.body.error.code]).toEqual([409, 'conflict'])
    expect(JSON.stringify(clash.body)).not.toContain(theirs)
    const line = await host.as(alice).post('/data/deal_line', { name: 'x', deal: theirs })
    const none = await host
      .as(alice)
      .post('/data/deal_line', { name: 'x', deal: '0190f2a4-0000-7000-8000-0000000000ff' })
    expect(line.status).toBe(400)
    expect(JSON.stringify(line.body.error.details).replaceAll(theirs, '')).toBe(
      JSON.stringify(none.body.error.details).replaceAll('0190f2a4-0000-7000-8000-0000000000ff', ''),
    )
    const region = (await host.post('/data/region', { name: 'North' })).body.id as string
    await host.patch(`/data/deal/${theirs}`, { region })
    const refused = await host.as(alice).delete(`/data/region/${region}`)
    // Regions are of everybody to read and edit; only their owner deletes them.
    expect(refused.status).toBe(403)
    const own = (await host.as(alice).post('/data/region', { name: 'South' })).body.id as string
    await host.patch(`/data/deal/${theirs}`, { region: own })
    const restricted = await host.as(alice).delete(`/data/region/${own}`)
    expect([restricted.status, restricted.body.error.details.dependentCount]).toEqual([409, 0])
  })

  it('give their details their own access', async () => {
    const line = await host.as(bob).post('/data/deal_line', { name: 'of b', deal: theirs })
    expect(line.status, JSON.stringify(line.body)).toBe(201)
    await host.as(alice).post('/data/deal_line', { name: 'of a', deal: mine })
    const lines = async (as: number) =>
      (await host.as(as).get('/data/deal_line?sort=name')).body.records.map((one: { name: string }) => one.name)
    expect(await lines(alice)).toEqual(['of a'])
    expect(await lines(carol)).toEqual(['of a', 'of b'])
    expect((await host.as(alice).patch(`/data/deal_line/${line.body.id}`, { name: 'x' })).status).toBe(404)
    expect((await host.as(bob).patch(`/data/deal_line/${line.body.id}`, { name: 'of b' })).status).toBe(200)
    expect((await host.as(alice).get(`/data/deal/${mine}?expand=lines`)).body.record.lines).toHaveLength(1)
  })

  it('can be shared, and a share ends at once', async () => {
    const share = await host
      .as(bob)
      .post(`/data/deal/${theirs}/shares`, { principalType: 'user', principalId: testUserId(alice), access: 'read' })
    expect(share.status, JSON.stringify(share.body)).toBe(201)
    expect(await titles(alice)).toEqual(['A1', 'B1'])
    const denied = await host.as(alice).patch(`/data/deal/${theirs}`, { title: 'taken' })
    expect([denied.status, denied.body.error.code]).toEqual([403, 'permission_denied'])
    expect((await host.as(alice).delete(`/data/deal/${theirs}`)).status).toBe(403)
    expect(
      (
        await host
          .as(alice)
          .post(`/data/deal/${theirs}/shares`, { principalType: 'role', principalId: 'seller', access: 'full' })
      ).status,
    ).toBe(403)
    const edit = { principalType: 'role', principalId: 'seller', access: 'edit' }
    const second = await host.as(bob).post(`/data/deal/${theirs}/shares`, edit)
    expect((await host.as(alice).patch(`/data/deal/${theirs}`, { title: 'B1' })).status).toBe(200)
    expect((await host.as(alice).get(`/data/deal/${theirs}/shares`)).body.shares).toHaveLength(2)
    for (const { id } of [share.body, second.body])
      expect((await host.as(bob).delete(`/data/deal/${theirs}/shares/${id}`)).status).toBe(200)
    expect(await titles(alice)).toEqual(['A1'])
    expect((await host.as(alice).get(`/data/deal/${theirs}`)).status).toBe(404)
  })

  it('tell whom they can be shared with, and only those who may share them', async () => {
    const found = await host.as(bob).get(`/data/deal/${theirs}/shares/principals?query=test user ${carol}`)
    const detail = expect.stringContaining('@example.org')
    const person = { principalType: 'user', principalId: testUserId(carol), name: `Test user ${carol}`, detail }
    expect([found.status, found.body]).toEqual([200, { principals: [person], hasMore: false }])
    const roles = await host.as(bob).get(`/data/deal/${theirs}/shares/principals?query=seller`)
    expect(roles.body.principals).toMatchObject([{ principalType: 'role', principalId: 'seller' }])
    // Who cannot see the record learns nothing, who only reads it neither.
    expect((await host.as(alice).get(`/data/deal/${theirs}/shares/principals`)).status).toBe(404)
    const reads = { principalType: 'user', principalId: testUserId(alice), access: 'read' }
    const share = await host.as(bob).post(`/data/deal/${theirs}/shares`, reads)
    expect(share.body.principalName).toBe(`Test user ${alice}`)
    expect((await host.as(alice).get(`/data/deal/${theirs}/shares/principals`)).status).toBe(403)
    await host.as(bob).delete(`/data/deal/${theirs}/shares/${share.body.id}`)
    const nobody = { ...reads, principalType: 'team', principalId: 'no such team' }
    const refused = await host.as(bob).post(`/data/deal/${theirs}/shares`, nobody)
    expect(refused.body.error.details.fieldErrors).toMatchObject([{ field: 'principalId', code: 'invalid_reference' }])
  })

  it('change hands only with the right to transfer', async () => {
    const given = await host.as(alice).patch(`/data/deal/${mine}`, { owner: testUserId(bob) })
    expect([given.status, given.body.error.details.fields]).toEqual([403, ['owner']])
    await host.saveItem('permission', 'transfers', { objects: { deal: { allowTransfer: true } } })
    await host.assign(alice, { roles: ['seller'], permissionSets: ['transfers'] })
    const moved = await host.as(alice).patch(`/data/deal/${mine}`, { owner: testUserId(bob) })
    expect(moved.status, JSON.stringify(moved.body)).toBe(200)
    expect(await titles(alice)).toEqual([])
    expect(await titles(bob)).toEqual(['A1', 'B1'])
    await host.patch(`/data/deal/${mine}`, { owner: testUserId(alice) })
    await host.assign(alice, { roles: ['seller'] })
  })

  it('are reached by row rules', async () => {
    await host.saveItem('permission', 'sees_won', {
      rowLevelSecurity: [
        {
          name: 'won',
          object: 'deal',
          actions: ['read'],
          condition: 'record.stage == "won" && "seller" in user.roles',
        },
      ],
    })
    await host.assign(alice, { roles: ['seller'], permissionSets: ['sees_won'] })
    expect(await titles(alice)).toEqual(['A1', 'B1'])
    expect((await host.as(alice).patch(`/data/deal/${theirs}`, { title: 'x' })).status).toBe(403)
    await host.patch(`/data/deal/${theirs}`, { stage: 'lost' })
    expect(await titles(alice)).toEqual(['A1'])
    await host.assign(alice, { roles: ['seller'] })
  })

  it('are read by searches of indexes alone', async () => {
    await host.assign(alice, { roles: ['seller'], permissionSets: ['sees_won'] })
    // Shares are looked for by those only who have one.
    const given = await createDeal(bob, { title: 'Given', stage: 'new' })
    const share = { principalType: 'user', principalId: testUserId(alice), access: 'read' }
    const { body: shared } = await host.post(`/data/deal/${given}/shares`, share)
    const ctx: RequestContext = {
      ...internalContext('explain', 'API'),
      actor: { type: 'user', id: testUserId(alice) },
      credential: 'session',
    }
    const data = host.host.plugins.service('data')!
    for (const query of [{}, { sort: 'title' }, { sort: '-created_at' }, { aggregations: [{ function: 'count' }] }]) {
      const { plan } = data.explain(ctx, 'deal', query, true)
      const steps = plan.filter((step) => /^(SCAN|SEARCH) (t0|s)\b/.test(step))
      expect(
        steps.some((step) => step.includes('i_deal__owner (owner=?')),
        JSON.stringify(plan),
      ).toBe(true)
      expect(
        steps.some((step) => step.includes('i_deal__stage (stage=?')),
        JSON.stringify(plan),
      ).toBe(true)
      expect(
        steps.some((step) => step.includes('permissions_share_principal')),
        JSON.stringify(plan),
      ).toBe(true)
      expect(
        steps.every((step) => step.startsWith('SEARCH')),
        JSON.stringify(plan),
      ).toBe(true)
    }
    await host.delete(`/data/deal/${given}/shares/${shared.id}`)
    await host.delete(`/data/deal/${given}?purge=true`)
    await host.assign(alice, { roles: ['seller'] })
  })
})

describe('fields', () => {
  it('that may not be read are nowhere', async () => {
    const id = await createDeal(alice, { title: 'F', stage: 'new' })
    await host.patch(`/data/deal/${id}`, { margin: 4242, amount: 10 })
    const me = host.as(alice)
    const answers = [
      await me.get(`/data/deal/${id}`),
      await me.get('/data/deal'),
      await me.patch(`/data/deal/${id}`, { title: 'F2' }),
      await me.patch(`/data/deal/${id}`, { title: 'x', expectedVersion: 'old' }),
      await me.post('/data/deal/batch', {
        operation: 'update',
        records: [{ id, data: { title: 'F3' } }],
        options: { returnRecords: true },
      }),
      await me.get('/meta/object/deal'),
      await me.get('/analytics/meta/deal'),
      await me.get('/data/deal/export?format=csv'),
      await me.get('/permissions/objects/deal'),
    ]
    for (const { status, body } of answers) {
      expect([200, 409]).toContain(status)
      expect(JSON.stringify(body)).not.toMatch(/4242|margin/)
    }
    expect((await host.get(`/data/deal/${id}`)).body.record.margin).toBe(4242)
    for (const value of [4242, 1]) {
      const refused = await me.patch(`/data/deal/${id}`, { margin: value })
      expect([refused.status, refused.body.error.details.fieldErrors]).toMatchObject([
        400,
        [{ field: 'margin', code: 'unknown_field' }],
      ])
    }
    const both = await me.patch(`/data/deal/${id}`, { amount: 11, margin: 1, title: 'no' })
    expect([both.status, both.body.error.details.fields]).toEqual([403, ['amount']])
    expect((await me.patch(`/data/deal/${id}`, { amount: 10, title: 'same amount' })).status).toBe(200)
  })
})

describe('rules and hooks', () => {
  it('tell nothing of fields the caller may not read, and are no acts of the caller', async () => {
    await host.saveItem('validation', 'deal.margin_limit', {
      object: 'deal',
      type: 'cross_field',
      condition: 'record.margin > 100',
      fields: ['margin'],
      message: 'Too much.',
    })
    const hook = {
      object: 'deal',
      events: ['beforeInsert'],
      body: 'return { margin: input.record.amount === null ? 7 : 101 }',
    }
    await host.saveItem('hook', 'deal.sets_margin', hook)
    const id = await createDeal(alice, { title: 'hooked' })
    expect((await host.get(`/data/deal/${id}`)).body.record.margin).toBe(7)
    await host.assign(alice, { permissionSets: ['hides_margin'] })
    const refused = await host.as(alice).post('/data/deal', { title: 'too much', amount: 1 })
    expect(refused.status).toBe(400)
    expect(refused.body.error.details.fieldErrors).toHaveLength(1)
    expect(JSON.stringify(refused.body.error.details)).not.toMatch(/margin"|101/)
    await host.delete('/meta/hook/deal.sets_margin')
    await host.delete('/meta/validation/deal.margin_limit')
    await host.assign(alice, { roles: ['seller'] })
  })
})

describe('imports', () => {
  it('have the rights of the key that started them, also as jobs', async () => {
    await host.saveItem('permission', 'imports_titles', {
      objects: { deal: { allowCreate: true, allowRead: true } },
      fields: { 'deal.stage': { editable: false } },
      systemPermissions: ['import_data'],
    })
    const key = host.as(5)
    const rows = [{ title: 'imported' }, { title: 'refused', stage: 'won' }]
    const direct = await key.post('/data/deal/import', { rows, dryRun: true })
    expect(direct.body, JSON.stringify(direct.body)).toMatchObject({ created: 1, failed: 1 })
    const { jobId } = (await key.post('/data/deal/import/jobs', { rows })).body
    const job = async () => (await key.get(`/data/import/jobs/${jobId}`)).body
    while (['pending', 'running'].includes((await job()).status)) await new Promise((go) => setTimeout(go, 50))
    expect(await job()).toMatchObject({ status: 'completed', created: 1, failed: 1 })
    expect((await host.as(bob).get(`/data/import/jobs/${jobId}`)).status).toBe(404)
    expect(await titles(bob, '&title=imported')).toEqual([])
  })
})

describe('reading', () => {
  it('takes one statement', async () => {
    const id = await createDeal(alice, { title: 'counted' })
    const count = async (as: number | null, path: string): Promise<number> => {
      const get = () => (as === null ? host.get(path) : host.as(as).get(path))
      await get()
      await get()
      return leastStatements(host, async () => expect((await get()).status).toBe(200))
    }
    expect(await count(null, `/data/deal/${id}`)).toBe(1)
    expect(await count(alice, `/data/deal/${id}`)).toBe(1)
    expect(await count(alice, '/data/deal')).toBe(1)
  })
})

describe('keys and profiles', () => {
  it('narrow', async () => {
    expect((await host.as(4).get('/data/deal')).status).toBe(200)
    expect((await host.as(4).post('/data/deal', { title: 'no' })).status).toBe(403)
    const guest = await host.as(dave).get('/data/deal')
    expect([guest.status, guest.body.error.code]).toEqual([403, 'permission_denied'])
    await host.assign(dave, { profile: 'readonly' })
    expect((await host.as(dave).get('/data/deal')).body.records).toEqual([])
    await host.assign(dave, { profile: 'guest' })
    expect((await host.as(dave).get('/data/deal')).status).toBe(403)
  })
})
